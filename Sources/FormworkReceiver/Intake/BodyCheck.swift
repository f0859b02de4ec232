import FormworkDigests
import FormworkResumable
import NIOCore

/// Compares a whole body with the digests in its head: Content-Digest and Repr-Digest (RFC 9530), which are the same
/// without a Content-Encoding, and Content-MD5 (RFC 2616).
struct BodyCheck: Sendable {
    /// A digest that the body must have.
    struct Digest: Sendable, Hashable {
        /// The algorithm's name in the registry of RFC 9530.
        var algorithm: String
        var bytes: [UInt8]
        /// The field that announced it.
        var field: HTTPField.Name
    }

    private var running: [(digest: any BodyDigest, expected: Digest)] = []

    init(_ digests: [Digest]) {
        self.running = digests.compactMap { expected in
            DigestAlgorithms.digest(named: expected.algorithm).map { ($0, expected) }
        }
    }

    /// The announced digests whose algorithms are supported here; others are ignored, as RFC 9530 requires.
    /// - Throws: 400 for a field that can't be read.
    static func digests(of fields: HTTPFields) throws(ProblemDetails) -> [Digest] {
        var all: [Digest] = []
        for name in [HTTPField.Name.contentDigest, .reprDigest] {
            guard let value = fields[name] else { continue }
            guard let field = DigestField(value) else { throw .badRequest("The \(name) field can't be read.") }
            all += field.values.filter { DigestAlgorithms.digest(named: $0.algorithm) != nil }.map { value in
                Digest(algorithm: value.algorithm, bytes: value.bytes, field: name)
            }
        }
        if let value = fields[.contentMD5] {
            guard let bytes = Base64.decode(value), bytes.count == 16 else {
                throw .badRequest("The Content-MD5 field can't be read.")
            }
            all.append(Digest(algorithm: MD5Digest.algorithm, bytes: bytes, field: .contentMD5))
        }
        return all
    }

    mutating func update(_ buffer: ByteBuffer) {
        for index in self.running.indices { self.running[index].digest.update(buffer.readableBytesSpan) }
    }

    /// 400 if a digest of the body differs from the announced one; `nil` if all are equal.
    var mismatch: ProblemDetails? {
        for one in self.running where one.digest.finalized() != one.expected.bytes {
            return .badRequest(
                "The body doesn't match its \(one.expected.field) (\(one.expected.algorithm)): send it again. "
                    + "None of it was kept.")
        }
        return nil
    }
}

/// A body whose digests are computed while it is read. Reading can continue after its reader has stopped: there may be
/// more bytes after a form's close delimiter.
actor CheckedBody<Base: AsyncSequence & Sendable> where Base.Element == ByteBuffer {
    private var iterator: Base.AsyncIterator
    private var check: BodyCheck
    private let limit: Int64
    private var count: Int64 = 0

    /// - Parameter limit: The most bytes the body may have.
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
                "The body has more than \(self.limit, "byte").", at: nil)
        }
        return buffer
    }

    /// Reads the remaining bytes and compares the digests.
    /// - Throws: 400 if the body doesn't match its digests, and the errors of the body.
    func finish() async throws {
        while try await self.next() != nil {}
        // Swift 6.3.1's optimizer crashes on a typed error that is thrown on from here.
        if let mismatch = self.check.mismatch { throw mismatch }
    }

    /// The same bytes as a sequence.
    nonisolated var chunks: Unfolded<Void, ByteBuffer> { Unfolded(()) { _ in try await self.next() } }
}

/// What a closure makes of a state, one after another: one type for every source.
struct Unfolded<State: Sendable, Element: Sendable>: AsyncSequence, Sendable {
    typealias Step = @Sendable (inout State) async throws -> Element?

    private let start: State
    private let step: Step

    /// - Parameter start: The state at the beginning of each iteration.
    init(_ start: State, _ step: @escaping Step) { (self.start, self.step) = (start, step) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var state: State
        fileprivate let step: Step

        mutating func next() async throws -> Element? { try await self.step(&self.state) }
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await self.step(&self.state)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(state: self.start, step: self.step) }
}
