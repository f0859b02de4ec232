import FormworkHummingbirdCore
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
    /// try await Application(router: router, server: .http1ExpectContinue()).runService()
    /// ```
    ///
    /// Heads that a server must refuse by RFC 9112 are refused with 400, which NIO's decoder alone doesn't do. An
    /// upgrade request (`Connection: Upgrade`, RFC 9110 section 7.8) is answered as an ordinary request; after one,
    /// `.http1` answers nothing more on its connection.
    ///
    /// A connection ends two seconds after the server has closed its side. With `.http1`, one whose body was not read to its
    /// end, because of a deadline for instance, stays open until its `idleTimeout`, which is off by default.
    ///
    /// A task that still reads the body after the route has answered gets an error. With `.http1` the program ends: there the
    /// server and the task read the same connection.
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
                responder: Self.asking(to: responder), configuration: configuration, reads: .shared)
        }
    }

    /// A responder that asks for each request's body when it is first read, and lets nobody read it after the answer. Its
    /// handlers can find the channel.
    private static func asking(
        to responder: @escaping HTTPChannelHandler.Responder
    ) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            var request = request
            let gate = BodyGate()
            request.body = RequestBody(
                asyncSequence: AskedBody(request.body, channel, asks: request.head.expectsContinue, gate: gate))
            var answering = Optional(writer)
            do {
                try await ServerChannel.$current.withValue(channel) { [request] in
                    guard let writer = answering.take() else { return }
                    try await responder(request, writer, channel)
                }
            } catch {
                // The connection ends: nothing else reads it.
                await gate.close(waits: false)
                throw error
            }
            // After `close` the server reads nothing more.
            await gate.close(waits: request.headers[.connection] != "close")
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

/// The connection or stream of the request that the current task answers, if the server provides it.
enum ServerChannel {
    @TaskLocal static var current: (any Channel)?
}
