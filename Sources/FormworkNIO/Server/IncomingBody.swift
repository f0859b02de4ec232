#if NIO
import Formwork
import FormworkHTTP
import NIOCore
import NIOHTTP1

/// The body of a request that a server reads: the chunks from its connection, which can be iterated once.
///
/// If the connection ends before the body, the error is ``FormworkError/Code/truncatedBody``.
public struct IncomingBody<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == ByteBuffer {
    /// Bytes of the body, as the transport delivers them.
    public typealias Element = ByteBuffer

    @usableFromInline let base: Base
    /// Finds out why a body has no bytes: it returns the error for that, or `nil` for an empty body. It gets the iterator as
    /// it was before its first call. `nil` if there is nothing to find out.
    @usableFromInline package var emptiness: (@Sendable (Base.AsyncIterator) -> FormworkError?)?
    /// Asked before each iteration: returns the error of a body that can't be iterated any more. `nil` if all can be.
    @usableFromInline package var refusal: (@Sendable () -> FormworkError?)?

    /// Creates a body of these chunks.
    @inlinable
    public init(_ base: Base) { (self.base, self.emptiness, self.refusal) = (base, nil, nil) }

    /// Iterates over the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// `nil` if the body can't be iterated.
        @usableFromInline var base: Base.AsyncIterator?
        @usableFromInline let refusal: FormworkError?
        /// `nil` after the first call.
        @usableFromInline var emptiness: (@Sendable (Base.AsyncIterator) -> FormworkError?)?

        @inlinable
        init(_ body: IncomingBody) {
            self.refusal = body.refusal?()
            self.base = self.refusal == nil ? body.base.makeAsyncIterator() : nil
            self.emptiness = body.emptiness
        }

        /// The next chunk; `nil` at the end.
        @inlinable
        public mutating func next() async throws -> ByteBuffer? { try await self.next(isolation: #isolation) }

        /// The next chunk; `nil` at the end.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            if let refusal = self.refusal { throw refusal }
            guard let emptiness = self.emptiness, let unused = self.base else { return try await self.chunk(actor) }
            self.emptiness = nil
            if let chunk = try await self.chunk(actor) { return chunk }
            if let error = emptiness(unused) { throw error }
            return nil
        }

        @inlinable
        mutating func chunk(_ actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            do { return try await self.base?.next(isolation: actor) } catch { throw FormworkError.reading(error) }
        }
    }

    /// Starts to read.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension FormworkError {
    /// The error of a connection, as the error of a body.
    @usableFromInline
    static func reading(_ error: any Error) -> any Error {
        switch error {
        case let error as HeadRefusal:
            FormworkError(.malformedBody, error.problem.detail ?? error.problem.title, cause: error)
        case let error as HTTPParserError where HeadRefusal.isClients(error):
            FormworkError(
                .malformedBody, HeadRefusal(error).problem.detail ?? "the chunks aren't valid", cause: error)
        case is HTTPParserError, is ChannelError, is IOError:
            FormworkError(.truncatedBody, "the connection ended before the body did", cause: error)
        default: error
        }
    }
}
#endif
