import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import Synchronization

/// Sends a form until it has arrived: with retries, redirects, credentials, and a time-out for all of it.
public struct FormSender: Sendable {
    /// How exchanges are made.
    public var client: FormClient
    /// How the body is uploaded. A time-out is ``TransferError/Code/timedOut``, one redirect too many is
    /// ``TransferError/Code/redirects``.
    public var options: UploadOptions
    /// The original time-out, for error messages. ``options`` may hold only the remaining time.
    package var wholeTimeout: Duration?

    /// Creates a sender.
    public init(client: FormClient = FormClient(), options: UploadOptions = UploadOptions()) {
        (self.client, self.options) = (client, options)
    }

    /// The state of a transfer.
    public struct Trace: Hashable, Sendable {
        /// The last request's URL, without credentials.
        public var url = ""
        /// Its method, which a redirect may have changed.
        package var method = ""
        /// Requests that were started, including one for which no connection could be made.
        public var requests = 0
        /// Tries after the first.
        public var retries = 0
        /// The upload's own URL and state; `nil` where there is none.
        public var upload: ResumableUpload?
        /// Redirects that were followed; `nil` if they aren't counted.
        package var redirects: Int?
        /// Where the server has moved to, and the status, if the redirect was followed without the body; `nil` if not.
        package var movedTo: String?
        /// Whether the source of the body was asked for bytes.
        package var isSourceRead = false
        /// Whether the last request has a body, or a part of it. A redirect may have turned `POST` into `GET`.
        package var hasBody = false
    }

    /// Called during a transfer. `UploadOptions.monitor` shows its progress.
    public struct Observer: Sendable {
        /// Called with each informational answer when it arrives.
        public var informed: @Sendable (HTTPResponse) async -> Void
        /// Called before another try, with its reason and the pause before it.
        public var retrying: @Sendable (String, Duration) -> Void
        /// Called before an upload continues after a cut or in a new process, with the offset of its next byte and the
        /// body's length, `nil` if it isn't known.
        public var resuming: @Sendable (Int64, Int64?) -> Void = { _, _ in }
        /// Called before a request is made, even if no connection for it can be.
        package var beginning: @Sendable (Trace) -> Void = { _ in }
        /// Called before a request is sent, with all its fields, and with whether it is one of HTTP/2.
        package var requesting: @Sendable (HTTPRequest, Bool) -> Void = { _, _ in }
        /// Called with the head of each final answer, also of one that comes too early to be a success.
        package var received: @Sendable (HTTPResponse, ResponseVersion) -> Void = { _, _ in }

        /// Creates an observer; by default it does nothing.
        public init(
            informed: @escaping @Sendable (HTTPResponse) async -> Void = { _ in },
            retrying: @escaping @Sendable (String, Duration) -> Void = { _, _ in }
        ) {
            (self.informed, self.retrying) = (informed, retrying)
        }
    }

    /// Sends a body and calls a closure with the answer, including one that isn't 2xx or arrived early.
    /// - Parameters:
    ///   - plan: The body. A body that can be read only once is sent only once.
    ///   - request: With scheme, authority and path; see `HTTPRequest.init(_:to:headerFields:)`.
    ///   - observer: Called during the transfer.
    ///   - answered: Called with the answer, whose body is usable only in this closure.
    /// - Throws: ``TransferError``; the `FormworkError` of the body's sources, `notReplayable` with the part if a
    ///   redirect or a 401 requires a body again that can be read only once, `writeFailed` if the server answers 2xx
    ///   before it has the whole body, or 3xx other than a redirect that keeps the body, unless `maximumRedirects` is 0;
    ///   `CancellationError`.
    public func send<Result: Sendable>(
        _ plan: BodyPlan, with request: HTTPRequest, observer: Observer = Observer(),
        answered: @escaping @Sendable (ExchangeResponse, Trace) async throws -> Result
    ) async throws -> Result {
        try await self.run(plan, request, observer, answered) { plan, request in
            PlainSend(plan, request, self.options)
        }
    }

    /// Runs the steps of a machine until the time-out.
    /// - Parameter make: Makes the machine; after a 401 again, with credentials in the request.
    func run<Result: Sendable>(
        _ plan: BodyPlan, _ request: HTTPRequest, _ observer: Observer,
        _ answered: @escaping @Sendable (ExchangeResponse, Trace) async throws -> Result,
        _ make: @escaping @Sendable (BodyPlan, HTTPRequest) throws -> any SendMachine
    ) async throws -> Result {
        let monitor = self.options.monitor ?? UploadMonitor()
        defer { monitor.finish() }
        let job = Job(plan: plan, request: request, monitor: monitor, observer: observer, make: make)
        guard let timeout = self.options.timeout else { return try await self.drive(job, nil, answered) }
        let end = ContinuousClock.Instant.after(timeout)
        do {
            return try await Race.run(until: end, late: Late()) { try await self.drive(job, end, answered) }
        } catch is Late {
            throw TransferError(
                .timedOut, "not finished within the allowed \((self.wholeTimeout ?? timeout).text)",
                bytesSent: monitor.current.acknowledged)
        }
    }

    private struct Job: Sendable {
        var plan: BodyPlan
        var request: HTTPRequest
        var monitor: UploadMonitor
        var observer: Observer
        var make: @Sendable (BodyPlan, HTTPRequest) throws -> any SendMachine
    }

    private struct Late: Error {}

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
        var plan: BodyPlan
        var request: HTTPRequest
        var machine: SharedMachine
        var trace = Trace()
        var resumptions = 0
        var isAuthorized = false
        /// The request whose server accepted no connection.
        var unreachable: HTTPRequest?
    }

    private func drive<Result: Sendable>(
        _ job: Job, _ end: ContinuousClock.Instant?,
        _ answered: @Sendable (ExchangeResponse, Trace) async throws -> Result
    ) async throws -> Result {
        var plan = job.plan
        if self.options.length == .fixed, plan.contentLength == nil {
            plan = try await plan.collected(
                upTo: self.options.memoryThreshold, in: self.options.temporaryFolder,
                checksFraming: self.options.reading.checksFraming)
        }
        plan = try await plan.checkedIfEmpty()
        let machine = SharedMachine(try job.make(plan, job.request))
        var course = UploadAttempt(plan: plan, request: job.request, machine: machine)
        while true {
            switch course.machine.next() {
            case .failed(let error): throw error
            case .pause(let duration, let reason):
                course.trace.retries += 1
                job.observer.retrying(reason, duration)
                job.monitor.pause(until: .after(duration))
                try await self.wait(duration, orFor: course.unreachable)
            case .answered(let head):
                course.trace.upload = course.machine.upload
                let answer = ExchangeResponse(
                    head: head, body: ExchangeResponseBody(), bytesSent: 0, isBodyComplete: true, isAllSent: true,
                    version: .http11)
                let result = try await answered(answer, course.trace)
                course.machine.delivered()
                return result
            case .exchange(let request, let body, let expectsContinue):
                let next = try await self.announce(request, body, &course, job)
                let result = try await self.exchange(next, body, expectsContinue, &course, job, end, answered)
                if let result { return result }
            }
        }
    }

    /// Reports that an exchange begins.
    /// - Returns: The request with its checksum.
    private func announce(
        _ request: HTTPRequest, _ body: ExchangeBody?, _ course: inout UploadAttempt, _ job: Job
    ) async throws -> HTTPRequest {
        var next = request
        if let algorithm = course.machine.checksum, let body {
            next.headerFields[.uploadChecksum] = try await body.plan.uploadChecksum(
                algorithm, from: body.offset, count: body.count)
        }
        if let upload = course.machine.upload, upload.resumptions > course.resumptions, let body {
            course.resumptions = upload.resumptions
            job.observer.resuming(body.offset, body.plan.contentLength)
        }
        course.unreachable = nil
        course.trace.requests += 1
        (course.trace.url, course.trace.method) = (next.urlText, next.method.rawValue)
        (course.trace.hasBody, course.trace.upload) = (body != nil, course.machine.upload)
        course.trace.redirects = course.machine.redirects
        job.observer.beginning(course.trace)
        job.monitor.begin(attempt: course.trace.retries + 1)
        return next
    }

    /// Makes one exchange.
    /// - Returns: What `answered` returned; `nil` if the machine decides what comes next.
    private func exchange<Result: Sendable>(
        _ next: HTTPRequest, _ body: ExchangeBody?, _ expectsContinue: Bool?, _ course: inout UploadAttempt, _ job: Job,
        _ end: ContinuousClock.Instant?, _ answered: @Sendable (ExchangeResponse, Trace) async throws -> Result
    ) async throws -> Result? {
        let trusts = self.options.trustsRedirects
        let (machine, asked) = (course.machine, course.isAuthorized ? nil : self.options.authentication)
        var trace = course.trace
        var isAnswered = false
        var isAuthorized = course.isAuthorized
        var authorization: String?
        do {
            let result: Result? = try await self.client.exchange(
                next, body: body, expectsContinue: expectsContinue, reading: self.options.reading,
                monitor: job.monitor, hooks: machine.hooks(job.observer, job.monitor),
                answered: { answer in
                    job.observer.received(answer.head, answer.version)
                    if let asked, let challenge = next.challenge(answer.head, like: trusts ? next : job.request) {
                        isAuthorized = true
                        authorization = try await asked.answer(challenge)
                        if authorization != nil { return nil }
                    }
                    let summary = SendResponse(
                        head: answer.head, bytesSent: answer.bytesSent, isBodyComplete: answer.isBodyComplete)
                    isAnswered = machine.answered(
                        summary, remaining: end.map { ContinuousClock.now.duration(to: $0) })
                    trace.upload = machine.upload
                    (trace.redirects, trace.movedTo) = (machine.redirects, machine.movedTo)
                    trace.isSourceRead = machine.isSourceRead
                    var answer = answer
                    answer.isBodyComplete = machine.isBodyComplete ?? answer.isBodyComplete
                    guard isAnswered else { return nil }
                    let result = try await answered(answer, trace)
                    machine.delivered()
                    return result
                })
            if let result { return result }
            if let authorization {
                // A server that refused before the body left it unread.
                if body != nil, machine.isSourceRead { try course.plan.checkAuthorizable() }
                course.request.headerFields[.authorization] = authorization
                course.machine = SharedMachine(try job.make(course.plan, course.request))
            }
        } catch is ExchangeStopped {
            try Task.checkCancellation()
        } catch {
            try Task.checkCancellation()
            if isAnswered || authorization != nil { throw error }
            let code = (error as? TransferError)?.code
            if code == .connect || code == .resolve { course.unreachable = next }
            machine.failed(error, remaining: end.map { ContinuousClock.now.duration(to: $0) })
        }
        course.isAuthorized = isAuthorized
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

    var upload: ResumableUpload? { self.state.withLock { $0.machine.upload } }
    var isBodyComplete: Bool? { self.state.withLock { $0.machine.isBodyComplete } }
    var redirects: Int? { self.state.withLock { $0.machine.redirects } }
    var movedTo: String? { self.state.withLock { $0.machine.movedTo } }
    var checksum: String? { self.state.withLock { $0.machine.checksum } }
    var isSourceRead: Bool { self.state.withLock { $0.machine.isSourceRead } }

    func next() -> SendStep {
        self.state.withLock { state in
            state.turn += 1
            return state.machine.next()
        }
    }

    func answered(_ answer: SendResponse, remaining: Duration?) -> Bool {
        self.state.withLock { $0.machine.answered(answer, remaining: remaining) }
    }

    func delivered() { self.state.withLock { $0.machine.delivered() } }

    func failed(_ error: any Error, remaining: Duration?) {
        self.state.withLock { $0.machine.failed(error, remaining: remaining) }
    }

    /// The hooks that report the exchange that starts now to the machine.
    func hooks(_ observer: FormSender.Observer, _ monitor: UploadMonitor?) -> ExchangeHooks {
        let turn = self.state.withLock { $0.turn }
        var hooks = ExchangeHooks()
        hooks.judgesEarly = { response, offer in
            self.state.withLock { $0.machine.judges(early: response, after: offer) }
        }
        hooks.requesting = observer.requesting
        hooks.answeredEarly = observer.received
        hooks.reading = { self.advance(turn) { $0.reading() } }
        hooks.sending = { offset in self.advance(turn) { $0.sending(upTo: offset) } }
        hooks.ended = { length in self.advance(turn) { $0.bodyEnded(at: length) } }
        hooks.informed = { response in
            let (continues, acknowledged) = self.state.withLock { state in
                (state.machine.informed(by: response), state.machine.upload?.acknowledged)
            }
            if let acknowledged, response.headerFields.uploadOffset != nil {
                monitor?.acknowledge(acknowledged)
            }
            await observer.informed(response)
            return continues
        }
        return hooks
    }

    private func advance(_ turn: Int, _ event: (inout any SendMachine) -> Void) {
        self.state.withLock { if $0.turn == turn { event(&$0.machine) } }
    }
}

extension HTTPRequest {
    /// The challenge of a 401 from the origin of the first request; `nil` for any other answer.
    fileprivate func challenge(
        _ answer: HTTPResponse, like first: HTTPRequest
    ) -> UploadAuthentication.Challenge? {
        guard answer.status == .unauthorized, let target = UploadTarget(self),
            UploadTarget(first)?.hasOrigin(of: target) == true
        else { return nil }
        return UploadAuthentication.Challenge(url: self.urlText) { name in
            HTTPField.Name(name).map { answer.headerFields[values: $0] } ?? []
        }
    }
}

extension FormSender {
    /// How to resume a transfer that was cut.
    package struct Resuming: Sendable {
        /// The protocol and the number of tries. `isReplayable` comes from the plan, and the rules for redirects
        /// from the sender.
        package var options: UploadClientOptions
        /// A saved upload to resume.
        package var link: SavedUpload?
        /// Called with the upload whenever it changes, and with `nil` when nothing is left to resume.
        package var save: @Sendable (SavedUpload?) throws -> Void

        package init(
            _ options: UploadClientOptions, continuing link: SavedUpload? = nil,
            save: @escaping @Sendable (SavedUpload?) throws -> Void = { _ in }
        ) {
            (self.options, self.link, self.save) = (options, link, save)
        }

        /// Whether the upload uses tus, now or since it began.
        package var usesTus: Bool { self.link.map { $0.uploadProtocol == .tus } ?? (self.options.choice == .tus) }
    }

    /// Like the other, but resumes where a connection was cut, if the server supports it. The tries and pauses are
    /// those of `resuming`.
    /// - Throws: Also `UploadFailure`.
    package func send<Result: Sendable>(
        _ plan: BodyPlan, with request: HTTPRequest, resuming: Resuming, observer: Observer = Observer(),
        answered: @escaping @Sendable (ExchangeResponse, Trace) async throws -> Result
    ) async throws -> Result {
        let kept = Mutex(resuming.link)
        var resuming = resuming
        let save = resuming.save
        resuming.save = { link in
            kept.withLock { $0 = link }
            try save(link)
        }
        let first = resuming
        return try await self.run(plan, request, observer, answered) { plan, request in
            var resuming = first
            resuming.link = kept.withLock { $0 }
            return try ResumableSend(plan, request, resuming, self.options)
        }
    }
}
