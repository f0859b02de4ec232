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

package struct SendCommand: ParsableCommand, Sendable {
    package static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: FormworkVerbs.send,
        usage: "formwork send [options] URL -F NAME=VALUE -F NAME=@FILE",
        discussion: """
            EXAMPLES
              formwork send https://example.com/up -F title=Harbour -F photo=@a.jpg
              formwork send https://example.com/up -F photo=@a.jpg --retry 5 --max-time 600
              formwork send https://example.com/up -F film=@a.mov --state a.upload
              formwork send https://example.com/up -F f=@a.log --limit-rate 2M --progress log
              formwork send https://example.com/up -F photo=@a.jpg --json | jq .status
              formwork send --presigned post.json -F file=@a.jpg

            The answer's body goes to standard output, even if the request failed. Progress goes to standard error. If \
            an answer of 400 or more arrives while the body is being sent, sending stops and that answer is the result.

            307 and 308 repeat the request. After 301 and 302, POST is repeated as GET without a body; after 303, every \
            method but HEAD is. \
            Credentials are sent to the first origin only, unless --location-trusted is given. A body that can be read \
            only once is never sent again.

            With --resume or --state a cut upload continues where the server stopped receiving, if the server supports \
            it. send retries as long as each try makes progress, and gives up after 7 retries without progress (--retry \
            changes that). With --state the same command continues an upload even after it was killed.

            --resume tus sends a form to 'formwork receive' only. Any other tus server gets each file as an upload of its \
            own, with filename, filetype and the form's fields as Upload-Metadata.

            A time is in seconds, or has a unit: 90s, 15m, 24h, 7d. A size or rate may end in k, M, G, T or P, \
            which are powers of 1024.

            \(ExitStatusList.section(for: "send"))
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
            "Wait this long before each retry. Default: up to 1 second, doubled each time; with --resume 0, then 1, 2, 4, "
                + "8, 16 and 30 seconds. A server's Retry-After has precedence.",
            valueName: "time"), transform: TimeOption.read)
    var retryDelay: TimeOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Wait at most this long when the server says Retry-After, even if it asks for longer. (default: 3600)",
            valueName: "time"), transform: TimeOption.read)
    var maxRetryAfter: TimeOption?

    @Flag(
        help:
            "Retry after any failure, including answers of 400 and more. After 2xx nothing is retried, even if the answer is cut or comes before the body's end: the server may have the upload."
    )
    var retryAllErrors = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The most redirects to follow. With 0 the redirect is the answer.", valueName: "n"))
    var maxRedirs: Int = 20

    @Option(
        name: [.customShort("m"), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "Give up after this long, retries included (0, the default: no limit).", valueName: "time"),
        transform: TimeOption.read)
    var maxTime: TimeOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send at most this many bytes a second, such as 500k or 2M (0, the default: no limit).", valueName: "rate"),
        transform: RateOption.read)
    var limitRate: RateOption?

    @Flag var failure: FailureOption = .failWithBody

    @Option(
        help: ArgumentHelp(
            "A JSON file with an S3 POST policy: url and fields, as from boto3. Its fields go first, the form's one file last.",
            valueName: "post.json"),
        completion: .file(extensions: ["json"]))
    var presigned: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the answer's body to this file. It appears only when it is complete.",
            discussion: """
                An existing file in a folder where you can't create files is written in place. A file that is \
                replaced keeps its permissions and, if the system allows that, its owner and group.
                """, valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(name: .shortAndLong, help: "Write the answer's header fields before its body.")
    var include = false

    @Flag(
        help: """
            Print one JSON object: the answer or the error, and what was sent. It has at most 1 MiB of the answer's \
            body; -o writes all of it.
            """)
    var json = false

    @Option(help: ProgressOption.help)
    var progress: ProgressOption = .auto

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time between two reports of progress, 0.1 or more. (default: 0.1 for a bar, 2 for log and json, 10 for "
                + "auto without a terminal)", valueName: "time"), transform: TimeOption.read)
    var progressInterval: TimeOption?

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
            "Write this text, or @FILE, after the answer, with variables such as %{http_code}, %{json} or %header{etag}.",
            discussion: """
                The variables are \(WriteOut.variables.map { "%{\($0)}" }.joined(separator: ", ")), and %header{NAME}. \
                They are curl's, but %{json} is the object of --json, and the times other than %{time_total} aren't \
                measured. Other variables stay empty, with a warning.
                """,
            valueName: "format"),
        completion: FileWord.completion)
    var writeOut: String?

    @OptionGroup(title: "curl's habits") var habits: HabitOptions

    var isQuiet: Bool { self.quiet || self.habits.silent }

    package func validate() throws {
        try GivenPath.check(["-o": self.output, "--presigned": self.presigned])
        guard !self.dryRun || !self.json else {
            throw ValidationError("--dry-run: there is no answer to report: leave out --json")
        }
        guard !self.json || !self.include else {
            throw ValidationError("-i: --json prints the answer's header fields in its object: leave -i out")
        }
        guard !self.json || self.writeOut == nil else {
            throw ValidationError("-w: --json prints one object alone: leave one out, or write -w '%{json}'")
        }
    }

    package init() {}

    package func run() throws { try MainTask.run { try await self.send() } }

    private func send() async throws {
        if self.isQuiet { Messages.silence() }
        do {
            try await self.transfer()
        } catch {
            guard self.habits.hidesErrors else { throw error }
            throw ExitStatus(ExitStatus(transfer: error).code)
        }
    }

    private func transfer() async throws {
        let start = ContinuousClock.now
        let monitor = UploadMonitor()
        let record = SendRecord()
        let writeOut = try self.writeOut.map { try WriteOut($0) }
        var isSecure = false
        var (url, method) = (self.url ?? "", "POST")
        var blocker: BodyPlan.Blocker?
        var retry: RetryPolicy?
        var client: FormClient?
        let report: SendReport
        do {
            var job = try await SendPreparation(command: self).job(monitor)
            if self.resume.keepsState { record.watch(&job.resuming) }
            record.expect(job.plan.contentLength)
            if self.resume.choice == .off { (blocker, retry) = (job.plan.replayBlocker, job.sender.options.retry) }
            client = job.sender.client
            isSecure = job.request.scheme == "https"
            (url, method) = (job.request.urlText, job.request.method.rawValue)
            if self.dryRun { return try job.show() }
            let (sentURL, sentMethod) = (url, method)
            let transfer = SendTransfer(command: self, monitor: monitor, record: record) { signal in
                let result = record.result(monitor, sentURL, sentMethod, ExitStatus(stoppedBy: signal), since: start)
                // The signal itself is reported after this, as for every verb.
                if let failure = result.failure { JSONOutput.fail(failure, result.members) }
                // Not of the last request alone, which may be the GET after a redirect.
                let sent = record.before + monitor.current.acknowledged
                self.report(signal, after: sent, of: result.total, canContinue: record.canContinue)
            }
            report = try await transfer.send(job)
        } catch {
            let proxy = self.connection.environmentProxy(isSecure: isSecure)
            var status = ExitStatus(transfer: proxy?.explain(error) ?? error)
            if !isSecure, record.isFirst, let error = error as? TransferError { status.hintAtTLS(after: error, url) }
            if record.isAnswerAgain { status.message? += "; the same command asks for it again" }
            let result = record.result(monitor, url, method, status, since: start)
            // The transfer's failure is reported below; a failure to write this text isn't.
            try? self.write(result, writeOut)
            throw status
        }
        let total = record.total
        let isFailure = report.status >= 400 && self.failure != .noFail
        let hasProxy = report.status == 407 && client?.asksProxy(url: report.url) == true
        // With --max-redirs 0 a redirect is the answer, but one that comes too early doesn't say that the body arrived.
        let isCut = report.status < 400 && !report.isBodyComplete
        var failure =
            isFailure || isCut
            ? ExitStatus(isCut ? 55 : 22, report.failure(total: total, hasProxy: hasProxy)) : nil
        if let blocker, let retry, retry.count > 0, retry.covers(status: report.status), report.isSourceRead {
            let fix = blocker.reason.hasPrefix("standard input") ? ": --spool stores it first" : ""
            failure?.message? += "; not tried again, as \(blocker.reason)\(fix)".withControlCharactersEscaped
        } else if let retry, isFailure {
            failure?.message? += self.reasonAgainstWaiting(report, retry)
        }
        let result = WriteOut.Result(
            report: report, url: url, method: method, failure: failure, bytesSent: report.bytesSent, total: total,
            seconds: start.duration(to: .now).seconds)
        try ResponseOutput.writing { try self.write(result, writeOut) }
        if report.upload?.isAnswerLost == true {
            Warning.write(["the server has the whole upload, but its answer was lost"])
        }
        if let failure { throw failure }
    }

    /// Says how much was sent when a signal stops it. Objects have that already.
    private func report(_ signal: StoppingSignal, after sent: Int64, of total: Int64?, canContinue: Bool) {
        guard Messages.current != .events, !self.json else { return }
        let total = total.map { " of \($0.asByteSize)" } ?? ""
        let next = canContinue ? "; the same command continues it" : ""
        Messages.report(
            "stopped", "stopped by \(signal.name) after \(sent.asByteSize)\(total)\(next)", [])
    }

    /// Why an answer that can be retried wasn't, if --max-time left too little for the wait.
    private func reasonAgainstWaiting(_ report: SendReport, _ retry: RetryPolicy) -> String {
        guard self.maxTime != nil, retry.count >= report.tries, retry.covers(status: report.status) else { return "" }
        let asked = report.fields[.retryAfter].map { "the wait that it asks for (Retry-After: \($0))" }
        return "; not tried again, as \(asked ?? "the wait before that") is longer than --max-time leaves"
            .withControlCharactersEscaped
    }

    /// Writes what `--json` and `-w` ask for.
    private func write(_ result: WriteOut.Result, _ writeOut: WriteOut?) throws {
        if self.json { try JSONOutput.write(result.members, failure: result.failure) }
        if let writeOut { try StandardOutput.write(writeOut.text(result)) }
    }
}
