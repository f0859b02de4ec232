#if NIO
import NIOCore
import NIOHTTP1

/// Frames each answer as its request can take it (RFC 9112 section 6), which behind the codec nobody knows any more: what
/// `HEAD` gets has no content, whatever its header section says, and who speaks HTTP/1.0 knows neither chunks nor
/// expectations.
final class ServerFramingHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Asker {
        var isHeadOnly: Bool
        var isOld: Bool
        var keepsAlive: Bool
    }

    /// Who waits for an answer, in order.
    private var askers = CircularBuffer<Asker>()
    private var hasContent = true
    private var endsConnection = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let isOld = (head.version.major, head.version.minor) < (1, 1)
        self.askers.append(Asker(isHeadOnly: head.method == .HEAD, isOld: isOld, keepsAlive: head.isKeepAlive))
        if isOld {
            // RFC 9110 section 10.1.1.
            head.headers.remove(name: "Expect")
            // RFC 9112 section 9.3.
            if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        }
        context.fireChannelRead(self.wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head):
            self.frame(&head)
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .body where !self.hasContent: promise?.succeed()
        case .body: context.write(data, promise: promise)
        case .end:
            guard self.endsConnection else { return context.write(data, promise: promise) }
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
        }
    }

    private func frame(_ head: inout HTTPResponseHead) {
        head.headers.remove(name: "Transfer-Encoding")
        guard head.status.code >= 200 else { return head.headers.remove(name: "Content-Length") }
        // What is no request has no asker.
        let asker = self.askers.popFirst() ?? Asker(isHeadOnly: false, isOld: false, keepsAlive: false)
        self.hasContent = !asker.isHeadOnly && head.status.mayHaveResponseBody
        if !head.status.mayHaveResponseBody { head.headers.remove(name: "Content-Length") }
        let isEndless = self.hasContent && !head.headers.contains(name: "Content-Length")
        self.endsConnection = isEndless && asker.isOld
        if self.endsConnection {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        } else if isEndless {
            head.headers.add(name: "Transfer-Encoding", value: "chunked")
        } else if asker.isOld, asker.keepsAlive, !head.headers.contains(name: "Connection") {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
    }
}

@available(*, unavailable)
extension ServerFramingHandler: Sendable {}
#endif
