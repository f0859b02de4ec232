#if Hummingbird
import FormworkNIO
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1

extension HTTPServerBuilder {
    /// An HTTP/1.1 server that answers `Expect: 100-continue` (RFC 9110 section 10.1.1) when a handler begins to read the
    /// body, and not before.
    ///
    /// curl waits a second for it with every body above 1 MiB. An upload that is refused by its header section is refused
    /// before it is sent; the connection ends then, as the client may send it or not.
    ///
    /// ```
    /// let app = Application(router: router, server: .http1ExpectContinue())
    /// ```
    ///
    /// Heads that RFC 9112 has a server refuse are refused, 400, which NIO's decoder alone doesn't do. An offer to upgrade
    /// (`Connection: Upgrade`, RFC 9110 section 7.8) is ignored; after one, `.http1` answers nothing more on its connection.
    ///
    /// Routes made by `resumableUploads(_:in:complete:)` send their 104 answers by it.
    ///
    /// It is a server like `.http1`, so `.tls(.http1ExpectContinue(), tlsConfiguration: …)` is one with TLS.
    /// - Parameter configuration: The server's, as for `.http1`.
    public static func http1ExpectContinue(configuration: HTTP1Channel.Configuration = .init()) -> HTTPServerBuilder {
        var configuration = configuration
        let handlers = configuration.additionalChannelHandlers
        configuration.additionalChannelHandlers = { [RefusalAsParserError(), ExpectContinueHandler()] + handlers() }
        return HTTPServerBuilder { [configuration] responder in
            FramedHTTP1Channel(responder: Self.announcingReads(to: responder), configuration: configuration)
        }
    }

    /// A responder whose requests tell the channel's ``ExpectContinueHandler`` when their bodies are first read, and whose
    /// handlers find the channel.
    package static func announcingReads(
        to responder: @escaping HTTPChannelHandler.Responder
    ) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            var request = request
            if request.headers.contains(.expect) {
                request.body = RequestBody(asyncSequence: AnnouncedBody(base: request.body, channel: channel))
            }
            var answering = Optional(writer)
            try await ServerChannel.$current.withValue(channel) {
                guard let writer = answering.take() else { return }
                try await responder(request, writer, channel)
            }
        }
    }
}

/// Says of a refused head what Hummingbird answers 400 to.
private final class RefusalAsParserError: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error is HeadRefusal ? HTTPParserError.unknown : error)
    }
}

/// A body that tells its channel when its first chunk is asked for.
private struct AnnouncedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    let channel: any Channel

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        let channel: any Channel
        var isBegun = false

        mutating func next() async throws -> ByteBuffer? {
            if !self.isBegun {
                self.isBegun = true
                self.channel.triggerUserOutboundEvent(ExpectContinueHandler.BodyWanted(), promise: nil)
            }
            return try await self.base.next(isolation: #isolation)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: self.base.makeAsyncIterator(), channel: self.channel)
    }
}
#endif
