#if NIO
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers `Expect: 100-continue` (RFC 9110 section 10.1.1) when the body is wanted, and not before, so that an upload
/// can be refused before it is sent.
///
/// Add it between the HTTP codec and the handlers that serve requests. A server that begins to read a body triggers
/// ``BodyWanted`` on the channel. If the answer comes first, the client may send the body or not; so the answer says
/// `Connection: close`, and the connection is closed after it.
package final class ExpectContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    /// The outbound user event that a server triggers when it begins to read a request's body; it may be triggered
    /// repeatedly.
    package struct BodyWanted: Sendable {
        /// The event.
        package init() {}
    }

    /// The request parts that arrive.
    package typealias InboundIn = HTTPRequestPart
    /// The same parts.
    package typealias InboundOut = HTTPRequestPart
    /// The response parts that are sent.
    package typealias OutboundIn = HTTPResponsePart
    /// The same parts, and 100 answers.
    package typealias OutboundOut = HTTPResponsePart

    private enum Expectation {
        /// The client doesn't wait.
        case none
        /// The client waits before it sends its body. → none, refused
        case waiting
        /// The client was answered before its body was wanted; the connection ends after the answer.
        case refused
    }

    /// One for each request that hasn't been answered, in order: more requests may have arrived after the one being
    /// served.
    private var expectations = CircularBuffer<Expectation>()

    /// A handler for one connection.
    package init() {}

    /// Looks for the expectation, and for a body that is sent without waiting.
    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.expectations.append(head.expectsContinue ? .waiting : .none)
        // Only the last request's body can be arriving.
        case .body, .end:
            if let last = self.expectations.indices.last, case .waiting = self.expectations[last] {
                self.expectations[last] = .none
            }
        }
        context.fireChannelRead(data)
    }

    /// Sends 100 if the client waits for it.
    package func triggerUserOutboundEvent(
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

    /// Closes the connection with an answer that comes before the body was wanted.
    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch (self.unwrapOutboundIn(data), self.expectations.first) {
        case (.head(var head), .waiting) where head.status.kind != .informational:
            self.expectations[self.expectations.startIndex] = .refused
            head.headerFields[.connection] = "close"
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case (.end, .refused):
            self.expectations.removeFirst()
            context.writeAndFlush(data, promise: promise)
            // The answer is sent; a body that still arrives is not read.
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
