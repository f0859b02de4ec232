import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Hummingbird's HTTP/1.1 channel, with checked heads, and without its stop after an upgrade request.
package struct FramedHTTP1Channel: HTTPChannelHandler {
    package typealias Value = HTTP1Channel.Value

    package let responder: HTTPChannelHandler.Responder
    package let configuration: HTTP1Channel.Configuration
    private let reads: ReadSizes?

    /// - Parameter reads: How much is read at once; `nil` for NIO's sizes.
    package init(
        responder: @escaping HTTPChannelHandler.Responder, configuration: HTTP1Channel.Configuration = .init(),
        reads: ReadSizes? = nil
    ) { (self.responder, self.configuration, self.reads) = (responder, configuration, reads) }

    /// Like Hummingbird's own setup, except for the codec.
    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = self.configuration.httpDecoder.maxHeaderFieldSize
            limits.maxHeaderListSize = self.configuration.httpDecoder.maxHeaderListSize
            limits.maxHeaderFieldCount = self.configuration.httpDecoder.maxHeaderFieldCount
            if let reads = self.reads { try reads.apply(to: channel) }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addRequestFraming(limits: limits)
            try pipeline.addHandlers(self.configuration.additionalChannelHandlers())
            let idleTime = self.configuration.idleTimeout.map { Duration.nanoseconds($0.nanoseconds) }
            try pipeline.addHandler(HTTPConnectionStateHandler(idleTimeout: idleTime, logger: logger))
            return try Value(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    package func handle(value: Value, logger: Logger) async {
        await self.handleHTTP(asyncChannel: value, logger: logger)
    }
}
