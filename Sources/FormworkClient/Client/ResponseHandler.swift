import NIOCore
import NIOHTTPTypes

/// Records the answer as soon as it arrives, before any task wakes up for it: whether the body may be sent, and how
/// much of it had been sent by then.
///
/// An early answer whose end is the connection's end stops the sending on the wire too: its server may read until then
/// before it closes.
final class ResponseHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPResponsePart
    typealias InboundOut = HTTPResponsePart
    typealias OutboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPRequestPart

    /// How long a server may be silent after it was signaled that no more bytes follow.
    private static let patience = TimeAmount.seconds(2)

    private let ledger: ExchangeLedger
    /// Where the reader of the status line records its version.
    let versionNote: VersionNote
    /// Whether to send the body; `nil` if the server isn't asked.
    private let judgesEarly: ExchangeHooks.EarlyJudge
    /// The last 104. Its reader may not have seen it when the answer comes.
    private var offer: HTTPResponse?
    private var permission: EventLoopPromise<Bool>?
    private var lastRead = NIODeadline.now()
    /// How many parts of answers arrived.
    private(set) var partCount = 0
    private var check: Scheduled<Void>?

    /// - Parameter judgesEarly: ``ExchangeHooks/judgesEarly``
    init(
        _ ledger: ExchangeLedger, _ permission: EventLoopPromise<Bool>?, _ versionNote: VersionNote,
        judgesEarly: @escaping ExchangeHooks.EarlyJudge
    ) {
        (self.ledger, self.permission, self.judgesEarly) = (ledger, permission, judgesEarly)
        self.versionNote = versionNote
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.ledger.receive()
        self.lastRead = .now()
        self.partCount += 1
        guard case .head(let response) = self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        if response.status.kind != .informational {
            let takesBody = response.status.takesBody
            self.ledger.answer(
                takesBody: takesBody && !self.judgesEarly(response, self.offer),
                endsSending: !takesBody && !response.marksItsEnd)
            self.permit(false)
        } else if response.status.code == 104 {
            self.offer = response
        } else if response.status == .continue {
            self.permit(true)
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
        self.permit(false)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.permit(false)
        self.check?.cancel()
    }

    private func permit(_ isPermitted: Bool) {
        self.permission?.succeed(isPermitted)
        self.permission = nil
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
