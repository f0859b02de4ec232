#if NIO
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 section 10.1.1) when the body is wanted, and not before: a refused upload is
/// refused before it is sent.
///
/// It stands between the HTTP codec and whoever serves requests. Who begins to read a body triggers ``BodyWanted`` on the
/// channel. When the answer comes first, the client may send the body or not, so the connection says `close` and ends
/// with the answer.
public final class ExpectContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    /// The outbound user event of who begins to read a request's body; any number of times.
    public struct BodyWanted: Sendable {
        /// The event.
        public init() {}
    }

    /// The request parts that come.
    public typealias InboundIn = HTTPRequestPart
    /// The same parts.
    public typealias InboundOut = HTTPRequestPart
    /// The response parts that go.
    public typealias OutboundIn = HTTPResponsePart
    /// The same parts, and 100.
    public typealias OutboundOut = HTTPResponsePart

    private enum Expectation {
        /// Nobody waits.
        case none
        /// The client waits with its body. → none, refused
        case waiting
        /// The client was answered before its body was wanted; the connection ends behind the answer.
        case refused
    }

    /// Of the requests that aren't answered yet, in order: more may have come behind the one that is being served.
    private var expectations = CircularBuffer<Expectation>()

    /// A handler for one connection.
    public init() {}

    /// Looks for the expectation, and for a body that comes without waiting.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.expectations.append(head.expectsContinue ? .waiting : .none)
        // Only the last one's body can be on its way.
        case .body, .end:
            if let last = self.expectations.indices.last, case .waiting = self.expectations[last] {
                self.expectations[last] = .none
            }
        }
        context.fireChannelRead(data)
    }

    /// Sends 100 where it is waited for.
    public func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        guard let first = self.expectations.indices.first, case .waiting = self.expectations[first] else {
            promise?.succeed()
            return
        }
        self.expectations[first] = .none
        let head = HTTPResponse(status: .continue)
        context.writeAndFlush(self.wrapOutboundOut(.head(head)), promise: promise)
    }

    /// Ends the connection with an answer that comes before the body was wanted.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch (self.unwrapOutboundIn(data), self.expectations.first) {
        case (.head(var head), .waiting) where head.status.kind != .informational:
            self.expectations[self.expectations.startIndex] = .refused
            head.headerFields[.connection] = "close"
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case (.end, .refused):
            self.expectations.removeFirst()
            context.writeAndFlush(data, promise: promise)
            // The answer goes out, and what is still to come is left to its sender.
            context.close(mode: .output, promise: nil)
        case (.end, .some):
            self.expectations.removeFirst()
            context.write(data, promise: promise)
        default: context.write(data, promise: promise)
        }
    }
}

@available(*, unavailable)
extension ExpectContinueHandler: Sendable {}

extension HTTPRequest {
    /// Whether the client waits for 100 (RFC 9110 section 10.1.1).
    var expectsContinue: Bool {
        self.headerFields[values: .expect].contains { value in
            value.split(separator: ",").contains {
                $0.trimmingPrefix(while: \.isWhitespace).lowercased().hasPrefix("100-continue")
            }
        }
    }
}
#endif
