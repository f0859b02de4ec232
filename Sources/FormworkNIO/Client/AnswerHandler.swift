#if NIO
    import HTTPTypes
    import NIOCore
    import NIOHTTPTypes

    /// Notes what comes, at the moment it comes and before anybody is woken for it: whether the body may go, and how much
    /// of it was out when the answer came.
    final class AnswerHandler: ChannelInboundHandler {
        typealias InboundIn = HTTPResponsePart
        typealias InboundOut = HTTPResponsePart

        private let ledger: ExchangeLedger
        /// Whether to send the body; `nil` when that isn't asked.
        private var permission: EventLoopPromise<Bool>?

        init(_ ledger: ExchangeLedger, _ permission: EventLoopPromise<Bool>?) {
            (self.ledger, self.permission) = (ledger, permission)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.ledger.receive()
            if case .head(let response) = self.unwrapInboundIn(data) {
                if response.status.kind != .informational {
                    self.ledger.answer()
                    self.permit(false)
                } else if response.status == .continue {
                    self.permit(true)
                }
            }
            context.fireChannelRead(data)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.permit(false)
            context.fireChannelInactive()
        }

        func handlerRemoved(context: ChannelHandlerContext) { self.permit(false) }

        private func permit(_ isPermitted: Bool) {
            self.permission?.succeed(isPermitted)
            self.permission = nil
        }
    }
#endif
