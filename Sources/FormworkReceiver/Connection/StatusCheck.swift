#if Transfer
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Refuses answers with a status below 100, which AsyncHTTPClient takes for interim ones: at their end it stops the process.
private final class StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isRefused else { return }
        if case .head(let head) = self.unwrapInboundIn(data), head.status.code < 100 {
            self.isRefused = true
            return context.fireErrorCaught(HTTPParserError.invalidStatus)
        }
        context.fireChannelRead(data)
    }
}

extension HTTPClient.Configuration {
    /// Refuses answers of HTTP/1.1 with a status below 100.
    mutating func checkStatus() {
        self.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(StatusCheck(), position: .after(decoder))
            }
        }
    }
}
#endif
