import AsyncHTTPClient
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import FormworkValues
import NIOCore
import NIOHTTP1

import FormworkEssentials

extension HTTPClientRequest.Body {
    /// A planned body, with its exact length if that is known, otherwise in chunks.
    ///
    /// Memory stays bounded at any speed of the server; without this, AsyncHTTPClient queues all bytes of a fast source
    /// until its event loop handles them. The client can't send this body again after a redirect or a 401; use
    /// `HTTPClient.upload(_:with:options:)` for that.
    public static func formwork(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) -> Self {
        .stream(FedBuffers { BufferFeed(plan, options: options) }, length: Length(of: plan, isChunked: false))
    }

    static func feed(_ feed: BufferFeed, of plan: BodyPlan, isChunked: Bool) -> Self {
        .stream(FedBuffers { feed }, length: Length(of: plan, isChunked: isChunked))
    }
}

extension HTTPClientRequest.Body.Length {
    init(of plan: BodyPlan, isChunked: Bool) {
        if !isChunked, let length = plan.contentLength { self = .known(length) } else { self = .unknown }
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

/// A feed as the sequence that AsyncHTTPClient accepts.
struct FedBuffers: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    let makeFeed: @Sendable () -> BufferFeed

    struct AsyncIterator: AsyncIteratorProtocol {
        let feed: BufferFeed
        mutating func next() async throws -> ByteBuffer? { try await self.feed.next() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: self.makeFeed()) }
}

extension HTTPClientRequest {
    /// Sets a planned body, its `Content-Type`, and its `Content-Length` if that is known.
    ///
    /// `GET` becomes `POST`. See ``AsyncHTTPClient/HTTPClientRequest/Body/formwork(_:options:)`` for the client's
    /// limits.
    public mutating func setBody(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.describeBody(plan, isChunked: false)
        self.body = .formwork(plan, options: options)
    }

    /// Sets the fields that describe the body.
    mutating func describeBody(_ plan: BodyPlan, isChunked: Bool) {
        if self.method == .GET { self.method = .POST }
        self.headers.describeBody(plan, isChunked: isChunked || plan.contentLength == nil)
    }

    /// The request that a redirect asks for, and whether the body is sent with it; `nil` if there is no redirect to
    /// follow. Redirects from https to http, and to other schemes, aren't followed.
    /// - Parameter isTrusted: Whether credentials may follow to another origin.
    func redirected(
        by response: HTTPClientResponse, isTrusted: Bool = false
    ) -> (request: HTTPClientRequest, keepsBody: Bool)? {
        guard
            let redirection = Redirection(
                status: Int(response.status.code), method: self.method.rawValue, of: URL(string: self.url),
                location: response.headers.first(name: "Location"), isTrusted: isTrusted), !redirection.leavesTLS
        else { return nil }
        var next = self
        next.url = redirection.target
        for (name, _) in self.headers where !redirection.keeps(field: name) { next.headers.remove(name: name) }
        guard !redirection.keepsBody else { return (next, true) }
        if next.method != .HEAD { next.method = .GET }
        next.body = nil
        return (next, false)
    }

    /// The challenge of a 401 to this request.
    func challenge(_ response: HTTPClientResponse) -> UploadAuthentication.Challenge {
        UploadAuthentication.Challenge(url: self.url) { response.headers[$0] }
    }

    /// Whether the other request goes to the same scheme, host and port (RFC 6454).
    func hasOrigin(of other: HTTPClientRequest) -> Bool {
        guard let origin = URL(string: self.url)?.origin else { return false }
        return origin == URL(string: other.url)?.origin
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
