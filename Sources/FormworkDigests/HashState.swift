import CFormworkDigests
import FormworkCore

/// How a digest changes its words with each block of bytes.
///
/// A block has 16 words. MD5, SHA-1 and SHA-2 differ in nothing else (RFC 1321, FIPS 180-4).
protocol HashFunction: Sendable {
    associatedtype Words: SIMD, Sendable where Words.Scalar: FixedWidthInteger & UnsignedInteger & Sendable

    /// The words before the first block. Those that the digest doesn't have are 0.
    static var initial: Words { get }
    static var wordCount: Int { get }
    static var isLittleEndian: Bool { get }

    /// Takes whole blocks.
    static func take(_ bytes: UnsafeRawPointer?, blocks: Int, into words: UnsafeMutablePointer<Words.Scalar>)
}

extension HashFunction {
    static var isLittleEndian: Bool { false }
}

/// A digest in progress. It can be saved, so that another process continues it.
struct HashState<Function: HashFunction>: Sendable, Hashable {
    private var words = Function.initial
    /// The bytes after the last whole block.
    private var rest: [UInt8] = []
    /// The number of all bytes.
    private(set) var count: UInt64 = 0

    private static var wordBytes: Int { Function.Words.Scalar.bitWidth / 8 }
    private static var blockBytes: Int { 16 * Self.wordBytes }

    init() {}

    /// Reads what ``saved`` returned; `nil` for other bytes.
    init?(saved bytes: [UInt8]) {
        let end = Function.wordCount * Self.wordBytes
        guard bytes.count >= end + 8 else { return nil }
        for index in 0..<Function.wordCount {
            let word = bytes[index * Self.wordBytes..<(index + 1) * Self.wordBytes]
            self.words[index] = Function.Words.Scalar(truncatingIfNeeded: Self.number(word))
        }
        self.count = Self.number(bytes[end..<end + 8])
        self.rest = Array(bytes[(end + 8)...])
        guard UInt64(self.rest.count) == self.count % UInt64(Self.blockBytes) else { return nil }
    }

    /// The words and the number of bytes, each with its most significant byte first, and the bytes after the last whole
    /// block.
    var saved: [UInt8] {
        (0..<Function.wordCount).flatMap { Self.bytes(UInt64(self.words[$0]), Self.wordBytes) }
            + Self.bytes(self.count, 8) + self.rest
    }

    mutating func update(_ bytes: RawSpan) {
        self.count &+= UInt64(bytes.byteCount)
        var start = 0
        if !self.rest.isEmpty {
            start = min(Self.blockBytes - self.rest.count, bytes.byteCount)
            self.rest.append(bytes, 0..<start)
            guard self.rest.count == Self.blockBytes else { return }
            self.rest.withRawSpan { self.take($0) }
            self.rest = []
        }
        let end = bytes.byteCount - (bytes.byteCount - start) % Self.blockBytes
        self.take(bytes.extracting(start..<end))
        self.rest.append(bytes, end..<bytes.byteCount)
    }

    func finalized() -> [UInt8] {
        var last = self
        // The number of bits has the size of two words.
        let length = 2 * Self.wordBytes
        let zeros = (2 * Self.blockBytes - 1 - length - self.rest.count) % Self.blockBytes
        let bits = Self.bytes(self.count >> 61, length - 8) + Self.bytes(self.count << 3, 8)
        let ordered = Function.isLittleEndian ? bits.reversed() : bits
        ([0x80] + [UInt8](repeating: 0, count: zeros) + ordered).withRawSpan { last.update($0) }
        return (0..<Function.wordCount).flatMap {
            let word = last.words[$0]
            return Self.bytes(UInt64(Function.isLittleEndian ? word.byteSwapped : word), Self.wordBytes)
        }
    }

    private mutating func take(_ bytes: RawSpan) {
        guard bytes.byteCount > 0 else { return }
        // SAFETY: a vector is its words, and both live through the call, which keeps no pointer to them.
        unsafe withUnsafeMutableBytes(of: &self.words) { words in
            unsafe bytes.withUnsafeBytes { bytes in
                guard let words = unsafe words.baseAddress?.assumingMemoryBound(to: Function.Words.Scalar.self) else {
                    return
                }
                unsafe Function.take(bytes.baseAddress, blocks: bytes.count / Self.blockBytes, into: words)
            }
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }
}

extension HashState<SHA256Function> {
    /// Adds the same bytes to two digests.
    static func update(_ one: inout Self, _ other: inout Self, _ bytes: RawSpan) {
        // The blocks of both begin with the same bytes only if as many have come since the last one.
        guard one.rest.count == other.rest.count else {
            one.update(bytes)
            return other.update(bytes)
        }
        let start = one.rest.isEmpty ? 0 : min(Self.blockBytes - one.rest.count, bytes.byteCount)
        let end = bytes.byteCount - (bytes.byteCount - start) % Self.blockBytes
        one.update(bytes.extracting(0..<start))
        other.update(bytes.extracting(0..<start))
        // SAFETY: both have eight words, and the call keeps no pointer to them, or to the blocks.
        unsafe bytes.extracting(start..<end).withUnsafeBytes { blocks in
            unsafe withUnsafeMutableBytes(of: &one.words) { words in
                unsafe withUnsafeMutableBytes(of: &other.words) { otherWords in
                    unsafe formwork_sha256_two(
                        words.assumingMemoryBound(to: UInt32.self).baseAddress,
                        otherWords.assumingMemoryBound(to: UInt32.self).baseAddress, blocks.baseAddress,
                        blocks.count / Self.blockBytes)
                }
            }
        }
        one.count &+= UInt64(end - start)
        other.count &+= UInt64(end - start)
        one.update(bytes.extracting(end..<bytes.byteCount))
        other.update(bytes.extracting(end..<bytes.byteCount))
    }
}

/// A digest that can be saved before its end, so that another process continues it.
package protocol SavableDigest: BodyDigest {
    /// Reads what ``saved`` returned; `nil` for other bytes.
    init?(saved bytes: [UInt8])

    /// The number of bytes so far.
    var byteCount: Int64 { get }
    /// The state: at most 199 bytes, with SHA-512.
    var saved: [UInt8] { get }
}

/// The algorithms that digest fields may name, by their names in the Hash Algorithms registry of RFC 9530.
package enum DigestAlgorithms {
    private static let all: [any SavableDigest.Type] = [
        SHA256Digest.self, SHA512Digest.self, SHA1Digest.self, MD5Digest.self,
    ]

    /// A digest of no bytes; `nil` for an algorithm that isn't supported.
    package static func digest(named name: String) -> (any SavableDigest)? {
        self.all.first { $0.algorithm == name }?.init()
    }

    /// A digest that was saved; `nil` also for bytes that aren't its saved state.
    package static func digest(named name: String, saved bytes: [UInt8]) -> (any SavableDigest)? {
        self.all.first { $0.algorithm == name }?.init(saved: bytes)
    }
}
