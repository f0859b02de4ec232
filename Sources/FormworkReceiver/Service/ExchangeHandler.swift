#if Transfer
    import HTTPTypes
    import NIOCore
    import NIOHTTPTypes

    /// Watches over the requests of one connection, on its event loop: what costs nothing there would cost tasks elsewhere.
    ///
    /// - A head that doesn't come in time ends the connection; a body that stops, or trickles, fails with ``BodyTimeout``.
    /// - Of a body that was answered before its end only a little is still read, and thrown away: then the connection ends.
    ///   It isn't closed at once, because unread bytes at a close would take the answer with them (RFC 9112 §9.6).
    /// - After an answer with `Connection: close` the connection is closed, whatever the client does.
    final class ExchangeHandler: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias InboundOut = HTTPRequestPart
        typealias OutboundIn = HTTPResponsePart
        typealias OutboundOut = HTTPResponsePart

        /// Bytes read of a body that was answered before its end.
        static let drainBytes = 1 << 20
        /// How long is waited for the end of such a body, and for a client to close.
        static let drainTime = TimeAmount.seconds(2)

        private enum Phase {
            /// Between requests, or in a head.
            case head
            case body(PaceMeter)
            /// The body is whole, its answer not yet.
            case answering
            /// The answer is out, the body isn't whole.
            case draining(bytes: Int)
            case closing
        }

        private let pace: ReceivingPace
        private let reads: ReadSizes
        private var phase = Phase.head
        private var headSince = NIODeadline.now()
        private var closesAfterAnswer = false
        private var isAnswered = false
        private var timer: RepeatedTask?
        private var lastCall: Scheduled<Void>?

        init(_ pace: ReceivingPace, _ reads: ReadSizes) { (self.pace, self.reads) = (pace, reads) }

        func handlerAdded(context: ChannelHandlerContext) {
            self.reads.opened()
            if !context.channel.isHTTP2Stream {
                _ = context.channel.setOption(.recvAllocator, value: ReadAllocator(self.reads))
            }
            self.headSince = .now()
            let idle = TimeAmount(self.pace.idleTime)
            let step = TimeAmount.nanoseconds(max(1_000_000, idle.nanoseconds / 4))
            let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            self.timer = context.eventLoop.scheduleRepeatedTask(initialDelay: step, delay: step) { _ in
                let (handler, context) = loopBound.value
                handler.check(context)
            }
        }

        func handlerRemoved(context: ChannelHandlerContext) {
            self.timer?.cancel()
            self.lastCall?.cancel()
            self.reads.closed()
        }

        // MARK: what comes

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch (self.unwrapInboundIn(data), self.phase) {
            case (_, .closing): return
            case (.head, _):
                self.phase = .body(PaceMeter(self.pace, now: .now()))
                (self.isAnswered, self.closesAfterAnswer) = (false, false)
            case (.body(let bytes), .body(var meter)):
                meter.took(bytes.readableBytes, at: .now())
                self.phase = .body(meter)
            case (.body(let bytes), .draining(let before)):
                let count = before + bytes.readableBytes
                self.phase = .draining(bytes: count)
                if count > Self.drainBytes { self.closeNow(context) }
                return
            case (.body, _): break
            case (.end, .draining):
                if self.closesAfterAnswer { self.phase = .closing } else { self.waitForHead() }
            case (.end, _): self.phase = .answering
            }
            context.fireChannelRead(data)
        }

        func read(context: ChannelHandlerContext) {
            if case .body(var meter) = self.phase {
                meter.wants(at: .now())
                self.phase = .body(meter)
            }
            context.read()
        }

        // MARK: what goes

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            switch self.unwrapOutboundIn(data) {
            case .head(let head) where head.status.kind != .informational:
                self.closesAfterAnswer = head.headerFields[.connection] == "close"
            case .end: self.isAnswered = true
            default: break
            }
            context.write(data, promise: promise)
        }

        func flush(context: ChannelHandlerContext) {
            context.flush()
            guard self.isAnswered else { return }
            self.isAnswered = false
            switch self.phase {
            case .body:
                self.phase = .draining(bytes: 0)
                if self.closesAfterAnswer { context.close(mode: .output, promise: nil) }
                self.closeLater(context)
                // Whoever waits for the body's rest may not ask for it any more.
                context.read()
            case .answering where self.closesAfterAnswer:
                self.phase = .closing
                context.close(mode: .output, promise: nil)
                self.closeLater(context)
            case .answering: self.waitForHead()
            default: break
            }
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            context.fireChannelReadComplete()
            if case .draining = self.phase { context.read() }
        }

        // MARK: time

        private func waitForHead() {
            self.lastCall?.cancel()
            (self.phase, self.headSince) = (.head, .now())
        }

        private func check(_ context: ChannelHandlerContext) {
            switch self.phase {
            case .head:
                if .now() - self.headSince >= TimeAmount(self.pace.idleTime) { self.closeNow(context) }
            case .body(var meter):
                let isLate = meter.isLate(at: .now())
                self.phase = .body(meter)
                if isLate { context.fireErrorCaught(BodyTimeout()) }
            case .answering, .draining, .closing: break
            }
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
            self.phase = .closing
            context.close(promise: nil)
        }
    }

    extension Channel {
        /// Whether this is a stream of an HTTP/2 connection, which has a parent like every connection, and a grandparent.
        var isHTTP2Stream: Bool { self.parent?.parent != nil }
    }
#endif
