/// Sends a form until it has arrived: with retries, redirects, credentials, and a time-out for all of it.
public struct FormSender: Sendable {
    /// How exchanges are made.
    public var client: FormClient
    /// How the body is uploaded. A time-out is ``TransferError/Code/timedOut``, one redirect too many is
    /// ``TransferError/Code/redirects``.
    public var options: UploadOptions
    /// When the time-out ends; `nil` if it begins with each call.
    package var end: ContinuousClock.Instant?

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
        try await self.run(plan, request, observer, answered) { plan in PlainSend(plan, request, self.options) }
    }

    func run<Result: Sendable>(
        _ plan: BodyPlan, _ request: HTTPRequest, _ observer: Observer,
        _ answered: @escaping @Sendable (ExchangeResponse, Trace) async throws -> Result,
        _ make: @escaping @Sendable (BodyPlan) throws -> any SendMachine
    ) async throws -> Result {
        let timeout = self.options.timeout
        let end = self.end ?? timeout.map { .after($0) }
        let driver = SendDriver(self.client, self.options, request, by: end, observer)
        defer { driver.monitor.finish() }
        return try await driver.send(
            plan,
            late: TransferError(
                .timedOut, "not finished within the allowed \((timeout ?? .zero).text)",
                bytesSent: driver.monitor.current.acknowledged), answered, make)
    }
}

extension FormSender {
    /// Like the other, but resumes where a connection was cut, if the server supports it. The tries and pauses are
    /// those of `resuming`.
    package func send<Result: Sendable>(
        _ plan: BodyPlan, with request: HTTPRequest, resuming: ResumingOptions, observer: Observer = Observer(),
        answered: @escaping @Sendable (ExchangeResponse, Trace) async throws -> Result
    ) async throws -> Result {
        try await self.run(plan, request, observer, answered) { plan in
            try ResumableSend(plan, request, resuming, self.options)
        }
    }

    /// The first request as it would be sent. Nothing is sent.
    /// - Throws: ``TransferError/Code/invalidRequest``.
    package func preview(_ plan: BodyPlan, with request: HTTPRequest, resuming: ResumingOptions?) throws -> HTTPRequest
    {
        // Which upload follows depends on the answer to this question.
        if let resuming, resuming.usesTus, resuming.link == nil {
            return try self.client.preview(request.asksTus, body: nil)
        }
        var (first, body) = (request, ExchangeBody?.some(ExchangeBody(plan)))
        first.headerFields[.contentType] = plan.contentType
        if let resuming {
            var machine = try ResumableSend(plan, first, resuming, self.options)
            if case .exchange(let next, let content, _) = machine.next() { (first, body) = (next, content) }
        }
        return try self.client.preview(first, body: body)
    }
}
