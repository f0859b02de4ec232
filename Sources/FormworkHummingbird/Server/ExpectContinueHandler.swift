import FormworkHummingbirdCore
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Sends 100 only to a client that waits for it. If such a client is answered before its body was wanted, it may send the body
/// or not (RFC 9110 section 10.1.1); so the answer says `Connection: close`, and the connection is closed after it.
///
/// Add it after the codec of ``addRequestFraming(limits:)``, which decodes a request only after the one before it was answered.
final class ExpectContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Expectation {
        /// The client doesn't wait.
        case none
        /// The client waits before it sends its body. → none, refused
        case waiting
        /// The client was answered before its body was wanted; the connection ends after the answer.
        case refused
    }

    private var expectation = Expectation.none

    /// Looks for the expectation, and for a body that is sent without waiting.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (self.unwrapInboundIn(data), self.expectation) {
        case (.head(let head), _): self.expectation = head.expectsContinue ? .waiting : .none
        case (_, .waiting): self.expectation = .none
        default: break
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch (self.unwrapOutboundIn(data), self.expectation) {
        case (.head(let head), let expectation) where head.status == .continue:
            self.expectation = .none
            if expectation == .waiting { context.write(data, promise: promise) } else { promise?.succeed() }
        case (.head(var head), .waiting) where head.status.kind != .informational:
            self.expectation = .refused
            head.headerFields[.connection] = "close"
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case (.end, .refused):
            context.writeAndFlush(data, promise: promise)
            // The answer is sent; a body that still arrives is not read.
            context.close(mode: .output, promise: nil)
        default: context.write(data, promise: promise)
        }
    }
}

@available(*, unavailable)
extension ExpectContinueHandler: Sendable {}
