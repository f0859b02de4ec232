#if NIO
import Formwork
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Enforces ``ServerBounds`` on one connection.
final class ServerBoundsHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Phase {
        /// Between requests, or in a head. → body
        case head
        /// → answering, draining
        case body
        /// The body is complete, its answer isn't. → head, closing
        case answering
        /// The answer has been sent; this many bytes of the body were discarded. → head, drained, closing
        case draining(bytes: Int)
        /// Nothing more of the body is read. Unread bytes at a close would destroy the answer, so it waits. → closing
        case drained
        case closing
    }

    private let bounds: ServerBounds
    private var phase = Phase.head
    private var pendingWrites = 0
    /// The time of the last progress in this phase.
    private var since = NIODeadline.now()
    /// Whether the server is waiting for bytes of the body.
    private var isReading = false
    private var isLast = false
    private var timer: RepeatedTask?

    init(_ bounds: ServerBounds) { self.bounds = bounds }

    func handlerAdded(context: ChannelHandlerContext) {
        self.since = context.eventLoop.now
        let shortest = min(self.bounds.headTime, self.bounds.idleTime, self.bounds.drainTime)
        let step = TimeAmount(bounding: shortest / 4)
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleRepeatedTask(initialDelay: step, delay: step) { _ in
            let (handler, context) = loopBound.value
            handler.check(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.timer?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let now = context.eventLoop.now
        switch (self.unwrapInboundIn(data), self.phase) {
        case (_, .closing), (_, .drained): return
        case (.head(let head), _):
            (self.phase, self.since, self.isReading) = (.body, now, false)
            self.isLast = head.headerFields.closesConnection
        case (.body(let bytes), .draining(let before)):
            let count = before + bytes.readableBytes
            self.phase = .draining(bytes: count)
            if count > self.bounds.drainBytes { return self.enter(.drained, now) }
        case (.body, _): (self.since, self.isReading) = (now, false)
        case (.end, .draining): self.enter(self.isLast ? .closing : .head, now)
        case (.end, _): self.enter(.answering, now)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if case .drained = self.phase { return }
        if case .body = self.phase, !self.isReading { (self.since, self.isReading) = (context.eventLoop.now, true) }
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = self.unwrapOutboundIn(data)
        if case .head(let head) = part, head.status.kind != .informational, head.headerFields.closesConnection {
            self.isLast = true
        }
        let isEnd = if case .end = part { true } else { false }
        let now = context.eventLoop.now
        // An invalid request is answered too.
        if isEnd, self.isLast, case .head = self.phase { self.enter(.closing, now) }
        if self.pendingWrites == 0, case .answering = self.phase { self.since = now }
        self.pendingWrites += 1
        let promise = promise ?? context.eventLoop.makePromise()
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            let (handler, context) = loopBound.value
            handler.pendingWrites -= 1
            handler.wrote(isEnd, context.eventLoop.now)
        }
        context.write(data, promise: promise)
        guard isEnd, case .body = self.phase else { return }
        self.enter(.draining(bytes: 0), now)
    }

    private func wrote(_ isEnd: Bool, _ now: NIODeadline) {
        switch self.phase {
        case .answering where isEnd: self.enter(self.isLast ? .closing : .head, now)
        case .answering, .draining: self.since = now
        case .head, .body, .drained, .closing: break
        }
    }

    private func enter(_ phase: Phase, _ now: NIODeadline) { (self.phase, self.since) = (phase, now) }

    private func check(_ context: ChannelHandlerContext) {
        let limit: Duration
        switch self.phase {
        case .head: limit = self.bounds.headTime
        case .body where self.isReading: limit = self.bounds.idleTime
        case .answering where self.pendingWrites > 0, .draining where self.pendingWrites > 0:
            limit = self.bounds.idleTime
        case .draining, .drained, .closing: limit = self.bounds.drainTime
        case .body, .answering: return
        }
        guard context.eventLoop.now - self.since >= TimeAmount(bounding: limit) else { return }
        guard case .body = self.phase else { return self.close(context) }
        // The body's reader gets the error, and may answer before the connection ends.
        self.enter(.closing, context.eventLoop.now)
        context.fireErrorCaught(
            FormworkError(.timedOut, "no more of the body arrived for \(self.bounds.idleTime)"))
    }

    private func close(_ context: ChannelHandlerContext) {
        self.phase = .closing
        context.close(promise: nil)
    }
}

extension HTTPFields {
    /// Whether the connection ends after this message (RFC 9112 section 9.6).
    var closesConnection: Bool {
        self[values: .connection].joined(separator: ",").lowercased()
            .split { $0 == "," || $0 == " " || $0 == "\t" }.contains("close")
    }
}

@available(*, unavailable)
extension ServerBoundsHandler: Sendable {}
#endif
