#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import Synchronization

/// What one exchange has sent, and how far it was when its answer came. The event loop writes it, in the order in which
/// things happen on the connection.
final class ExchangeLedger: Sendable {
    struct Answered: Sendable {
        var bytesSent: Int64
        var isBodyComplete: Bool
        /// Whether the answer came before the body's end was out.
        var wasEarly = false
    }

    /// How long a server that has answered may take nothing of the rest.
    private static let patience = Duration.seconds(2)

    private struct State {
        var produced: Int64 = 0
        var written: Int64 = 0
        /// Whether all of the body's bytes are out, and its end is known here.
        var isAtEnd = false
        /// Whether its end is out, too.
        var isComplete = false
        var endsSending = false
        /// Whether nothing more will be written.
        var isOver = false
        /// When the connection was found to take no more; `nil` as long as it does.
        var broken: ContinuousClock.Instant?
        var answered: Answered?
        var answerTakesBody = false
        var failure: (any Error)?
        var lastActivity = ContinuousClock.now
        var isReading = true
    }

    private let state: Mutex<State>
    private let length: Int64?
    private let offset: Int64
    private let monitor: UploadMonitor?

    init(_ body: ExchangeBody?, _ monitor: UploadMonitor?) {
        var state = State()
        state.isComplete = body == nil || body?.length == 0
        self.state = Mutex(state)
        (self.length, self.offset, self.monitor) = (body?.length, body?.offset ?? 0, monitor)
        monitor?.update { progress in
            progress.phase = .idle
            progress.total = body?.plan.contentLength
            progress.start = body?.offset ?? 0
            progress.sent = body?.offset ?? 0
            progress.acknowledged = body?.offset ?? 0
            progress.isToldByServer = false
            progress.lastActivity = .now
        }
    }

    var written: Int64 { self.state.withLock { $0.written } }
    var isComplete: Bool { self.state.withLock { $0.isComplete } }
    var answered: Answered? { self.state.withLock { $0.answered } }
    /// Whether the answer had the sending end on the wire.
    var endsSending: Bool { self.state.withLock { $0.endsSending } }
    /// Whether an answer came that says that the server has the body.
    var answerTakesBody: Bool { self.state.withLock { $0.answerTakesBody } }
    /// Whether the answer's bytes are asked for: who doesn't ask waits for nothing.
    var isReading: Bool { self.state.withLock { $0.isReading } }
    /// Why the exchange was given up from this side.
    var failure: (any Error)? { self.state.withLock { $0.failure } }

    /// How long the server has neither taken nor given anything while it was its turn.
    var stall: Duration {
        self.state.withLock { state in
            let isItsTurn = state.produced > state.written || state.isComplete
            return isItsTurn && state.isReading ? state.lastActivity.duration(to: .now) : .zero
        }
    }

    func enter(_ phase: UploadProgress.Phase) {
        self.monitor?.update { progress in
            // An answer that comes early has the last word.
            if progress.phase != .receiving { progress.phase = phase }
            progress.lastActivity = .now
        }
    }

    /// The connection is there: what was before, finding and joining the server, has a time of its own.
    func begin() { self.state.withLock { $0.lastActivity = .now } }

    func produce(_ count: Int) {
        self.state.withLock { state in
            // The time that a slow source took isn't the server's.
            if state.produced == state.written { state.lastActivity = .now }
            state.produced += Int64(count)
        }
        self.monitor?.update { $0.sent += Int64(count) }
    }

    func write(_ count: Int) {
        let isComplete = self.state.withLock { state in
            state.written += Int64(count)
            state.lastActivity = .now
            if state.written == self.length { state.isComplete = true }
            return state.isComplete
        }
        self.monitor?.update { progress in
            if !progress.isToldByServer { progress.acknowledged += Int64(count) }
            progress.lastActivity = .now
            if isComplete, progress.phase == .sending { progress.phase = .waiting }
        }
    }

    /// The body's last byte is out, and its end was read.
    func reachEnd() { self.state.withLock { $0.isAtEnd = true } }

    /// The end of the body is out.
    func complete() {
        self.state.withLock { state in
            state.isComplete = true
            state.lastActivity = .now
        }
        self.monitor?.update { if $0.phase == .sending { $0.phase = .waiting } }
    }

    /// The answer's next bytes are asked for, or no longer.
    func read(_ isReading: Bool) {
        self.state.withLock { state in
            if isReading, !state.isReading { state.lastActivity = .now }
            state.isReading = isReading
        }
    }

    /// Something came.
    func receive() {
        self.state.withLock { $0.lastActivity = .now }
        self.monitor?.update { $0.lastActivity = .now }
    }

    /// The final answer came.
    /// - Parameters:
    ///   - takesBody: Whether it says that the server has the body.
    ///   - endsSending: Whether what is still to be sent of the body, if anything, is given up on the wire.
    func answer(takesBody: Bool, endsSending: Bool) {
        let written = self.state.withLock { state -> Int64? in
            guard state.answered == nil else { return nil }
            state.answered = Answered(
                bytesSent: state.written, isBodyComplete: state.isComplete, wasEarly: !state.isComplete)
            state.answerTakesBody = takesBody
            state.endsSending = endsSending && !state.isComplete
            return state.isComplete ? state.written : nil
        }
        // Who answers behind the body's end has it, whatever was told before.
        if let written { self.monitor?.update { $0.acknowledged = self.offset + written } }
        self.enter(.receiving)
    }

    /// The connection takes no more.
    func breakOff() { self.state.withLock { $0.broken = .now } }

    /// Nothing more will be written.
    func stop() { self.state.withLock { $0.isOver = true } }

    /// What was out when a server that answered early, and says that it has the body, could take no more of it.
    ///
    /// One rule, whatever comes first: the body is whole when all of it went out, when it is of at most
    /// ``EarlySuccess/believedLength``, or when only the last chunk was missing. That last one is of bodies whose length nobody knew: a
    /// server that finds the end by the body's own syntax may answer and hang up before the chunk that says it.
    func settled() async -> Answered {
        let answered = self.answered ?? Answered(bytesSent: 0, isBodyComplete: false)
        guard !answered.isBodyComplete else { return answered }
        while true {
            let (state, isStuck) = self.state.withLock { state in
                let since = state.broken ?? (state.produced > state.written ? state.lastActivity : nil)
                return (state, since.map { $0.duration(to: .now) >= Self.patience } ?? false)
            }
            let isEnded = state.isOver || isStuck
            guard state.isComplete || isEnded || Task.isCancelled else {
                try? await Task.sleep(for: .milliseconds(5))
                continue
            }
            let isAll = state.isAtEnd && state.written == answered.bytesSent
            let isBelieved = (self.length ?? (state.isAtEnd ? state.produced : .max)) <= EarlySuccess.believedLength
            return Answered(
                bytesSent: state.written, isBodyComplete: state.isComplete || isAll || isBelieved, wasEarly: true)
        }
    }

    func fail(_ error: any Error) { self.state.withLock { if $0.failure == nil { $0.failure = error } } }
}
#endif
