#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import Synchronization

/// Sends a form until it has arrived: retries, redirects, and a bound on the time for all of it.
public struct FormSender: Sendable {
    /// How exchanges are made.
    public var client: FormClient
    /// When it is tried again.
    public var retry: RetryPolicy
    /// Redirects followed; one more is ``TransferError/Code/redirects``. With 0 the first redirect is the answer.
    public var maximumRedirects: Int
    /// The longest that all may take, pauses and answers included; `nil` for as long as it takes.
    public var maximumTime: Duration?

    /// One try, 20 redirects as fetch has it, and no bound, unless said otherwise.
    public init(
        client: FormClient = FormClient(), retry: RetryPolicy = RetryPolicy(), maximumRedirects: Int = 20,
        maximumTime: Duration? = nil
    ) {
        self.client = client
        self.retry = retry
        self.maximumRedirects = maximumRedirects
        self.maximumTime = maximumTime
    }

    /// What came of a transfer so far.
    public struct Trace: Hashable, Sendable {
        /// Where the last request went, without credentials.
        public var url = ""
        /// Requests that were begun.
        public var requests = 0
        /// Tries behind the first.
        public var retries = 0
        /// The upload's own URL and state; `nil` where there is none.
        public var upload: ResumableUpload?
    }

    /// Who is told what happens meanwhile.
    public struct Observer: Sendable {
        /// How far it is.
        public var monitor: UploadMonitor
        /// Called with each informational answer, as it comes.
        public var informed: @Sendable (HTTPResponse) async -> Void
        /// Called when another try is going to be made: why, and after what pause.
        public var retrying: @Sendable (String, Duration) -> Void

        /// Nobody, unless said otherwise.
        public init(
            monitor: UploadMonitor = UploadMonitor(),
            informed: @escaping @Sendable (HTTPResponse) async -> Void = { _ in },
            retrying: @escaping @Sendable (String, Duration) -> Void = { _, _ in }
        ) {
            (self.monitor, self.informed, self.retrying) = (monitor, informed, retrying)
        }
    }

    /// Sends a body, and gives the answer to a closure: also one that isn't 2xx, and one that came early.
    /// - Parameters:
    ///   - plan: The body. What can be read only once is sent once.
    ///   - request: With scheme, authority and path; see `HTTPRequest.init(_:to:headerFields:)`.
    ///   - observer: Who is told what happens meanwhile.
    ///   - answered: Called with the answer, whose body is usable in there.
    /// - Throws: ``TransferError``; the `FormworkError` of the body's sources, `notReplayable` with the part where a
    ///   redirect wants a body again that is gone, `writeFailed` when the server says 2xx before it has all of the body;
    ///   `CancellationError`.
    public func send<Result: Sendable>(
        _ plan: BodyPlan, with request: HTTPRequest, observer: Observer = Observer(),
        answered: @escaping @Sendable (ExchangeAnswer, Trace) async throws -> Result
    ) async throws -> Result {
        let machine = PlainSend(plan, request, retry: self.retry, maximumRedirects: self.maximumRedirects)
        return try await self.run(machine, observer, answered)
    }

    /// Does what a machine says, in time.
    package func run<Result: Sendable>(
        _ machine: some SendMachine, _ observer: Observer,
        _ answered: @escaping @Sendable (ExchangeAnswer, Trace) async throws -> Result
    ) async throws -> Result {
        defer { observer.monitor.finish() }
        guard let maximumTime else { return try await self.drive(machine, nil, observer, answered) }
        let end = ContinuousClock.Instant.after(maximumTime)
        do {
            return try await Race.run(until: end, late: Late()) {
                try await self.drive(machine, end, observer, answered)
            }
        } catch is Late {
            throw TransferError(
                .timedOut, "not done within the \(maximumTime) that were allowed",
                bytesSent: observer.monitor.current.acknowledged)
        }
    }

    private struct Late: Error {}

    private func drive<Result: Sendable>(
        _ machine: some SendMachine, _ end: ContinuousClock.Instant?, _ observer: Observer,
        _ answered: @Sendable (ExchangeAnswer, Trace) async throws -> Result
    ) async throws -> Result {
        let machine = SharedMachine(machine)
        var trace = Trace()
        while true {
            switch machine.next() {
            case .failed(let error): throw error
            case .pause(let duration, let reason):
                trace.retries += 1
                observer.retrying(reason, duration)
                observer.monitor.pause(until: .after(duration))
                try await Task.sleep(for: duration.asWait)
            case .answered(let head):
                trace.upload = machine.upload
                let answer = ExchangeAnswer(
                    head: head, body: AnswerBody(), bytesSent: 0, isBodyComplete: true, isHTTP2: false)
                return try await answered(answer, trace)
            case .exchange(let request, let body, let expectsContinue):
                trace.requests += 1
                trace.url = request.urlText
                observer.monitor.begin(attempt: trace.retries + 1)
                var now = trace
                let hooks = machine.hooks(observer)
                var isAnswered = false
                do {
                    let result: Result? = try await self.client.exchange(
                        request, body: body, expectsContinue: expectsContinue, monitor: observer.monitor,
                        hooks: hooks,
                        answered: { answer in
                            let summary = SendAnswer(
                                head: answer.head, bytesSent: answer.bytesSent,
                                isBodyComplete: answer.isBodyComplete)
                            isAnswered = machine.answered(
                                summary, remaining: end.map { ContinuousClock.now.duration(to: $0) })
                            now.upload = machine.upload
                            var answer = answer
                            answer.isBodyComplete = machine.isBodyComplete ?? answer.isBodyComplete
                            return isAnswered ? try await answered(answer, now) : nil
                        })
                    if let result { return result }
                } catch is ExchangeStopped {
                    try Task.checkCancellation()
                } catch {
                    try Task.checkCancellation()
                    if isAnswered { throw error }
                    machine.failed(error, remaining: end.map { ContinuousClock.now.duration(to: $0) })
                }
            }
        }
    }
}

/// A machine that the connection's callbacks share with the driver.
final class SharedMachine: Sendable {
    private struct State {
        var machine: any SendMachine
        /// Counts the steps: what an exchange that is over still tells is nobody's.
        var turn = 0
    }

    private let state: Mutex<State>
    init(_ machine: some SendMachine) { self.state = Mutex(State(machine: machine)) }

    var upload: ResumableUpload? { self.state.withLock { $0.machine.upload } }
    var isBodyComplete: Bool? { self.state.withLock { $0.machine.isBodyComplete } }

    func next() -> SendStep {
        self.state.withLock { state in
            state.turn += 1
            return state.machine.next()
        }
    }

    func answered(_ answer: SendAnswer, remaining: Duration?) -> Bool {
        self.state.withLock { $0.machine.answered(answer, remaining: remaining) }
    }

    func failed(_ error: any Error, remaining: Duration?) {
        self.state.withLock { $0.machine.failed(error, remaining: remaining) }
    }

    /// What the machine learns of the exchange that begins now.
    func hooks(_ observer: FormSender.Observer) -> ExchangeHooks {
        let (turn, takesEarlySuccess) = self.state.withLock { ($0.turn, $0.machine.takesEarlySuccess) }
        var hooks = ExchangeHooks()
        hooks.takesEarlySuccess = takesEarlySuccess
        hooks.sending = { offset in self.tell(turn) { $0.sending(upTo: offset) } }
        hooks.ended = { length in self.tell(turn) { $0.bodyEnded(at: length) } }
        hooks.informed = { response in
            let (goesOn, acknowledged) = self.state.withLock { state in
                (state.machine.informed(by: response), state.machine.upload?.acknowledged)
            }
            if let acknowledged, response.headerFields.uploadOffset != nil {
                observer.monitor.acknowledge(acknowledged)
            }
            await observer.informed(response)
            return goesOn
        }
        return hooks
    }

    private func tell(_ turn: Int, _ event: (inout any SendMachine) -> Void) {
        self.state.withLock { if $0.turn == turn { event(&$0.machine) } }
    }
}

extension UploadMonitor {
    func pause(until instant: ContinuousClock.Instant) {
        self.update { progress in
            progress.nextTry = instant
            progress.phase = .idle
        }
    }
}
#endif
