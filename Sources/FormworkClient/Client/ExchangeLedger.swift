import FormworkSystem

/// How much one exchange has sent, now and when its answer arrived. The event loop updates it, in the order of events
/// on the connection.
final class ExchangeLedger: Sendable {
    struct Answered: Sendable {
        var bytesSent: Int64
        /// Whether the body counts as delivered.
        var isBodyComplete: Bool
        /// Whether ``bytesSent`` is all of it.
        var isAllSent: Bool
    }

    /// How long a server that has answered may accept nothing of the rest.
    private static let patience = Duration.seconds(2)
    /// Bytes that a TLS server may read before it notices that the client doesn't speak TLS.
    private static let little: Int64 = 1 << 16

    private struct State: Sendable {
        var produced: Int64 = 0
        /// Bytes that the peer's windows let through; `nil` if the connection has none, and all produced bytes are.
        var passed: Int64?
        /// Bytes that the system has accepted, and those of them whose write ended.
        var (written, completed): (Int64, Int64) = (0, 0)
        /// Bytes that the peer's system has acknowledged.
        var taken: Int64 = 0
        /// Whether the body's end was read.
        var isAtEnd = false
        /// Whether its end was sent, too.
        var isComplete = false
        var endsSending = false
        /// Whether nothing more will be written.
        var isOver = false
        /// When the connection stopped accepting bytes; `nil` before that.
        var broken: ContinuousClock.Instant?
        var answered: Answered?
        var answerTakesBody = false
        var failure: (any Error)?
        var lastActivity = ContinuousClock.now
        var isReading = true
        var version = ResponseVersion.http11
        /// Whether the body may be sent; `nil` while that isn't known.
        var isPermitted: Bool?

        /// Since when the server accepts nothing, though there is something; `nil` if there is nothing.
        var stuckSince: ContinuousClock.Instant? {
            self.broken ?? (self.produced > self.written ? self.lastActivity : nil)
        }

        /// The system has accepted the bytes up to here, of `length`.
        mutating func accept(upTo count: Int64, of length: Int64?) {
            guard count > self.written else { return }
            self.written = count
            self.lastActivity = .now
            if self.written == length { self.isComplete = true }
        }
    }

    private let state: WatchedState<State>
    private let length: Int64?
    private let offset: Int64
    private let hasBody: Bool
    private let monitor: UploadMonitor?

    init(_ body: ExchangeBody?, _ monitor: UploadMonitor?) {
        var state = State()
        state.isComplete = body == nil || body?.length == 0
        self.state = WatchedState(state)
        (self.length, self.offset, self.hasBody) = (body?.length, body?.offset ?? 0, body != nil)
        self.monitor = monitor
        monitor?.update { progress in
            progress.phase = .idle
            progress.lastActivity = .now
            // A request without a body, such as a question for the offset, doesn't change how much was sent.
            guard let body else { return }
            progress.total = body.plan.contentLength
            progress.start = body.offset
            progress.sent = body.offset
            progress.acknowledged = body.offset
            progress.isReportedByServer = false
        }
    }

    var written: Int64 { self.state.withLock { $0.written } }
    /// Bytes that were read from the body, sent or not.
    var produced: Int64 { self.state.withLock { $0.produced } }
    var isComplete: Bool { self.state.withLock { $0.isComplete } }
    /// Whether the server had little to read: a small body, or none of one that it was asked about. How much it had of
    /// another body is chance.
    func offersLittle(asks: Bool) -> Bool {
        self.state.withLock { state in
            let isUnread = state.produced == 0
            let length = self.length ?? (state.isComplete && isUnread ? 0 : .max)
            return length <= Self.little || asks && isUnread
        }
    }
    var answered: Answered? { self.state.withLock { $0.answered } }
    /// How much was sent when the answer arrived; nothing before that.
    var atAnswer: Answered { self.answered ?? Answered(bytesSent: 0, isBodyComplete: false, isAllSent: false) }
    /// Whether the answer stopped the sending on the wire.
    var endsSending: Bool { self.state.withLock { $0.endsSending } }
    /// Whether an answer arrived that means that the server has the body, and the caller doesn't judge that itself.
    var answerTakesBody: Bool { self.state.withLock { $0.answerTakesBody } }
    /// Whether the caller asks for the answer's bytes: otherwise nothing waits for the server.
    var isReading: Bool { self.state.withLock { $0.isReading } }
    /// Why the client gave up the exchange.
    var failure: (any Error)? { self.state.withLock { $0.failure } }

    /// Which version of HTTP the answer has: NIO's types for its versions don't have it. It is set before the answer's head is
    /// passed on.
    var version: ResponseVersion {
        get { self.state.withLock { $0.version } }
        set { self.state.withLock { $0.version = newValue } }
    }

    /// Decides whether the body may be sent.
    /// - Returns: Whether that wasn't decided before.
    @discardableResult
    func permit(_ isPermitted: Bool) -> Bool {
        self.state.withLock { state in
            guard state.isPermitted == nil else { return false }
            state.isPermitted = isPermitted
            return true
        }
    }

    /// Waits until it is decided whether the body may be sent. A server that doesn't know the question doesn't answer it (RFC
    /// 9110 section 10.1.1): after this time the body may be sent.
    func mayBeSent(after time: Duration) async -> Bool {
        await self.state.wait(for: time) { $0.isPermitted != nil }
        self.permit(true)
        return self.state.withLock { $0.isPermitted == true }
    }

    /// How long the server has neither accepted nor sent anything while the client waited for it.
    var stall: Duration {
        self.state.withLock { state in
            let isItsTurn = state.produced > state.written || state.isComplete
            return isItsTurn && state.isReading ? state.lastActivity.duration(to: .now) : .zero
        }
    }

    func enter(_ phase: UploadProgress.Phase) {
        self.monitor?.update { progress in
            // An early answer takes precedence.
            if progress.phase != .receiving { progress.phase = phase }
            progress.lastActivity = .now
        }
    }

    /// The connection is ready: connecting has its own time-out.
    func begin() { self.state.withLock { $0.lastActivity = .now } }

    func produce(_ count: Int) {
        self.state.withLock { state in
            // The time of a slow source doesn't count against the server.
            if state.produced == state.written { state.lastActivity = .now }
            state.produced += Int64(count)
        }
        self.monitor?.update { $0.sent += Int64(count) }
    }

    /// The write of bytes has ended.
    func write(_ count: Int) {
        self.state.withLock { state in
            state.completed += Int64(count)
            state.accept(upTo: state.completed, of: self.length)
        }
    }

    /// The connection has windows of HTTP/2, which let nothing through so far.
    func usesWindows() { self.state.withLock { $0.passed = 0 } }

    /// The peer's windows let bytes through.
    func pass(_ count: Int) { self.state.withLock { $0.passed? += Int64(count) } }

    /// Applies what is known of the bytes that were passed on, with their framing: so many wait in this process, and so many
    /// of the others in the system until the peer acknowledges them.
    func measure(buffered: Int64, unacknowledged: Int64? = nil) {
        guard self.hasBody else { return }
        let (taken, hasMoved, isAllTaken) = self.state.withLock { state in
            let (written, taken) = (state.written, state.taken)
            // Bytes whose write failed, or that were only read to find the end, were produced, and not passed on.
            if state.broken == nil, !state.endsSending, !state.isOver || state.isComplete {
                state.accept(upTo: (state.passed ?? state.produced) - buffered, of: self.length)
            }
            if let unacknowledged { state.taken = max(taken, state.written - unacknowledged) }
            let hasMoved = state.written > written || state.taken > taken
            if hasMoved { state.lastActivity = .now }
            return (state.taken, hasMoved, state.isComplete && state.taken == state.written)
        }
        let endsPhase = isAllTaken && self.monitor?.current.phase == .sending
        guard hasMoved || endsPhase else { return }
        self.show(taken)
        self.monitor?.update { progress in
            if hasMoved { progress.lastActivity = .now }
            if endsPhase, progress.phase == .sending { progress.phase = .waiting }
        }
    }

    /// What the system accepted counts as acknowledged, as nothing else will be known.
    func takeAllAccepted() { if self.hasBody { self.show(self.written) } }

    private func show(_ taken: Int64) {
        self.monitor?.update { progress in
            if !progress.isReportedByServer { progress.acknowledged = max(progress.acknowledged, self.offset + taken) }
        }
    }

    /// The body's end was read.
    func reachEnd() { self.state.withLock { $0.isAtEnd = true } }

    /// The end of the body was sent.
    func complete() {
        self.state.withLock { state in
            state.isComplete = true
            state.lastActivity = .now
        }
    }

    /// The caller started or stopped asking for the answer's bytes.
    func read(_ isReading: Bool) {
        self.state.withLock { state in
            if isReading, !state.isReading { state.lastActivity = .now }
            state.isReading = isReading
        }
    }

    /// Something arrived.
    func receive() {
        self.state.withLock { $0.lastActivity = .now }
        self.monitor?.update { $0.lastActivity = .now }
    }

    /// The final answer arrived.
    /// - Parameters:
    ///   - takesBody: Whether it means that the server has the body.
    ///   - endsSending: Whether to stop sending the rest of the body, if any.
    func answer(takesBody: Bool, endsSending: Bool) {
        let written = self.state.withLock { state -> Int64? in
            guard state.answered == nil else { return nil }
            state.answered = Answered(
                bytesSent: state.written, isBodyComplete: state.isComplete, isAllSent: state.isComplete)
            state.answerTakesBody = takesBody
            state.endsSending = endsSending && !state.isComplete
            return state.isComplete ? state.written : nil
        }
        // A server that answers after the body's end has all of it, whatever it acknowledged before.
        if let written { self.monitor?.update { $0.acknowledged = self.offset + written } }
        self.enter(.receiving)
    }

    /// The connection accepts no more bytes.
    func breakOff() { self.state.withLock { $0.broken = .now } }

    /// Nothing more will be written.
    func stop() { self.state.withLock { $0.isOver = true } }

    /// How much was sent when a server that answered early, and means to have the body, accepted no more of it.
    ///
    /// The rule doesn't depend on timing: the body counts as complete if all of it was sent, if it has at most
    /// ``EarlySuccess/believedLength`` bytes, or if only the last chunk was missing. The latter is for bodies of unknown
    /// length: a server that finds the end in the body's syntax may answer and close the connection before that chunk.
    func settled() async -> Answered {
        let answered = self.atAnswer
        guard !answered.isBodyComplete else { return answered }
        while true {
            let state = self.state.withLock { $0 }
            let rest = state.stuckSince.map { Self.patience - $0.duration(to: .now) }
            guard state.isComplete || state.isOver || rest.map({ $0 <= .zero }) ?? false || Task.isCancelled else {
                // Until the time is over, or began anew.
                await self.state.wait(for: rest) {
                    $0.isComplete || $0.isOver || ($0.stuckSince != nil) != (rest != nil)
                }
                continue
            }
            // Bytes that were read to find the end, or whose write failed, weren't sent.
            let isAllSent = state.isAtEnd && state.written == state.produced
            let isAll = isAllSent && state.written == answered.bytesSent
            let isBelieved = (self.length ?? (state.isAtEnd ? state.produced : .max)) <= EarlySuccess.believedLength
            return Answered(
                bytesSent: state.written, isBodyComplete: state.isComplete || isAll || isBelieved,
                isAllSent: state.isComplete || isAllSent)
        }
    }

    /// Waits up to two seconds for an answer that means that the server has the body.
    func waitForSuccess() async { await self.state.wait(for: .seconds(2)) { $0.answerTakesBody } }

    func fail(_ error: any Error) { self.state.withLock { if $0.failure == nil { $0.failure = error } } }
}
