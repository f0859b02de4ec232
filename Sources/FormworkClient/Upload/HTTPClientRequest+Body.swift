#if Client
import AsyncHTTPClient
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import FormworkValues
import NIOCore
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPClientRequest.Body {
    /// A planned body, with an exact length where that is known, and in chunks else.
    ///
    /// Memory stays flat whatever the server's pace: AsyncHTTPClient alone queues what a fast source gives until its event
    /// loop gets to it. The client loses this body where it would have to be sent again, which is what
    /// `HTTPClient.upload(_:with:options:)` is for.
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
    /// A feed for a client that lets go of buffers once they are sent.
    convenience init(_ plan: BodyPlan, options: ReaderOptions) {
        self.init(plan, size: 256 << 10, isBounded: true, options: options)
    }

    /// The same for a stretch of a body.
    /// - Throws: What ``BodyReader/seek(to:)`` throws.
    convenience init(_ body: ExchangeBody, options: ReaderOptions) throws {
        let reader = try body.plan.makeReader(from: body.offset, count: body.count, options: options)
        self.init(reader, of: body.plan, length: body.length, size: 256 << 10, isBounded: true)
    }
}

/// A feed as the sequence that AsyncHTTPClient takes.
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
    /// Gives the request a planned body, its `Content-Type`, and its `Content-Length` where that is known.
    ///
    /// `GET` becomes `POST`. See ``AsyncHTTPClient/HTTPClientRequest/Body/formwork(_:options:)`` for what the client does
    /// with it.
    public mutating func setBody(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.describeBody(plan, isChunked: false)
        self.body = .formwork(plan, options: options)
    }

    /// Sets what the header section says of the body.
    mutating func describeBody(_ plan: BodyPlan, isChunked: Bool) {
        if self.method == .GET { self.method = .POST }
        self.headers.describeBody(plan, isChunked: isChunked || plan.contentLength == nil)
    }

    /// The request that a redirect asks for, and whether the body is sent again; `nil` if the answer is not a redirect to http
    /// or https, or leads from https to http.
    func redirected(by response: HTTPClientResponse) -> (request: HTTPClientRequest, keepsBody: Bool)? {
        guard
            let redirection = Redirection(
                status: Int(response.status.code), method: self.method.rawValue, of: URL(string: self.url),
                location: response.headers.first(name: "Location")), !redirection.leavesTLS
        else { return nil }
        var next = self
        next.url = redirection.target
        for (name, _) in self.headers where !redirection.keeps(field: name) { next.headers.remove(name: name) }
        guard !redirection.keepsBody else { return (next, true) }
        next.method = .GET
        next.body = nil
        return (next, false)
    }

    /// A 401 of this request's.
    func challenge(_ response: HTTPClientResponse) -> UploadAuthentication.Challenge {
        UploadAuthentication.Challenge(url: self.url) { response.headers[$0] }
    }

    /// Whether the other request goes to the same scheme, host and port (RFC 6454).
    func hasOrigin(of other: HTTPClientRequest) -> Bool {
        guard let origin = URL(string: self.url)?.origin else { return false }
        return origin == URL(string: other.url)?.origin
    }
}
#endif
