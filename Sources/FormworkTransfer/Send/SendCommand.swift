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
        guard self.transfer.json else { return }
        try ValidationError.check([
            "--dry-run: there is no answer to report: leave out --json": self.transfer.dryRun,
            "-i: --json prints the answer's header fields in its object: leave -i out": self.answer.include,
            "-w: --json prints one object alone: leave one out, or write -w '%{json}'": self.answer.writeOut != nil,
        ])
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
        var prepared: SendJob?
        let report: SendReport
        do {
            var job = try await self.job(monitor)
            if self.resume.keepsState { record.watch(&job.resuming) }
            record.update { [length = job.plan.contentLength] in $0.total = length }
            prepared = job
            if self.transfer.dryRun { return try job.show() }
            let transfer = SendTransfer(command: self, monitor: monitor, record: record) { [url, job] signal in
                let status = ExitStatus(stoppedBy: signal)
                // Not of the last request alone, which may be the GET after a redirect.
                let sent = record.current.before + monitor.current.acknowledged
                // The signal itself is reported after this, as for every verb.
                JSONOutput.fail(status, record.result(of: job, to: url, sent: sent, status, since: start).members)
                self.report(signal, after: sent, record.current)
            }
            report = try await transfer.send(job)
        } catch {
            let isSecure = prepared?.request.scheme == "https"
            var status = ExitStatus(transfer: self.connection.explain(error, isSecure: isSecure))
            if !isSecure, record.current.isFirst, let error = error as? TransferError {
                status.hintAtTLS(after: error, prepared?.request.urlText ?? "")
            }
            if record.current.canContinue, (error as? TransferError)?.code == .gone {
                status.message? += ": look there, or add --restart-if-changed to send it again"
            }
            if record.current.isAnswerAgain { status.message? += "; the same command asks for it again" }
            let sent = record.current.before + monitor.current.acknowledged
            let result = record.result(of: prepared, to: self.url, sent: sent, status, since: start)
            // The transfer's failure is reported below; a failure to write this text isn't.
            try? self.write(result, writeOut)
            throw status
        }
        let failure = self.failure(of: report, prepared, record.current.total)
        record.update { $0.report = report }
        let result = record.result(of: prepared, to: self.url, sent: report.bytesSent, failure, since: start)
        try ResponseOutput.writing { try self.write(result, writeOut) }
        if report.trace.upload?.isAnswerLost == true {
            Messages.warn("the server has the whole upload, but its answer was lost")
        }
        if let failure { throw failure }
    }

    /// What an answer of 400 or more, or before the whole body, ends with; `nil` for another one.
    private func failure(of report: SendReport, _ job: SendJob?, _ total: Int64?) -> ExitStatus? {
        let isFailure = report.status >= 400 && self.answer.failure != .noFail
        // With --max-redirs 0 a redirect is the answer, but one that comes too early doesn't say that the body arrived.
        let isCut = report.status < 400 && !report.isBodyComplete
        guard isFailure || isCut else { return nil }
        let hasProxy = report.status == 407 && job?.sender.client.asksProxy(url: report.trace.url) == true
        var failure = ExitStatus(isCut ? 55 : 22, report.failure(total: total, hasProxy: hasProxy))
        guard self.resume.choice == .off, let job else { return failure }
        let retry = job.sender.options.retry
        if let blocker = job.plan.replayBlocker, retry.count > 0, retry.covers(status: report.status),
            report.trace.isSourceRead
        {
            let fix = blocker.message.hasPrefix("standard input") ? ": --spool stores it first" : ""
            failure.message? += "; not tried again, as \(blocker.message)\(fix)"
        } else if isFailure {
            failure.message? += self.reasonAgainstWaiting(report, retry)
        }
        return failure
    }

    /// Says how much was sent when a signal stops it. Objects have that already.
    private func report(_ signal: StoppingSignal, after sent: Int64, _ record: SendRecord.State) {
        guard Messages.current != .events, !self.transfer.json else { return }
        let total = record.total.map { " of \($0.asByteSize)" } ?? ""
        let next = record.canContinue ? "; the same command continues it" : ""
        Messages.report("stopped", "stopped by \(signal.name) after \(sent.asByteSize)\(total)\(next)", [])
    }

    /// Why an answer that can be retried wasn't, if --max-time left too little for the wait.
    private func reasonAgainstWaiting(_ report: SendReport, _ retry: RetryPolicy) -> String {
        guard self.transfer.maxTime != nil, retry.count > report.trace.retries, retry.covers(status: report.status)
        else { return "" }
        let asked = report.fields[.retryAfter].map { "the wait that it asks for (Retry-After: \($0))" }
        return "; not tried again, as \(asked ?? "the wait before that") is longer than --max-time leaves"
    }

    /// Writes what `--json` and `-w` ask for.
    private func write(_ result: WriteOut.Result, _ writeOut: WriteOut?) throws {
        if self.transfer.json { try JSONOutput.write(result.members, failure: result.failure) }
        if let writeOut { try StandardOutput.write(writeOut.text(result)) }
    }
}
