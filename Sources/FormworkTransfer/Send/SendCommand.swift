import ArgumentParser
import FormworkClient
import FormworkCommand
import FormworkSystem
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
              formwork send https://example.com/up -F photo=@a.jpg --json | jq .status

            'formwork help parts' explains -F, 'formwork help statuses' the exit statuses.
            """)

    @Argument(help: "The URL. Without a scheme it is http://.")
    var url: String?

    @OptionGroup(title: "Form") var parts: PartOptions

    @OptionGroup(title: "Bodies other than a form") var body: BodyOptions

    @OptionGroup(title: "Transfer") var transfer: TransferOptions

    @OptionGroup(title: "Credentials") var credentials: CredentialOptions

    @OptionGroup(title: "Resuming") var resume: ResumeOptions

    @OptionGroup(title: "Retries and redirects") var repeats: RepeatOptions

    @OptionGroup(title: "Details of the form") var form: FormOptions

    @OptionGroup(title: "Details of the answer") var answer: ResponseOptions

    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    @OptionGroup(visibility: .hidden) var habits: HabitOptions

    var isQuiet: Bool { self.transfer.quiet || self.habits.silent }

    package func validate() throws {
        try GivenPath.check(["-o": self.transfer.output, "--presigned": self.body.presigned])
        guard !self.transfer.dryRun || !self.transfer.json else {
            throw ValidationError("--dry-run: there is no answer to report: leave out --json")
        }
        guard !self.transfer.json || !self.answer.include else {
            throw ValidationError("-i: --json prints the answer's header fields in its object: leave -i out")
        }
        guard !self.transfer.json || self.answer.writeOut == nil else {
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
        let writeOut = try self.answer.writeOut.map { try WriteOut($0) }
        var isSecure = false
        var (url, method) = (self.url ?? "", "POST")
        var blocker: FormworkError?
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
            if self.transfer.dryRun { return try job.show() }
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
            if record.canContinue, (error as? TransferError)?.code == .gone {
                status.message? += ": look there, or add --restart-if-changed to send it again"
            }
            if record.isAnswerAgain { status.message? += "; the same command asks for it again" }
            let result = record.result(monitor, url, method, status, since: start)
            // The transfer's failure is reported below; a failure to write this text isn't.
            try? self.write(result, writeOut)
            throw status
        }
        let total = record.total
        let isFailure = report.status >= 400 && self.answer.failure != .noFail
        let hasProxy = report.status == 407 && client?.asksProxy(url: report.trace.url) == true
        // With --max-redirs 0 a redirect is the answer, but one that comes too early doesn't say that the body arrived.
        let isCut = report.status < 400 && !report.isBodyComplete
        var failure =
            isFailure || isCut
            ? ExitStatus(isCut ? 55 : 22, report.failure(total: total, hasProxy: hasProxy)) : nil
        if let blocker, let retry, retry.count > 0, retry.covers(status: report.status), report.trace.isSourceRead {
            let fix = blocker.message.hasPrefix("standard input") ? ": --spool stores it first" : ""
            failure?.message? += "; not tried again, as \(blocker.message)\(fix)".withControlCharactersEscaped
        } else if let retry, isFailure {
            failure?.message? += self.reasonAgainstWaiting(report, retry)
        }
        let result = WriteOut.Result(
            report: report, url: url, method: method, failure: failure, bytesSent: report.bytesSent, total: total,
            seconds: start.duration(to: .now).seconds)
        try ResponseOutput.writing { try self.write(result, writeOut) }
        if report.trace.upload?.isAnswerLost == true {
            Warning.write(["the server has the whole upload, but its answer was lost"])
        }
        if let failure { throw failure }
    }

    /// Says how much was sent when a signal stops it. Objects have that already.
    private func report(_ signal: StoppingSignal, after sent: Int64, of total: Int64?, canContinue: Bool) {
        guard Messages.current != .events, !self.transfer.json else { return }
        let total = total.map { " of \($0.asByteSize)" } ?? ""
        let next = canContinue ? "; the same command continues it" : ""
        Messages.report(
            "stopped", "stopped by \(signal.name) after \(sent.asByteSize)\(total)\(next)", [])
    }

    /// Why an answer that can be retried wasn't, if --max-time left too little for the wait.
    private func reasonAgainstWaiting(_ report: SendReport, _ retry: RetryPolicy) -> String {
        guard self.transfer.maxTime != nil, retry.count > report.trace.retries, retry.covers(status: report.status)
        else {
            return ""
        }
        let asked = report.fields[.retryAfter].map { "the wait that it asks for (Retry-After: \($0))" }
        return "; not tried again, as \(asked ?? "the wait before that") is longer than --max-time leaves"
            .withControlCharactersEscaped
    }

    /// Writes what `--json` and `-w` ask for.
    private func write(_ result: WriteOut.Result, _ writeOut: WriteOut?) throws {
        if self.transfer.json { try JSONOutput.write(result.members, failure: result.failure) }
        if let writeOut { try StandardOutput.write(writeOut.text(result)) }
    }
}
