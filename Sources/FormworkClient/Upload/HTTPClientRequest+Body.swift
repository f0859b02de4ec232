import AsyncHTTPClient
import FormworkEssentials
import FormworkValues
import NIOCore
import NIOHTTP1

extension HTTPClientRequest.Body {
    /// A planned body, with its exact length if that is known, otherwise in chunks.
    ///
    /// Memory stays bounded at any speed of the server; without this, AsyncHTTPClient queues all bytes of a fast source
    /// until its event loop handles them. The client can't send this body again after a redirect or a 401; use
    /// `HTTPClient.upload(_:with:options:)` for that.
    public static func formwork(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) -> Self {
        .stream(
            FedBuffers(makeFeed: { BufferFeed(plan, options: options) }),
            length: plan.contentLength.map { .known($0) } ?? .unknown)
    }
}

extension BufferFeed {
    /// Creates a feed for a client that releases buffers after they were sent.
    convenience init(_ plan: BodyPlan, options: ReaderOptions) {
        self.init(BodyReader(plan, options: options), of: plan, length: plan.contentLength)
    }

    /// Creates a feed for a part of a body.
    /// - Throws: What ``BodyReader/seek(to:)`` throws.
    convenience init(_ body: ExchangeBody, options: ReaderOptions) throws {
        let reader = try body.plan.makeReader(from: body.offset, count: body.count, options: options)
        self.init(reader, of: body.plan, length: body.length)
    }
}

/// A feed as the sequence that AsyncHTTPClient accepts. It reports its bytes before the client gets them.
struct FedBuffers: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    let makeFeed: @Sendable () -> BufferFeed
    /// Where the feed begins in the whole body.
    var offset: Int64 = 0
    var hooks = ExchangeHooks()

    struct AsyncIterator: AsyncIteratorProtocol {
        let buffers: FedBuffers
        let feed: BufferFeed
        var isBegun = false

        mutating func next() async throws -> ByteBuffer? {
            if !self.isBegun { self.buffers.hooks.reading() }
            self.isBegun = true
            let buffer = try await self.feed.next()
            let end = self.buffers.offset + self.feed.count
            if buffer == nil { self.buffers.hooks.ended(end) } else { self.buffers.hooks.sending(end) }
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffers: self, feed: self.makeFeed()) }
}

extension HTTPClientRequest {
    /// Sets a planned body, its `Content-Type`, and its `Content-Length` if that is known.
    ///
    /// `GET` becomes `POST`. See ``AsyncHTTPClient/HTTPClientRequest/Body/formwork(_:options:)`` for the client's
    /// limits.
    public mutating func setBody(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        if self.method == .GET { self.method = .POST }
        self.headers.describeBody(plan, isChunked: plan.contentLength == nil)
        self.body = .formwork(plan, options: options)
    }
}

extension HTTPClientRequest {
    /// Checks what AsyncHTTPClient crashes for, a port beyond 65535, and what its error doesn't explain.
    /// - Throws: `invalidArgument`.
    func checkURL() throws(FormworkError) {
        guard let url = URL(text: self.url) else { return }
        guard !url.hasImpossiblePort else {
            throw FormworkError(.invalidArgument, "the request's URL has a port that isn't a number from 1 to 65535")
        }
        guard let scheme = url.scheme?.lowercased(), !Self.schemes.contains(scheme) else { return }
        throw FormworkError(
            .invalidArgument, "the request's URL begins with \(scheme):, but the client sends with http or https")
    }

    private static let schemes = ["http", "https", "unix", "http+unix", "https+unix"]
}
