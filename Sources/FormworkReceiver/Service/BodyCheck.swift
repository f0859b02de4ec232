#if Transfer
import Formwork
import FormworkCore
import FormworkDigests
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import NIOCore

/// Compares a whole body with the digests that its head announces: Content-Digest and Repr-Digest (RFC 9530), which are the
/// same without a Content-Encoding, and Content-MD5 (RFC 2616).
package struct BodyCheck: Sendable {
    /// What a body has to have.
    package struct Digest: Sendable, Hashable {
        /// As RFC 9530's registry names it.
        package var algorithm: String
        package var bytes: [UInt8]
        /// The field that announced it.
        package var field: HTTPField.Name
    }

    private var running: [(digest: any BodyDigest, expected: Digest)] = []

    init(_ digests: [Digest]) {
        self.running = digests.compactMap { expected in
            Self.digest(expected.algorithm).map { ($0, expected) }
        }
    }

    private static func digest(_ algorithm: String) -> (any BodyDigest)? {
        switch algorithm {
        case SHA256Digest.algorithm: SHA256Digest()
        case SHA512Digest.algorithm: SHA512Digest()
        case MD5Digest.algorithm: MD5Digest()
        default: nil
        }
    }

    /// The digests that fields announce by algorithms that are known here; others are ignored, as RFC 9530 has it.
    /// - Throws: 400 for a field that can't be read.
    static func digests(of fields: HTTPFields) throws(ProblemDetails) -> [Digest] {
        var all: [Digest] = []
        for name in [HTTPField.Name.contentDigest, .reprDigest] {
            guard let value = fields[name] else { continue }
            guard let field = DigestField(value) else { throw .badRequest("The \(name) can't be read.") }
            all += field.values.filter { self.digest($0.algorithm) != nil }.map { value in
                Digest(algorithm: value.algorithm, bytes: value.bytes, field: name)
            }
        }
        if let value = fields[.contentMD5] {
            guard let bytes = Base64.decode(value), bytes.count == 16 else {
                throw .badRequest("The Content-MD5 can't be read.")
            }
            all.append(Digest(algorithm: MD5Digest.algorithm, bytes: bytes, field: .contentMD5))
        }
        return all
    }

    mutating func update(_ buffer: ByteBuffer) {
        for index in self.running.indices { self.running[index].digest.update(buffer.readableBytesSpan) }
    }

    /// 400 when a digest of the body isn't the one that was announced; `nil` when all are.
    var mismatch: ProblemDetails? {
        for one in self.running where one.digest.finalized() != one.expected.bytes {
            return .badRequest(
                "The body isn't what its \(one.expected.field) says (\(one.expected.algorithm)): send it again. "
                    + "Nothing of it was kept.")
        }
        return nil
    }
}

/// A body whose digests are taken while it is read, and which can be read on where its reader has stopped: behind a form's
/// close delimiter there may be more.
actor CheckedBody<Base: AsyncSequence & Sendable> where Base.Element == ByteBuffer {
    private var iterator: Base.AsyncIterator
    private var check: BodyCheck
    private let limit: Int64
    private var count: Int64 = 0

    /// - Parameter limit: Bytes that it may have.
    init(_ base: Base, _ check: BodyCheck, limit: Int64) {
        self.iterator = base.makeAsyncIterator()
        (self.check, self.limit) = (check, limit)
    }

    /// The body's next bytes.
    func next() async throws -> ByteBuffer? {
        var iterator = self.iterator
        let next = try await iterator.next(isolation: self)
        self.iterator = iterator
        guard let buffer = next else { return nil }
        self.check.update(buffer)
        self.count += Int64(buffer.readableBytes)
        guard self.count <= self.limit else {
            throw ParsingFailure(.totalBytesLimit, limit: self.limit).error(
                "The body has more than \(self.limit) bytes.", at: nil)
        }
        return buffer
    }

    /// Reads what is left, and compares.
    /// - Throws: 400 when it isn't what was announced, and what the body throws.
    func finish() async throws {
        while try await self.next() != nil {}
        // Swift 6.3.1's optimizer crashes on a typed error that is thrown on from here.
        if let mismatch = self.check.mismatch { throw mismatch }
    }

    /// The same bytes for a reader.
    nonisolated var chunks: PulledChunks { PulledChunks { try await self.next() } }
}

/// Chunks that a closure gives: whatever they come from, they are of one type.
struct PulledChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    private let pull: @Sendable () async throws -> ByteBuffer?

    init(_ pull: @escaping @Sendable () async throws -> ByteBuffer?) { self.pull = pull }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pull: @Sendable () async throws -> ByteBuffer?

        mutating func next() async throws -> ByteBuffer? { try await self.pull() }
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            try await self.pull()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pull: self.pull) }
}
#endif
