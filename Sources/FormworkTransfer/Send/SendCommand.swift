#if Transfer
import ArgumentParser
import Formwork
import FormworkCommand
import FormworkFiles
import FormworkHTTP
import FormworkResumable
import FormworkSystem
import FormworkNIO
import FormworkClient
import FormworkURLEncoded
import SystemPackage

package struct SendCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: FormworkVerbs.send,
        discussion: """
            EXAMPLES
              formwork send https://example.com/up -F title=Harbour -F photo=@a.jpg
              formwork send https://example.com/up -F photo=@a.jpg --retry 5 --max-time 600
              formwork send https://example.com/up -F film=@a.mov --state a.upload
              formwork send https://example.com/up -F log=@big.log --limit-rate 2M --progress log
              formwork send https://example.com/up -F photo=@a.jpg --json | jq .status
              formwork send --presigned post.json -F file=@a.jpg

            The answer's body goes to standard output, even if the request failed. Progress goes to standard error. If
            an answer of 400 or more arrives while the body is being sent, sending stops and that answer is the result.

            307 and 308 repeat the request. 301 and 302 turn POST into GET; 303 turns every method into GET. Credentials
            are sent to the first origin only. A body that can be read only once is never sent again.

            With --resume or --state a cut upload continues where the server stopped receiving, if the server supports
            it. It retries as long as each try makes progress, and gives up after 7 retries without progress (--retry
            changes that). With --state the same command continues an upload even after it was killed.

            --resume tus sends a form to 'formwork receive' only. Any other tus server gets each file as an upload of its
            own, with filename, filetype and the form's fields as Upload-Metadata.
            """)

    @Argument(help: "The URL to send the form to. Without a scheme it is http://.")
    var url: String?

    @OptionGroup(title: "Form") var form: FormOptions

    @OptionGroup(title: "Bodies other than a form") var body: BodyOptions

    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp("The method (default: POST; PUT with -T).", valueName: "method"))
    var method: String?

    @OptionGroup(title: "Credentials") var credentials: CredentialOptions

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    @OptionGroup(title: "Resuming") var resume: ResumeOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Retry this many times after temporary failures (default: 0; 7 with --resume).", valueName: "n"
        ))
    var retry: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Wait this long before each retry (default: 1 second, doubled each time). Retry-After is used first.",
            valueName: "seconds"))
    var retryDelay: SecondsOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Wait at most this long when the server says Retry-After (default: 3600).", valueName: "seconds"))
    var maxRetryAfter: SecondsOption?

    @Flag(help: "Retry after any failure, including answers of 400 and more.")
    var retryAllErrors = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most redirects to follow. With 0 the redirect is the answer.", valueName: "n"))
    var maxRedirs: Int = 20

    @Option(
        name: [.customShort("m"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Give up after this long, retries included (0, the default: no limit).", valueName: "seconds"))
    var maxTime: SecondsOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send at most this many bytes a second, such as 500k or 2M (0, the default: no limit).", valueName: "rate"))
    var limitRate: RateOption?

    @Flag var failure: FailureOption = .failWithBody

    @Option(
        help: ArgumentHelp(
            "An S3 POST policy, {\"url\", \"fields\"} as from boto3. Its fields go first, the form's one file last.",
            valueName: "post.json"),
        completion: .file(extensions: ["json"]))
    var presigned: String?

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write the answer's body to this file.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(name: .shortAndLong, help: "Write the answer's header fields before its body.")
    var include = false

    @Flag(help: "Print one JSON object: the answer, or the error, and what was sent.")
    var json = false

    @Option(help: ProgressOption.help)
    var progress: ProgressOption = .auto

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time between two reports of progress.", valueName: "seconds"))
    var progressInterval: SecondsOption?

    @Flag(name: .shortAndLong, help: "Write only errors to standard error.")
    var quiet = false

    @Flag(
        name: .shortAndLong,
        help: "Write the heads of all requests and answers to standard error; passwords and tokens are masked.")
    var verbose = false

    @Flag(
        name: [.long, .customLong("offline")],
        help: "Print the request that would be sent, and the plan of its body, and send nothing.")
    var dryRun = false

    @Option(
        name: [.customShort("w"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Write this text after the answer, with variables such as %{http_code}, %{json} or %header{etag}.",
            valueName: "format"))
    var writeOut: String?

    @OptionGroup(title: "curl's habits") var habits: HabitOptions

    private var isQuiet: Bool { self.quiet || self.habits.silent }

    package func validate() throws {
        guard !self.dryRun || !self.json else {
            throw ValidationError("--dry-run: there is no answer to report: leave out --json")
        }
    }

    package init() {}

    package func run() async throws {
        do { try await self.transfer() } catch {
            guard self.habits.hidesErrors else { throw error }
            throw ExitStatus(ExitStatus(transfer: error).code)
        }
    }

    private func transfer() async throws {
        let start = ContinuousClock.now
        let monitor = UploadMonitor()
        let writeOut = try self.writeOut.map { try WriteOut($0) }
        var total: Int64?
        var isSecure = false
        var (url, method) = (self.url ?? "", "POST")
        let report: SendReport
        do {
            let job = try await self.prepare(monitor)
            total = job.plan.contentLength
            isSecure = job.request.scheme == "https"
            (url, method) = (job.request.urlText, job.request.method.rawValue)
            if self.dryRun { return try await self.show(job) }
            report = try await self.send(job, monitor)
        } catch {
            let proxy = self.connection.environmentProxy(isSecure: isSecure)
            let status = ExitStatus(transfer: proxy?.explain(error) ?? error)
            let result = WriteOut.Result(
                url: url, method: method, failure: status, bytesSent: monitor.current.acknowledged, total: total,
                seconds: start.duration(to: .now).seconds)
            // The transfer's failure is reported below; a failure to write this text isn't.
            try? self.write(result, writeOut)
            throw status
        }
        let isFailure = report.status >= 400 && self.failure != .noFail
        let failure = isFailure ? ExitStatus(22, report.failure(total: total)) : nil
        let result = WriteOut.Result(
            report: report, url: url, method: method, failure: failure, bytesSent: report.bytesSent, total: total,
            seconds: start.duration(to: .now).seconds)
        try AnswerOutput.writing { try self.write(result, writeOut) }
        if report.upload?.isAnswerLost == true, !self.isQuiet {
            Warning.write(["the server has the whole upload, but its answer was lost"])
        }
        if let failure { throw failure }
    }

    /// Writes what `--json` and `-w` ask for.
    private func write(_ result: WriteOut.Result, _ writeOut: WriteOut?) throws {
        if self.json { try JSONOutput.write(result.members, failure: result.failure) }
        if let writeOut { try StandardOutput.write(writeOut.text(result)) }
    }

    /// Prints the first request, and the plan of the body.
    private func show(_ job: Job) async throws {
        var (request, body) = (job.request, ExchangeBody?.some(ExchangeBody(job.plan)))
        request.headerFields[.contentType] = job.plan.contentType
        if let resuming = job.resuming {
            var machine = try ResumableSend(job.plan, request, resuming, maximumRedirects: self.maxRedirs)
            if case .exchange(let first, let content, _) = machine.next() { (request, body) = (first, content) }
            if resuming.usesTus, resuming.link == nil {
                // Which upload follows depends on the answer.
                request = job.request
                (request.method, request.headerFields[.reprDigest], body) = (.options, nil, nil)
            }
        }
        let ready = try job.sender.client.preview(request, body: body)
        let isHTTP2 = job.sender.client.options.version == .http2
        let head = ready.lines(isHTTP2: isHTTP2).map { $0.withControlCharactersEscaped + "\n" }.joined()
        let tus = "Asks the tus server first. If it reads no forms, each file is an upload of its own.\n"
        let note = job.resuming?.usesTus == true && job.resuming?.link == nil ? "\n" + tus : ""
        let table = PlanTable(job.plan).text(width: Terminal.columns(of: .standardOutput))
        try StandardOutput.write(head + "\n" + table + note)
    }

    /// Everything needed to start sending.
    private struct Job {
        var plan: BodyPlan
        var request: HTTPRequest
        /// `nil` for a plain transfer.
        var resuming: FormSender.Resuming?
        var sender: FormSender
        var progressInterval: Duration?
        /// The lock of the saved state.
        var lock: FileLock?
        /// The name of the file that is the whole body; `nil` for a form.
        var filename: String?
        /// Whether a tus server stores the body as a file at the upload's URL.
        var isStored = false
    }

    /// Reads the arguments and the files' states. Nothing is sent.
    private func prepare(_ monitor: UploadMonitor) async throws -> Job {
        let post = try self.presigned.map { try PresignedPost(file: $0) }
        let content = post == nil ? try self.body.body(self.form) : nil
        let json = content?.isJSON == true ? ["Accept: application/json"] : []
        var fields = try RequestFields(json + self.habits.headers() + self.form.otherHeaders)
        if let authorization = try self.credentials.option() { fields.authorize(authorization) }
        var request = try self.request(post, fields)
        try self.credentials.authorize(&request, isSigned: post != nil)
        let plan = if let content { try await self.plan(content) } else { try await self.plan(post) }
        var reading = ReaderOptions()
        reading.rateLimit = try self.limitRate?.bytesPerSecond("--limit-rate").map { .bytesPerSecond($0) }
        let options = try self.connection.clientOptions(asksFirst: fields.asksFirst)
        if request.scheme == "https" { try self.connection.checkPEM() }
        for (name, count) in [("--retry", self.retry ?? 0), ("--max-redirs", self.maxRedirs)] where count < 0 {
            throw ExitStatus(2, "formwork: \(name) \(count): give 0 or more")
        }
        var retry = RetryPolicy(
            count: self.retry ?? (self.resume.choice == .off ? 0 : 7),
            delay: try self.retryDelay?.duration("--retry-delay"), retriesAllErrors: self.retryAllErrors)
        if let bound = try self.maxRetryAfter?.duration("--max-retry-after") { retry.maximumRetryAfter = bound }
        let sender = FormSender(
            client: FormClient(options: options),
            options: UploadOptions(
                maximumRedirects: self.maxRedirs, retry: retry, timeout: try self.maxTime?.bound("--max-time"),
                monitor: monitor, reading: reading))
        let interval = try self.progressInterval?.duration("--progress-interval")
        if let output, output != "-" { try OutputPlace.checkAnswer(output) }
        let prepared = try await self.resume.prepare(
            plan, &request, retry, boundary: self.form.boundary, repeatsAll: self.retry != nil
        ) { text in
            if !self.isQuiet { Warning.write([text]) }
        }
        var job = Job(
            plan: prepared.plan, request: request, resuming: prepared.resuming, sender: sender,
            progressInterval: interval, lock: prepared.lock)
        if let content {
            job.filename = content.filename
            job.resuming?.options.metadata["filename"] = content.filename
            job.resuming?.options.metadata["filetype"] = content.plan.contentType
        }
        return job
    }

    /// Sends the form, or to a tus server that reads no forms each of its files.
    private func send(_ job: Job, _ monitor: UploadMonitor) async throws -> SendReport {
        let end = job.sender.options.timeout.map { ContinuousClock.Instant.after($0) }
        let jobs = try await self.jobs(of: job)
        var report: SendReport?
        var stored: [SendReport.StoredFile] = []
        for var job in jobs {
            job.sender.options.timeout = end.map { ContinuousClock.now.duration(to: $0) }
            var next: SendReport
            do { next = try await self.sendOne(job, monitor) } catch {
                guard jobs.count > 1, let filename = job.filename else { throw error }
                var status = ExitStatus(transfer: error)
                let before = stored.isEmpty ? "" : "; stored before it: \(stored.count) of \(jobs.count) files"
                let reason = (status.message ?? "formwork: it failed").trimmingPrefix("formwork: ")
                status.message = "formwork: \(filename.withControlCharactersEscaped): \(reason)\(before)"
                throw status
            }
            if job.isStored, let filename = job.filename, next.status < 400 {
                let file = SendReport.StoredFile(name: filename, url: next.upload?.url, bytes: next.bytesSent)
                stored.append(file)
                if !self.isQuiet, let url = file.url {
                    Messages.report(
                        "stored", "\(filename) is at \(url)", [("filename", .text(filename)), ("url", .text(url))])
                }
            }
            next.stored = stored
            report = next
            if next.status >= 400 { break }
        }
        guard let report else { throw ExitStatus(2, "formwork: the form has no file") }
        return report
    }

    /// The transfers that deliver a form: more than one for several files and a tus server that reads no forms.
    private func jobs(of job: Job) async throws -> [Job] {
        guard var resuming = job.resuming, resuming.usesTus else { return [job] }
        let checks = resuming.options.checksum != nil
        var server = TusServer()
        if resuming.link == nil || checks {
            server = try await job.sender.tusServer(
                for: job.request, tries: resuming.options.maximumAttempts, observer: self.observer(nil, UploadMonitor())
            )
        }
        if checks {
            guard let algorithm = server.checksum else {
                throw ExitStatus(
                    2, "formwork: --repr-digest: this tus server checks neither SHA-256 nor SHA-1: leave it out")
            }
            resuming.options.checksum = algorithm
        }
        let deliveries = try await resuming.deliveries(of: job.plan, to: server)
        guard deliveries.count == 1 || !self.resume.keepsState else {
            throw ExitStatus(
                2,
                "formwork: a saved state is of one upload, and this tus server stores each of the \(deliveries.count) files "
                    + "as one: send them one by one")
        }
        return deliveries.map { delivery in
            var next = job
            (next.plan, next.resuming) = (delivery.plan, delivery.resuming)
            (next.filename, next.isStored) = (delivery.filename ?? job.filename, delivery.filename != nil)
            return next
        }
    }

    private func sendOne(_ job: Job, _ monitor: UploadMonitor) async throws -> SendReport {
        let progress =
            self.isQuiet
            ? nil
            : SendProgress(
                self.habits.progressBar ? .bar : self.progress, interval: job.progressInterval, job.plan,
                filename: job.filename)
        let interruption = Interruption { progress?.interrupt() }
        defer { withExtendedLifetime(interruption) {} }
        let observer = self.observer(progress, monitor)
        let output = AnswerOutput(
            file: self.output, includesHead: self.include, isJSON: self.json, hidesFailures: self.failure == .fail)
        let shown = progress.map { progress in Task { await progress.show(monitor) } }
        let result: Result<SendReport, any Error>
        do {
            let take: @Sendable (ExchangeAnswer, FormSender.Trace) async throws -> SendReport = {
                progress?.finish(monitor)
                return try await output.take($0, $1)
            }
            if let resuming = job.resuming {
                result = .success(
                    try await job.sender.send(
                        job.plan, with: job.request, resuming: resuming, observer: observer, answered: take))
            } else {
                result = .success(
                    try await job.sender.send(job.plan, with: job.request, observer: observer, answered: take))
            }
        } catch { result = .failure(error) }
        shown?.cancel()
        await shown?.value
        progress?.finish(monitor)
        return try result.get()
    }

    /// Reports retries, resumptions, and with -v all heads.
    private func observer(_ progress: SendProgress?, _ monitor: UploadMonitor) -> FormSender.Observer {
        let isQuiet = self.isQuiet
        var observer = FormSender.Observer(
            retrying: { reason, pause in
                guard !isQuiet else { return }
                progress?.interrupt()
                Messages.retry(reason, attempt: monitor.current.attempt + 1, after: pause.seconds)
            })
        if self.verbose {
            observer.requesting = { request, isHTTP2 in
                progress?.interrupt()
                Self.write(request.lines(isHTTP2: isHTTP2), ">")
            }
            observer.informed = { response in
                progress?.interrupt()
                Self.write(response.lines(isHTTP2: false), "<")
            }
            observer.received = { response, isHTTP2 in
                progress?.interrupt()
                Self.write(response.lines(isHTTP2: isHTTP2), "<")
            }
        }
        observer.resuming = { offset, total in
            guard !isQuiet, offset > 0 else { return }
            progress?.interrupt()
            let whole = total.map { " of \(ByteSize.text($0))" } ?? ""
            Messages.report(
                "resumed", "resuming at \(ByteSize.text(offset))\(whole)",
                [("offset", .optional(offset)), ("total", .optional(total))])
        }
        return observer
    }

    /// Writes a head to standard error, as curl's -v does.
    private static func write(_ lines: [String], _ sign: String) {
        StandardError.write(
            (lines + [""]).map { "\(sign) \($0.withControlCharactersEscaped)".trimmingTrailingSpace + "\n" }.joined())
    }

    /// The plan of a body that isn't a form.
    private func plan(_ content: BodyOptions.Body) async throws -> BodyPlan {
        try await self.form.spool ? Self.measured(content.plan) : content.plan
    }

    /// A plan with a length: the same, or one whose bytes are collected first.
    private static func measured(_ plan: BodyPlan) async throws -> BodyPlan {
        guard plan.contentLength == nil else { return plan }
        return try await plan.collected(upTo: 10_000_000, in: nil, checksFraming: false)
    }

    private func request(_ post: PresignedPost?, _ fields: RequestFields) throws -> HTTPRequest {
        guard let url = post?.url ?? self.url, post == nil || self.url == nil else {
            throw ExitStatus(
                2,
                post == nil
                    ? "formwork: no URL: write formwork send URL -F …"
                    : "formwork: --presigned gives the URL: leave out the other one")
        }
        let given = self.method ?? (self.body.uploadFile == nil ? "POST" : "PUT")
        guard let method = HTTPRequest.Method(given) else {
            throw ExitStatus(2, "formwork: -X \(ShellQuote.quote(given)): is not a method, such as POST")
        }
        do {
            return try HTTPRequest(
                method, to: TargetURL.complete(self.body.complete(url, addsName: self.resume.choice != .tus)),
                headerFields: fields.fields)
        } catch { throw ExitStatus(transfer: error) }
    }

    private func plan(_ post: PresignedPost?) async throws -> BodyPlan {
        guard let post else { return try self.form.makePlan(passesHeaders: true) }
        // S3 doesn't accept chunked bodies.
        var form = self.form
        form.spool = true
        return try await Self.measured(
            form.makePlan(passesHeaders: true, leading: post.fields.count, arrange: post.arrange))
    }
}

extension String {
    fileprivate var trimmingTrailingSpace: String { self.hasSuffix(" ") ? String(self.dropLast()) : self }
}

/// How to treat an answer of 400 or more.
enum FailureOption: String, EnumerableFlag {
    case failWithBody, fail, noFail

    static func name(for value: Self) -> NameSpecification {
        value == .fail ? [.customShort("f"), .customLong("fail")] : .long
    }

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .failWithBody: "Write the body of an answer of 400 or more, and exit with 22. This is the default."
        case .fail: "Exit with 22 after an answer of 400 or more, without writing its body."
        case .noFail: "Exit with 0 even after an answer of 400 or more."
        }
    }
}
#endif
