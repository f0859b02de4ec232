#if NIO
import Formwork
import FormworkHTTP
import NIOCore
import NIOHTTP1

/// The body of a request that a server reads: the chunks of its connection, iterated once.
///
/// A connection that ends before the body is ``FormworkError/Code/truncatedBody``.
public struct IncomingBody<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == ByteBuffer {
    /// Bytes of the body, as the transport gives them.
    public typealias Element = ByteBuffer

    let base: Base

    /// A body of these chunks.
    public init(_ base: Base) { self.base = base }

    /// Gives chunk after chunk.
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

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: self.base.makeAsyncIterator()) }
}

extension FormworkError {
    /// A connection that ended, or a framing of HTTP's that can't be followed.
    fileprivate static func cut(by error: any Error) -> FormworkError {
        FormworkError(.truncatedBody, "the connection ended before the body did", cause: error)
    }
}
#endif
