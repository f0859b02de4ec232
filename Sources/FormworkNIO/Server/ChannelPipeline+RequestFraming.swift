#if NIO
import NIOCore
import NIOHTTP1

extension ChannelPipeline.SynchronousOperations {
    /// Has NIO's decoder and encoder of HTTP/1 give way to ``RequestDecodingHandler`` and ``ServerFramingHandler``. Nothing
    /// happens in a pipeline without them, say of a stream of HTTP/2.
    /// - Throws: What NIO throws for a pipeline that is gone.
    package func useRequestFraming(
        limits: NIOHTTPDecoderLimitConfiguration = NIOHTTPDecoderLimitConfiguration()
    ) throws {
        guard let decoder = try? self.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self) else {
            return
        }
        let place = RequestPlace()
        var handlers: [any ChannelHandler] = []
        if let encoder = try? self.context(handlerType: HTTPResponseEncoder.self) {
            // Each answer is framed once, by who knows its request.
            var configuration = HTTPResponseEncoder.Configuration()
            configuration.automaticallySetFramingHeaders = false
            handlers.append(HTTPResponseEncoder(configuration: configuration))
            _ = self.removeHandler(context: encoder)
        }
        handlers += [RequestDecodingHandler(place, limits: limits), ServerFramingHandler(place)]
        try self.addHandlers(handlers, position: .after(decoder.handler))
        _ = self.removeHandler(context: decoder)
    }
}

/// Does so where it is added, behind the codec, and goes: for who adds handlers alone.
package final class RequestFramingSetup: ChannelInboundHandler, RemovableChannelHandler {
    /// Nothing of it is looked at.
    package typealias InboundIn = NIOAny

    private let limits: NIOHTTPDecoderLimitConfiguration

    /// - Parameter limits: The decoder's.
    package init(limits: NIOHTTPDecoderLimitConfiguration = NIOHTTPDecoderLimitConfiguration()) { self.limits = limits }

    /// Changes the pipeline.
    package func handlerAdded(context: ChannelHandlerContext) {
        do {
            try context.pipeline.syncOperations.useRequestFraming(limits: self.limits)
        } catch {
            context.fireErrorCaught(error)
        }
        _ = context.pipeline.syncOperations.removeHandler(context: context)
    }
}

@available(*, unavailable)
extension RequestFramingSetup: Sendable {}
#endif
