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

        private enum State {
            /// Nobody expects anything. → expecting
            case idle
            /// A client waits with its body. → idle, refused
            case expecting
            /// A client was answered before its body was wanted; the connection ends behind the answer.
            case refused
        }

        private var state = State.idle

        /// A handler for one connection.
        public init() {}

        /// Looks for the expectation, and for a body that comes without waiting.
        public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch (self.unwrapInboundIn(data), self.state) {
            case (.head(let head), .idle): if head.expectsContinue { self.state = .expecting }
            case (.body, .expecting), (.end, .expecting): self.state = .idle
            default: break
            }
            context.fireChannelRead(data)
        }

        /// Sends 100 where it is waited for.
        public func triggerUserOutboundEvent(
            context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
        ) {
            guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
            guard case .expecting = self.state else {
                promise?.succeed()
                return
            }
            self.state = .idle
            let head = HTTPResponse(status: .continue)
            context.writeAndFlush(self.wrapOutboundOut(.head(head)), promise: promise)
        }

        /// Ends the connection with an answer that comes before the body was wanted.
        public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch (self.unwrapOutboundIn(data), self.state) {
            case (.head(var head), .expecting) where head.status.kind != .informational:
                self.state = .refused
                head.headerFields[.connection] = "close"
                context.write(self.wrapOutboundOut(.head(head)), promise: promise)
            case (.end, .refused):
                self.state = .idle
                context.writeAndFlush(data, promise: promise)
                // The answer goes out, and what is still to come is left to its sender.
                context.close(mode: .output, promise: nil)
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
