import FormworkHummingbirdCore
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// Supervises the requests of one connection, on its event loop, which is cheaper than doing so in tasks.
///
/// - A head that doesn't arrive in time closes the connection, as does an answer that isn't read. A body that stops or
///   trickles fails with ``BodyTimeout``, and one whose connection ends with ``ConnectionLost``.
/// - A request that arrives before the previous one was answered is held, and nothing more is read until then.
/// - If an answer comes before the body's end, only a little more of the body is read and discarded. The connection is
///   closed two seconds after the answer. It isn't closed at once, because unread bytes at a close would destroy the
///   answer (RFC 9112 §9.6), and a proxy that is still sending would report 502 in its place. An HTTP/2 stream is reset
///   with NO_ERROR instead, as soon as no more of the body is read: then the client keeps the answer, and stops sending
///   (RFC 9113 §8.1). Other streams of the connection continue.
/// - After an answer with `Connection: close`, or to a request with it, the connection is closed, whatever the client
///   does.
/// - An invalid request, or one that ``RequestHeadCheck`` refuses, is answered here, and its connection is closed.
final class ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// An event whose promise is kept once everything written has been sent.
    struct ResponseSent: Sendable {}

    /// How many bytes are read of a body that was answered before its end.
    static let drainBytes = 1 << 20
    /// How long to wait for the end of such a body, and for a client to close.
    static let drainTime = TimeAmount.seconds(2)
    /// The longest head that is accepted, by both versions of HTTP.
    static let headLimits = HTTP1Channel.Configuration.DecoderConfiguration()
    /// How many bytes of an answer are written at a time, to see whether the client reads them.
    static let writeBytes = 64 << 10

    private enum Phase {
        /// Between requests, or in a head: the last request ended, or the connection began, at this time.
        case head(since: NIODeadline)
        case body(PaceMeter)
        /// The body is complete; its answer hasn't been sent completely.
        case answering
        /// The answer has been sent; the body isn't complete.
        case draining(bytes: Int)
        /// As much of the body as allowed was discarded. Nothing more is read, and the connection closes soon.
        case drained
        case closing
    }

    private enum Held {
        case part(HTTPRequestPart)
        case inputClosed
        case error(any Error)
    }

    /// The answer to the current request.
    private struct Response {
        /// Whether the connection is closed after it.
        var closes = false
        /// Whether the request was answered here, and its body is not for the service.
        var isRefusal = false
        /// Whether its end was written, and everything written has been sent.
        var isSent = false
        var isFlushing = false
        var writes = PendingWrites()
        /// Whether a read waits for it.
        var holdsRead = false
    }

    private let pace: ReceivingPace
    private let reads: ReadSizes
    private let refused: @Sendable (HeadRefusal, any Channel) -> Void
    private var phase = Phase.head(since: .now())
    private var response = Response()
    /// Whether there was no request yet: its head may take less time.
    private var isFirst = true
    /// What arrived after a request that isn't answered yet: at most what was read together with its end.
    private var held = CircularBuffer<Held>()
    private var watch: ConnectionWatch?
    private var timer: RepeatedTask?
    private var lastCall: Scheduled<Void>?

    /// - Parameter refused: Called for each request that is refused here.
    init(
        _ pace: ReceivingPace, _ reads: ReadSizes,
        refused: @escaping @Sendable (HeadRefusal, any Channel) -> Void = { _, _ in }
    ) { (self.pace, self.reads, self.refused) = (pace, reads, refused) }

    /// How long a head may take.
    private var headTime: TimeAmount { TimeAmount(self.isFirst ? self.pace.headTime : self.pace.idleTime) }

    func handlerAdded(context: ChannelHandlerContext) {
        self.reads.opened()
        let connection = context.channel.isHTTP2Stream ? context.channel.parent : context.channel
        self.watch = try? connection?.pipeline.syncOperations.handler(type: ConnectionWatch.self)
        self.watch?.began(isStream: context.channel.isHTTP2Stream)
        if !context.channel.isHTTP2Stream {
            _ = context.channel.setOption(.recvAllocator, value: ReadAllocator(self.reads))
        }
        self.phase = .head(since: context.eventLoop.now)
        let step = TimeAmount.nanoseconds(max(1_000_000, self.headTime.nanoseconds / 4))
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleRepeatedTask(initialDelay: step, delay: step) { _ in
            let (handler, context) = loopBound.value
            handler.check(context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.lastCall?.cancel()
        self.response.writes.fail(ChannelError.ioOnClosedChannel)
        self.reads.closed()
        self.watch?.ended()
        self.watch = nil
    }

    // MARK: inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = self.unwrapInboundIn(data)
        if case (.head, .answering) = (part, self.phase) { return self.held.append(.part(part)) }
        guard self.held.isEmpty else { return self.held.append(.part(part)) }
        self.take(part, context)
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        var part = part
        switch (part, self.phase) {
        case (_, .closing), (_, .drained): return
        case (.head(var head), _):
            if context.channel.isHTTP2Stream {
                let limits = Self.headLimits
                do throws(HeadRefusal) {
                    try RequestHeadCheck.check(
                        &head, bytes: limits.maxHeaderListSize, fields: limits.maxHeaderFieldCount)
                } catch {
                    return self.refuse(error, context)
                }
                part = .head(head)
            }
            self.phase = .body(PaceMeter(self.pace, now: context.eventLoop.now))
            self.isFirst = false
            self.watch?.hasRequest(true)
            (self.response.isSent, self.response.closes) = (false, head.headerFields[.connection] == "close")
        case (.body(let bytes), .body(var meter)):
            meter.took(bytes.readableBytes, at: context.eventLoop.now)
            self.phase = .body(meter)
        case (.body(let bytes), .draining(let before)):
            let count = before + bytes.readableBytes
            self.phase = .draining(bytes: count)
            if count > Self.drainBytes { self.stopReading(context) }
            return
        case (.body, _): break
        case (.end, .draining):
            if self.response.isRefusal {
                self.phase = .closing
                return
            }
            if self.response.closes {
                self.phase = .closing
                context.close(mode: .output, promise: nil)
            } else {
                self.waitForHead(context)
            }
        case (.end, _): self.phase = .answering
        }
        context.fireChannelRead(self.wrapInboundOut(part))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard self.held.isEmpty else { return self.held.append(.error(error)) }
        self.fail(error, context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        switch (self.phase, error) {
        // The end of a stream that was reset here.
        case (.closing, let error as NIOHTTP2Errors.StreamClosed) where error.errorCode == .noError: break
        case (.head, let error as HeadRefusal): self.refuse(error, context)
        case (.head, let error as HTTPParserError): self.refuse(HeadRefusal(error), context)
        default: context.fireErrorCaught(error)
        }
    }

    /// Answers a request that never reaches the service.
    private func refuse(_ refusal: HeadRefusal, _ context: ChannelHandlerContext) {
        self.refused(refusal, context.channel)
        self.phase = .closing
        self.held.removeAll()
        let answer = ServiceResponse(refusal.problem, closes: true)
        let head = answer.head(isHTTP2: context.channel.isHTTP2Stream)
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(answer.body)), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        self.closeLater(context)
        if context.channel.isHTTP2Stream {
            // Closing its output would cancel the stream.
            (self.phase, self.response.isRefusal) = (.draining(bytes: 0), true)
            context.triggerUserOutboundEvent(BodyWanted(), promise: nil)
            context.read()
        } else {
            context.close(mode: .output, promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            guard self.held.isEmpty else { return self.held.append(.inputClosed) }
            self.reportLoss(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.held.removeAll()
        self.reportLoss(context)
        context.fireChannelInactive()
    }

    /// HTTP/2 ends streams with their connection as if they were complete, and the body's reader would mistake what
    /// arrived for the whole body.
    private func reportLoss(_ context: ChannelHandlerContext) {
        if case .body = self.phase { context.fireErrorCaught(ConnectionLost()) }
    }

    func read(context: ChannelHandlerContext) {
        if case .drained = self.phase { return }
        guard self.held.isEmpty else {
            self.response.holdsRead = true
            return
        }
        if case .body(var meter) = self.phase {
            meter.wants(at: context.eventLoop.now)
            self.phase = .body(meter)
        }
        context.read()
    }

    // MARK: outbound

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = self.unwrapOutboundIn(data)
        switch part {
        case .head(var head):
            if head.status.kind != .informational {
                if self.response.closes { head.headerFields[.connection] = "close" }
                self.response.closes = head.headerFields[.connection] == "close"
            }
            self.send(.head(head), promise, context)
        case .body(var bytes):
            while bytes.readableBytes > Self.writeBytes, let slice = bytes.readSlice(length: Self.writeBytes) {
                self.send(.body(slice), nil, context)
            }
            self.send(.body(bytes), promise, context)
        case .end: self.send(part, promise, context, isEnd: true)
        }
    }

    private func send(
        _ part: HTTPResponsePart, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext,
        isEnd: Bool = false
    ) {
        let promise = promise ?? context.eventLoop.makePromise()
        // An answer before the body's end is short, and its client may read it only after sending the whole body.
        let isEarly = if isEnd, case .body = self.phase { true } else { false }
        if isEarly { self.response.isSent = true }
        self.response.writes.began(at: context.eventLoop.now)
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        promise.futureResult.assumeIsolated().whenSuccess {
            let (handler, context) = loopBound.value
            handler.response.writes.ended(at: context.eventLoop.now)
            guard isEnd, !isEarly else { return }
            handler.response.isSent = true
            if !handler.response.isFlushing { handler.answered(context) }
        }
        context.write(self.wrapOutboundOut(part), promise: promise)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is ResponseSent else { return context.triggerUserOutboundEvent(event, promise: promise) }
        if let promise { self.response.writes.whenAllEnded(promise) }
    }

    func flush(context: ChannelHandlerContext) {
        self.response.isFlushing = true
        context.flush()
        self.response.isFlushing = false
        if self.response.isSent { self.answered(context) }
    }

    private func answered(_ context: ChannelHandlerContext) {
        self.response.isSent = false
        switch self.phase {
        case .body:
            self.phase = .draining(bytes: 0)
            context.triggerUserOutboundEvent(BodyWanted(), promise: nil)
            // Our side is closed after the body's end, if that comes soon: a client that still has its last chunk to
            // send may take a closed connection as the end of its own sending.
            self.closeLater(context)
            // The body's reader may have stopped reading.
            context.read()
        case .answering where self.response.closes:
            self.phase = .closing
            self.held.removeAll()
            self.readAgain(context)
            context.close(mode: .output, promise: nil)
            self.closeLater(context)
        case .answering:
            self.waitForHead(context)
            self.replay(context)
        default: break
        }
    }

    /// Delays closing the output until the body's end has arrived.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch self.phase {
        // A stream has no second request.
        case .draining where context.channel.isHTTP2Stream: break
        case .draining where mode == .output: self.response.closes = true
        case .drained where mode == .output: break
        default: return context.close(mode: mode, promise: promise)
        }
        promise?.succeed()
    }

    /// Handles what was held, up to the next request's end.
    private func replay(_ context: ChannelHandlerContext) {
        guard !self.held.isEmpty else { return }
        while let next = self.held.first {
            if case (.part(.head), .answering) = (next, self.phase) { break }
            self.held.removeFirst()
            switch next {
            case .part(let part): self.take(part, context)
            case .inputClosed: self.userInboundEventTriggered(context: context, event: ChannelEvent.inputClosed)
            case .error(let error): self.fail(error, context)
            }
        }
        context.fireChannelReadComplete()
        self.readAgain(context)
    }

    private func readAgain(_ context: ChannelHandlerContext) {
        guard self.response.holdsRead, self.held.isEmpty else { return }
        self.response.holdsRead = false
        self.read(context: context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if case .draining = self.phase { context.read() }
    }

    // MARK: time

    private func waitForHead(_ context: ChannelHandlerContext) {
        self.lastCall?.cancel()
        self.phase = .head(since: context.eventLoop.now)
        if !context.channel.isHTTP2Stream { self.watch?.hasRequest(false) }
    }

    private func check(_ context: ChannelHandlerContext) {
        let now = context.eventLoop.now
        switch self.phase {
        case .head(let since):
            if now - since >= self.headTime { self.closeNow(context) }
        case .body(var meter):
            let isLate = meter.isLate(at: now)
            self.phase = .body(meter)
            if isLate { context.fireErrorCaught(BodyTimeout()) }
        case .answering:
            if self.response.writes.areStuck(for: TimeAmount(self.pace.idleTime), at: now) { self.closeNow(context) }
        case .draining, .drained, .closing: break
        }
    }

    /// Ends our side of a connection whose client continues to send. The client has until the planned close to read the
    /// answer.
    private func stopReading(_ context: ChannelHandlerContext) {
        // The end of a stream doesn't destroy its answer.
        guard !context.channel.isHTTP2Stream else { return self.closeNow(context) }
        self.phase = .drained
        context.close(mode: .output, promise: nil)
    }

    private func closeLater(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.lastCall?.cancel()
        self.lastCall = context.eventLoop.scheduleTask(in: Self.drainTime) {
            let (handler, context) = loopBound.value
            handler.closeNow(context)
        }
    }

    private func closeNow(_ context: ChannelHandlerContext) {
        let isAnswered = if case .draining = self.phase { true } else { false }
        self.phase = .closing
        self.held.removeAll()
        if isAnswered, self.resetWithoutError(context) { return }
        context.close(promise: nil)
    }

    /// Ends a stream whose answer is complete, and whose body isn't. Closing it would reset it with CANCEL, which clients
    /// report as a failure.
    /// - Returns: Whether this is a stream.
    private func resetWithoutError(_ context: ChannelHandlerContext) -> Bool {
        guard context.channel.isHTTP2Stream,
            let codec = try? context.pipeline.syncOperations.context(
                handlerType: HTTP2FramePayloadToHTTPServerCodec.self)
        else { return false }
        codec.writeAndFlush(NIOAny(HTTP2Frame.FramePayload.rstStream(.noError)), promise: nil)
        return true
    }
}

/// The connection ended before the end of a body.
struct ConnectionLost: Error, CustomStringConvertible {
    var description: String { "the connection ended before the body did" }
}

extension Channel {
    /// Whether this is a stream of an HTTP/2 connection. A connection has a parent (the listener); a stream also has a
    /// grandparent.
    var isHTTP2Stream: Bool { self.parent?.parent != nil }
}
