import Formwork
import HTTPTypes
import Hummingbird
import NIOCore

/// Refuses bodies above a size with 413, for all routes after it and all kinds of bodies.
///
/// A body with a known length is refused before it is read, one in chunks at the first byte beyond the limit.
///
/// ```swift
/// router.group("avatars").add(middleware: BodyLimitMiddleware(maximumBytes: 1 << 20))
/// ```
public struct BodyLimitMiddleware<Context: RequestContext>: RouterMiddleware {
    private let limit: Int64

    /// - Parameter maximumBytes: The most bytes a body may have; values below 0 count as 0.
    public init(maximumBytes: Int64) {
        self.limit = max(0, maximumBytes)
    }

    /// Checks the length, or counts the chunks.
    /// - Throws: ``FormworkError/Code/limitExceeded``.
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let length = request.headers[.contentLength].flatMap({ Int64($0) }) {
            guard length <= self.limit else { throw LimitedBody.exceeded(self.limit) }
            return try await next(request, context)
        }
        var request = request
        request.body = RequestBody(asyncSequence: LimitedBody(base: request.body, limit: self.limit))
        return try await next(request, context)
    }
}

/// A body that fails at the first byte beyond the limit.
private struct LimitedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let limit: Int64

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let limit: Int64
        var left: Int64

        mutating func next() async throws -> ByteBuffer? {
            guard let chunk = try await self.base.next(isolation: #isolation) else { return nil }
            self.left -= Int64(chunk.readableBytes)
            guard self.left >= 0 else { throw LimitedBody.exceeded(self.limit) }
            return chunk
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: self.base.makeAsyncIterator(), limit: self.limit, left: self.limit)
    }

    static func exceeded(_ limit: Int64) -> FormworkError {
        ParsingFailure(.totalBytesLimit, limit: limit)
            .error("The body has more than \(limit, "byte") (BodyLimitMiddleware).", at: nil)
    }
}
