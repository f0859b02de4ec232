#if Hummingbird
import FormworkHummingbirdCore
import FormworkNIO
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOHTTP1

extension HTTPServerBuilder {
    /// An HTTP/1.1 server that answers `Expect: 100-continue` (RFC 9110 section 10.1.1) only when a handler begins to
    /// read the body.
    ///
    /// Before every body above 1 MiB, curl waits up to a second for that answer. An upload that is refused because of its
    /// header section is refused before it is sent. The connection is closed then, since the client may send the body
    /// or not.
    ///
    /// ```swift
    /// let app = Application(router: router, server: .http1ExpectContinue())
    /// ```
    ///
    /// Heads that a server must refuse by RFC 9112 are refused with 400, which NIO's decoder alone doesn't do. An
    /// upgrade request (`Connection: Upgrade`, RFC 9110 section 7.8) is answered as an ordinary request; after one,
    /// `.http1` answers nothing more on its connection.
    ///
    /// A connection ends two seconds after the server has closed its side. With `.http1`, one whose body was not read to its
    /// end, because of a deadline for instance, stays open until its `idleTimeout`, which is off by default.
    ///
    /// Up to 256 KiB of a body are read at once if there are few connections, and 64 KiB, as with `.http1`, if there are many.
    ///
    /// Routes made with `resumableUploads(_:in:complete:)` use it to send 104 answers.
    ///
    /// It can be used like `.http1`, so `.tls(.http1ExpectContinue(), tlsConfiguration: …)` adds TLS.
    /// - Parameter configuration: The server's configuration, as for `.http1`.
    public static func http1ExpectContinue(configuration: HTTP1Channel.Configuration = .init()) -> HTTPServerBuilder {
        var configuration = configuration
        let handlers = configuration.additionalChannelHandlers
        configuration.additionalChannelHandlers = {
            [LingeringCloseHandler(), RefusalAsParserError(), ExpectContinueHandler()] + handlers()
        }
        return HTTPServerBuilder { [configuration] responder in
            FramedHTTP1Channel(
                responder: Self.announcingReads(to: responder), configuration: configuration, reads: .shared)
        }
    }

    /// A responder whose requests notify the channel's ``ExpectContinueHandler`` when their bodies are first read, and
    /// whose handlers can find the channel.
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

/// Turns a refused head into an error that Hummingbird answers with 400.
private final class RefusalAsParserError: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error is HeadRefusal ? HTTPParserError.unknown : error)
    }
}

/// A body that notifies its channel when its first chunk is asked for.
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
