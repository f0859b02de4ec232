import CFormworkDigests
public import FormworkCore

/// SHA-256 (FIPS 180-4). It uses the processor's instructions for it (x86-64, ARMv8), if it has them.
public struct SHA256Digest: BodyDigest, SavableDigest, Hashable {
    /// `sha-256`.
    public static let algorithm = "sha-256"
    private var state = HashState<SHA256Function>()

    /// The digest of no bytes.
    public init() {}

    package init?(saved bytes: [UInt8]) {
        guard let state = HashState<SHA256Function>(saved: bytes) else { return nil }
        self.state = state
    }

    package var byteCount: Int64 { Int64(clamping: self.state.count) }
    package var saved: [UInt8] { self.state.saved }

    /// Takes the next bytes.
    public mutating func update(_ bytes: RawSpan) { self.state.update(bytes) }

    /// Adds the same bytes to two digests, as far as there are two. The processor's instructions take hardly longer for
    /// both than for one.
    package static func update(_ one: inout SHA256Digest?, _ other: inout SHA256Digest?, _ bytes: RawSpan) {
        guard one != nil, other != nil else {
            one?.update(bytes)
            other?.update(bytes)
            return
        }
        // Taken out, so that neither is copied.
        guard var first = one.take(), var second = other.take() else { return }
        HashState.update(&first.state, &second.state, bytes)
        (one, other) = (first, second)
    }

    /// 32 bytes.
    public func finalized() -> [UInt8] { self.state.finalized() }

    /// The same in hexadecimal.
    package var hex: String { Hex.text(self.finalized()) }
}

enum SHA256Function: HashFunction {
    static var initial: SIMD8<UInt32> {
        SIMD8<UInt32>(
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19)
    }
    static var wordCount: Int { 8 }

    static func take(_ bytes: UnsafeRawPointer?, blocks: Int, into words: UnsafeMutablePointer<UInt32>) {
        // SAFETY: `HashState` has all the words and these blocks.
        unsafe formwork_sha256(words, bytes, blocks)
    }
}

/// The same without the processor's instructions.
enum PortableSHA256Function: HashFunction {
    static var initial: SIMD8<UInt32> { SHA256Function.initial }
    static var wordCount: Int { SHA256Function.wordCount }

    static func take(_ bytes: UnsafeRawPointer?, blocks: Int, into words: UnsafeMutablePointer<UInt32>) {
        // SAFETY: as above.
        unsafe formwork_sha256_portable(words, bytes, blocks)
    }
}

/// HMAC with SHA-256 (RFC 2104): shows that who wrote a text has the key.
package enum HMACSHA256 {
    package static let byteCount = 32

    package static func code(for text: [UInt8], key: [UInt8]) -> [UInt8] {
        let block = (key.count > 64 ? SHA256Digest.digest(of: key) : key) + [UInt8](repeating: 0, count: 64)
        let (inner, outer) = (block.prefix(64).map { $0 ^ 0x36 }, block.prefix(64).map { $0 ^ 0x5C })
        return SHA256Digest.digest(of: outer + SHA256Digest.digest(of: inner + text))
    }

    /// Needs the same time for a wrong code and for the right one. Otherwise the time would show how many bytes are right.
    package static func isValid(_ code: [UInt8], for text: [UInt8], key: [UInt8]) -> Bool {
        Self.areEqual(code, Self.code(for: text, key: key))
    }

    /// Whether two arrays are equal, after a time that depends only on their lengths.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension SHA256Digest {
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = Self()
        bytes.withRawSpan { digest.update($0) }
        return digest.finalized()
    }
}
