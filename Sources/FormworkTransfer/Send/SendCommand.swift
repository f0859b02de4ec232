#if Transfer
import ArgumentParser
import Formwork
import FormworkCommand
import FormworkHTTP
import FormworkResumable
import FormworkNIO
import FormworkClient
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
            """)

    @Argument(help: "The URL to send the form to. Without a scheme it is http://.")
    var url: String?

    @OptionGroup(title: "Form") var form: FormOptions

    @Option(name: [.customShort("X"), .customLong("request")], help: "The method (default: POST).")
    var method: String = "POST"

    @Option(
        name: [.customShort("u"), .long],
        help: ArgumentHelp("Credentials, sent with the Basic scheme in the first request.", valueName: "user:password"))
    var user: String?

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

    package init() {}

    package func run() async throws {
        let start = ContinuousClock.now
        let monitor = UploadMonitor()
        var total: Int64?
        var isSecure = false
        let report: SendReport
        do {
            let job = try await self.prepare(monitor)
            total = job.plan.contentLength
            isSecure = job.request.scheme == "https"
            report = try await self.send(job, monitor)
        } catch {
            let proxy = self.connection.environmentProxy(isSecure: isSecure)
            let status = ExitStatus(transfer: proxy?.explain(error) ?? error)
            if self.json {
                let members = SendReport.members(
                    nil, bytesSent: monitor.current.acknowledged, total: total,
                    seconds: start.duration(to: .now).seconds)
                // The transfer's failure is reported below; a failure to write this text isn't.
                try? JSONOutput.write(members, failure: status)
            }
            throw status
        }
        let isFailure = report.status >= 400 && self.failure != .noFail
        let failure = isFailure ? ExitStatus(22, report.failure(total: total)) : nil
        if self.json {
            let seconds = start.duration(to: .now).seconds
            let members = SendReport.members(report, total: total, seconds: seconds)
            try AnswerOutput.writing { try JSONOutput.write(members, failure: failure) }
        }
        if report.upload?.isAnswerLost == true, !self.quiet {
            Warning.write(["the server has the whole upload, but its answer was lost"])
        }
        if let failure { throw failure }
    }

    /// Everything needed to start sending.
    private struct Job {
        var plan: BodyPlan
        var request: HTTPRequest
        /// `nil` for a plain transfer.
        var resuming: FormSender.Resuming?
        var sender: FormSender
        var progressInterval: Duration?
    }

    /// Reads the arguments and the files' states. Nothing is sent.
    private func prepare(_ monitor: UploadMonitor) async throws -> Job {
        let post = try self.presigned.map { try PresignedPost(file: $0) }
        var fields = try RequestFields(self.form.otherHeaders)
        if let user { try fields.authorize(user) }
        var request = try self.request(post, fields)
        let plan = try await self.plan(post)
        var reading = ReaderOptions()
        reading.rateLimit = try self.limitRate?.bytesPerSecond("--limit-rate").map { .bytesPerSecond($0) }
        let options = try self.connection.clientOptions(asksFirst: fields.asksFirst)
        if request.scheme == "https" { try self.connection.checkPEM() }
        for (name, count) in [("--retry", self.retry ?? 0), ("--max-redirs", self.maxRedirs)] where count < 0 {
            throw ExitStatus(2, "formwork: \(name) \(count): give 0 or more")
        }
        let retry = RetryPolicy(
            count: self.retry ?? (self.resume.choice == .off ? 0 : 7),
            delay: try self.retryDelay?.duration("--retry-delay"), retriesAllErrors: self.retryAllErrors)
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
            if !self.quiet { Warning.write([text]) }
        }
        return Job(
            plan: prepared.plan, request: request, resuming: prepared.resuming, sender: sender,
            progressInterval: interval)
    }

    private func send(_ job: Job, _ monitor: UploadMonitor) async throws -> SendReport {
        let progress = self.quiet ? nil : SendProgress(self.progress, interval: job.progressInterval, job.plan)
        let interruption = Interruption { progress?.interrupt() }
        defer { withExtendedLifetime(interruption) {} }
        let isQuiet = self.quiet
        let observer = FormSender.Observer(
            retrying: { reason, pause in
                guard !isQuiet else { return }
                progress?.interrupt()
                Messages.retry(reason, attempt: monitor.current.attempt + 1, after: pause.seconds)
            })
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

    private func request(_ post: PresignedPost?, _ fields: RequestFields) throws -> HTTPRequest {
        guard let url = post?.url ?? self.url, post == nil || self.url == nil else {
            throw ExitStatus(
                2,
                post == nil
                    ? "formwork: no URL: write formwork send URL -F …"
                    : "formwork: --presigned gives the URL: leave out the other one")
        }
        guard let method = HTTPRequest.Method(self.method) else {
            throw ExitStatus(2, "formwork: -X \(ShellQuote.quote(self.method)): is not a method, such as POST")
        }
        do {
            return try HTTPRequest(method, to: TargetURL.complete(url), headerFields: fields.fields)
        } catch { throw ExitStatus(transfer: error) }
    }

    private func plan(_ post: PresignedPost?) async throws -> BodyPlan {
        guard let post else { return try self.form.makePlan(passesHeaders: true) }
        // S3 doesn't accept chunked bodies.
        var form = self.form
        form.spool = true
        let plan = try form.makePlan(passesHeaders: true, leading: post.fields.count, arrange: post.arrange)
        guard plan.contentLength == nil else { return plan }
        return try await plan.collected(upTo: 10_000_000, in: nil, checksFraming: false)
    }
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
