import NIOCore
import NIOHTTPTypes

/// Records the answer as soon as it arrives, before any task wakes up for it: whether the body may be sent, and how
/// much of it had been sent by then.
///
/// An early answer whose end is the connection's end stops the sending on the wire too: its server may read until then
/// before it closes.
final class ResponseHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPResponsePart
    typealias OutboundIn = HTTPRequestPart

    /// How long a server may be silent after it was signaled that no more bytes follow.
    private static let patience = TimeAmount.seconds(2)

    let ledger: ExchangeLedger
    private let hooks: ExchangeHooks
    /// Whether the server is asked before the body is sent.
    private let asks: Bool
    /// The last 104. Its reader may not have seen it when the answer comes.
    private var offer: HTTPResponse?
    private var lastRead = NIODeadline.now()
    /// How many parts of answers arrived.
    private(set) var partCount = 0
    private var check: Scheduled<Void>?

    init(_ ledger: ExchangeLedger, _ hooks: ExchangeHooks, asks: Bool) {
        (self.ledger, self.hooks, self.asks) = (ledger, hooks, asks)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.ledger.receive()
        self.lastRead = .now()
        self.partCount += 1
        guard case .head(let response) = self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if response.status.kind != .informational {
            let takesBody = UploadMachine.claimsBody(status: response.status.code)
            self.ledger.answer(
                takesBody: takesBody && !self.hooks.judgesEarly(response, self.offer),
                endsSending: !takesBody && !response.marksItsEnd)
            self.ledger.permit(false)
        } else if response.status.code == 104 {
            self.offer = response
        } else if response.status == .continue, self.asks, self.ledger.permit(true) {
            // Not when the pump runs: what follows on an answer mustn't depend on who is first.
            self.hooks.reading()
        }
        context.fireChannelRead(data)
        if self.ledger.endsSending { self.endSending(context) }
    }

    func read(context: ChannelHandlerContext) {
        self.ledger.read(true)
        context.read()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        self.ledger.read(false)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.ledger.permit(false)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.ledger.permit(false)
        self.check?.cancel()
    }

    /// Says that nothing more is sent. If nothing more is received either, the connection or stream is closed after a
    /// short time.
    private func endSending(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
        self.closeWhenQuiet(context, in: Self.patience)
    }

    private func closeWhenQuiet(_ context: ChannelHandlerContext, in time: TimeAmount) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.check = context.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            let silence = NIODeadline.now() - handler.lastRead
            // If the caller doesn't read the body, dropping bytes is harmless.
            let isReading = handler.ledger.isReading
            if isReading, silence >= Self.patience { return context.close(promise: nil) }
            handler.closeWhenQuiet(
                context, in: isReading ? Self.patience - silence : Self.patience)
        }
    }
}

extension HTTPResponse {
    /// Whether its fields, and not the connection's end, mark the end of the body (RFC 9112 section 6.3).
    fileprivate var marksItsEnd: Bool {
        self.headerFields[.contentLength] != nil || self.headerFields[.transferEncoding] != nil
            || self.status == .noContent || self.status == .notModified
    }
}
