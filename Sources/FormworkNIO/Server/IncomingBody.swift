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

    let base: Base

    /// Creates a body of these chunks.
    public init(_ base: Base) { self.base = base }

    /// Iterates over the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator

        /// The next chunk; `nil` at the end.
        public mutating func next() async throws -> ByteBuffer? { try await self.next(isolation: #isolation) }

        /// The next chunk; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            do {
                return try await self.base.next(isolation: actor)
            } catch let error as HeadRefusal {
                throw FormworkError(.malformedBody, error.problem.detail ?? error.problem.title, cause: error)
            } catch let error as HTTPParserError {
                throw FormworkError.cut(by: error)
            } catch let error as ChannelError {
                throw FormworkError.cut(by: error)
            } catch let error as IOError {
                throw FormworkError.cut(by: error)
            }
        }
    }

    /// Starts to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: self.base.makeAsyncIterator()) }
}

extension FormworkError {
    /// The error for a connection that ended, or for invalid HTTP framing.
    fileprivate static func cut(by error: any Error) -> FormworkError {
        FormworkError(.truncatedBody, "the connection ended before the body did", cause: error)
    }
}
#endif
