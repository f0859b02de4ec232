import Synchronization

/// A client that makes one exchange at a time, and has no rules of its own.
protocol ExchangeClient: Sendable {
    /// Sends a request and calls a closure with its answer.
    /// - Throws: ``TransferError`` if there is no answer; the errors of the body's sources; `CancellationError`;
    ///   `ExchangeStopped`.
    func exchange<Result: Sendable>(
        _ request: HTTPRequest, body: ExchangeBody?, expectsContinue: Bool?, reading: ReaderOptions,
        monitor: UploadMonitor?, hooks: ExchangeHooks, answered: (ExchangeResponse) async throws -> Result
    ) async throws -> Result
    /// Whether the server of a request accepts a connection now.
    func reaches(_ request: HTTPRequest) async -> Bool
}

/// A failure with the caller's own error.
struct ClientFailure: Error, CustomStringConvertible {
    var error: any Error
    /// Whether another try may help.
    var mayPass = false
    /// Whether the server said that it didn't process the request.
    var isUnprocessed = false
    var description: String { "\(self.error)" }
}

extension FormClient: ExchangeClient {}

/// Performs the steps of a machine.
struct SendDriver: Sendable {
    let client: any ExchangeClient
    let options: UploadOptions
    /// The first request.
    let request: HTTPRequest
    let monitor: UploadMonitor
    let observer: FormSender.Observer
    /// When the transfer ends without an answer; `nil` for no limit.
    private let end: ContinuousClock.Instant?

    init(
        _ client: any ExchangeClient, _ options: UploadOptions, _ request: HTTPRequest,
        by end: ContinuousClock.Instant?, _ observer: FormSender.Observer = FormSender.Observer()
    ) {
        (self.client, self.options, self.request, self.observer) = (client, options, request, observer)
        (self.monitor, self.end) = (options.monitor ?? UploadMonitor(), end)
    }

    private var remaining: Duration? { self.end.map { ContinuousClock.now.duration(to: $0) } }

    /// Pauses before another try. If no server could be reached, a connection is tried every second, and the pause ends
    /// with the first that succeeds: a long pause would outlast a short outage. A delay that the caller chose is kept.
    private func wait(_ duration: Duration, orFor unreachable: HTTPRequest?) async throws {
        let end = ContinuousClock.Instant.after(duration)
        let interval = Duration.seconds(1)
        while true {
            let rest = ContinuousClock.now.duration(to: end)
            guard rest > .zero else { return }
            guard rest > interval, let unreachable, self.options.retry.delay == nil else {
                return try await Task.sleep(for: rest.asWait)
            }
            try await Task.sleep(for: interval.asWait)
            if await self.client.reaches(unreachable) { return }
        }
    }

    /// How far a transfer has come.
    private struct UploadAttempt {
        let machine: SharedMachine
        var trace = FormSender.Trace()
        var resumptions = 0
        /// The request whose server accepted no connection.
        var unreachable: HTTPRequest?
    }

    /// Performs the steps of a machine until there is an answer.
    /// - Parameters:
    ///   - late: The error if the time is over before.
    ///   - answered: Called with the answer.
    ///   - make: Makes the machine when the body is ready to be sent.
    func send<Result: Sendable>(
        _ plan: BodyPlan, late: @autoclosure @escaping @Sendable () -> any Error,
        _ answered: @escaping @Sendable (ExchangeResponse, FormSender.Trace) async throws -> Result,
        _ make: @escaping @Sendable (BodyPlan) throws -> any SendMachine
    ) async throws -> Result {
        guard let end else { return try await self.perform(plan, answered, make) }
        return try await Race.run(until: end, late: late()) { try await self.perform(plan, answered, make) }
    }

    private func perform<Result: Sendable>(
        _ plan: BodyPlan,
        _ answered: @Sendable (ExchangeResponse, FormSender.Trace) async throws -> Result,
        _ make: (BodyPlan) throws -> any SendMachine
    ) async throws -> Result {
        var plan = plan
        if self.options.length == .fixed, plan.contentLength == nil {
            plan = try await plan.collected(
                upTo: self.options.memoryThreshold, in: self.options.temporaryFolder,
                checksFraming: self.options.reading.checksFraming)
        }
        plan = try await plan.checkedIfEmpty()
        var course = UploadAttempt(machine: SharedMachine(try make(plan)))
        while true {
            switch course.machine.next() {
            case .failed(let error): throw (error as? ClientFailure)?.error ?? error
            case .pause(let duration, let reason):
                course.trace.retries += 1
                self.observer.retrying(reason, duration)
                self.monitor.pause(until: .after(duration))
                try await self.wait(min(duration, self.remaining ?? duration), orFor: course.unreachable)
            case .answered(let head):
                course.machine.use { $0.note(in: &course.trace) }
                let answer = ExchangeResponse(
                    head: head, body: ExchangeResponseBody(), bytesSent: 0, isBodyComplete: true, isAllSent: true,
                    version: .http11)
                let result = try await answered(answer, course.trace)
                course.machine.use { $0.delivered() }
                return result
            case .exchange(let request, let body, let expectsContinue):
                let next = try await self.announce(request, body, &course)
                let result = try await self.exchange(next, body, expectsContinue, &course, answered)
                if let result { return result }
            }
        }
    }

    /// Reports that an exchange begins.
    /// - Returns: The request with its checksum.
    private func announce(
        _ request: HTTPRequest, _ body: ExchangeBody?, _ course: inout UploadAttempt
    ) async throws -> HTTPRequest {
        var next = request
        if let algorithm = course.machine.use({ $0.checksum }), let body {
            next.headerFields[.uploadChecksum] = try await body.plan.uploadChecksum(
                algorithm, from: body.offset, count: body.count)
        }
        course.machine.use { $0.note(in: &course.trace) }
        if let upload = course.trace.upload, upload.resumptions > course.resumptions, let body {
            course.resumptions = upload.resumptions
            self.observer.resuming(body.offset, body.plan.contentLength)
        }
        course.unreachable = nil
        course.trace.requests += 1
        (course.trace.url, course.trace.method) = (next.urlText, next.method.rawValue)
        course.trace.hasBody = body != nil
        self.observer.beginning(course.trace)
        self.monitor.begin(attempt: course.trace.retries + 1)
        return next
    }

    /// Makes one exchange.
    /// - Returns: What `answered` returned; `nil` if the machine decides what comes next.
    private func exchange<Result: Sendable>(
        _ next: HTTPRequest, _ body: ExchangeBody?, _ expectsContinue: Bool?, _ course: inout UploadAttempt,
        _ answered: @Sendable (ExchangeResponse, FormSender.Trace) async throws -> Result
    ) async throws -> Result? {
        let machine = course.machine
        var trace = course.trace
        var isAnswered = false
        do {
            return try await self.client.exchange(
                next, body: body, expectsContinue: expectsContinue, reading: self.options.reading,
                monitor: self.monitor, hooks: machine.hooks(self.observer, self.monitor),
                answered: { answer in
                    self.observer.received(answer.head, answer.version)
                    let summary = SendResponse(
                        head: answer.head, bytesSent: answer.bytesSent, isBodyComplete: answer.isBodyComplete,
                        isAtOrigin: (answer.followed?.request ?? next).hasOrigin(of: self.request),
                        followed: answer.followed)
                    isAnswered = try await machine.answered(
                        summary, self.options.authentication, remaining: self.remaining)
                    machine.acknowledge(answer.head, self.monitor)
                    guard isAnswered else { return nil }
                    machine.use { $0.note(in: &trace) }
                    var answer = answer
                    answer.isBodyComplete = machine.use { $0.isBodyComplete } ?? answer.isBodyComplete
                    answer.bytesSent = machine.use { $0.bytesSent } ?? answer.bytesSent
                    let result = try await answered(answer, trace)
                    machine.use { $0.delivered() }
                    return result
                })
        } catch is ExchangeStopped {
            try Task.checkCancellation()
        } catch {
            try Task.checkCancellation()
            if isAnswered { throw error }
            let code = (error as? TransferError)?.code
            if code == .connect || code == .resolve { course.unreachable = next }
            machine.use { [remaining] in $0.failed(error, remaining: remaining) }
        }
        return nil
    }
}

/// A machine that the connection's callbacks share with the driver.
final class SharedMachine: Sendable {
    private struct State {
        var machine: any SendMachine
        /// Counts the steps: later events of a finished exchange are ignored.
        var turn = 0
    }

    private let state: Mutex<State>
    init(_ machine: some SendMachine) { self.state = Mutex(State(machine: machine)) }

    func use<Result: Sendable>(_ work: (inout any SendMachine) -> Result) -> Result {
        self.state.withLock { work(&$0.machine) }
    }

    func next() -> SendStep {
        self.state.withLock { state in
            state.turn += 1
            return state.machine.next()
        }
    }

    /// Handles an exchange's final answer, and asks the caller for credentials if it requires them.
    /// - Returns: Whether this is the transfer's answer.
    func answered(
        _ answer: SendResponse, _ authentication: UploadAuthentication?, remaining: Duration?
    ) async throws -> Bool {
        var verdict = self.use { $0.answered(answer, remaining: remaining) }
        if case .asksFor(let challenge) = verdict {
            let value = try await authentication?.answer(challenge)
            verdict = self.use { $0.authenticated(with: value) }
        }
        if case .isResult = verdict { return true } else { return false }
    }

    /// The hooks that report the exchange that starts now to the machine.
    func hooks(_ observer: FormSender.Observer, _ monitor: UploadMonitor) -> ExchangeHooks {
        let turn = self.state.withLock { $0.turn }
        var hooks = ExchangeHooks()
        hooks.judgesEarly = { response, offer in self.use { $0.judges(early: response, after: offer) } }
        hooks.requesting = observer.requesting
        hooks.answeredEarly = observer.received
        hooks.reading = { self.advance(turn) { $0.reading() } }
        hooks.sending = { offset in self.advance(turn) { $0.sending(upTo: offset) } }
        hooks.ended = { length in self.advance(turn) { $0.bodyEnded(at: length) } }
        hooks.informed = { response in
            let continues = self.use { $0.informed(by: response) }
            self.acknowledge(response, monitor)
            await observer.informed(response)
            return continues
        }
        return hooks
    }

    /// Shows what the server has, if an answer says that.
    func acknowledge(_ response: HTTPResponse, _ monitor: UploadMonitor) {
        guard response.headerFields.uploadOffset != nil, let upload = self.use({ $0.upload }) else { return }
        monitor.acknowledge(upload.acknowledged)
    }

    private func advance(_ turn: Int, _ event: (inout any SendMachine) -> Void) {
        self.state.withLock { if $0.turn == turn { event(&$0.machine) } }
    }
}
