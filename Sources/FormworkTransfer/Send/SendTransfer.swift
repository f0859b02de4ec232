import FormworkClient
import FormworkCommand
import FormworkSystem
import FormworkURLEncoded

/// Sends what was prepared, and reports how it goes.
struct SendTransfer {
    let command: SendCommand
    let monitor: UploadMonitor
    let record: SendRecord
    /// Runs before a signal stops the process.
    let stopped: @Sendable (StoppingSignal) -> Void

    /// Sends the form, or to a tus server that reads no forms each of its files.
    func send(_ job: SendJob) async throws -> SendReport {
        var job = job
        job.sender.end = job.sender.options.timeout.map { .after($0) }
        let jobs = try await self.jobs(of: job)
        let lengths = jobs.map(\.plan.contentLength)
        let total = lengths.contains(nil) ? nil : lengths.reduce(0) { $0 + ($1 ?? 0) }
        self.record.update { $0.total = total }
        var report: SendReport?
        var stored: [SendReport.StoredFile] = []
        for job in jobs {
            var next: SendReport
            do { next = try await self.sendOne(job) } catch {
                guard jobs.count > 1, let filename = job.filename else { throw error }
                var status = ExitStatus(transfer: error).about(filename)
                if !stored.isEmpty { status.message? += "; stored before it: \(stored.count) of \(jobs.count, "file")" }
                throw status
            }
            if job.isStored, let filename = job.filename, next.status < 400 {
                let file = SendReport.StoredFile(name: filename, url: next.trace.upload?.url, bytes: next.bytesSent)
                stored.append(file)
                if let url = file.url {
                    Messages.report(
                        "stored", "\(filename) is at \(url)", [("filename", .text(filename)), ("url", .text(url))])
                }
            }
            next.stored = stored
            let sent = next.bytesSent
            next.bytesSent += self.record.current.before
            self.record.update { $0.before += sent }
            report = next
            if next.status >= 400 { break }
        }
        guard let report else { throw ExitStatus(2, "the form has no file") }
        return report
    }

    /// The transfers that deliver a form: more than one for several files and a tus server that reads no forms.
    private func jobs(of job: SendJob) async throws -> [SendJob] {
        guard var resuming = job.resuming, resuming.usesTus else { return [job] }
        let interruption = Interruption(self.stopped)
        defer { withExtendedLifetime(interruption) {} }
        let checks = resuming.checksum != nil
        var server = TusServer()
        if resuming.link == nil || checks {
            let asking = UploadMonitor()
            server = try await job.sender.tusServer(
                for: job.request, tries: resuming.maximumAttempts, observer: self.observer(nil, asking),
                monitor: asking)
        }
        if checks {
            guard let algorithm = server.checksum else {
                throw ExitStatus(2, "--repr-digest: this tus server checks neither SHA-256 nor SHA-1: leave it out")
            }
            resuming.checksum = algorithm
        }
        let deliveries: [TusDelivery]
        do { deliveries = try await resuming.deliveries(of: job.plan, to: server) } catch let error as FormworkError {
            guard error.code == .lengthUnknown else { throw error }
            // --spool also collects what -T names.
            let isForm = self.command.body.uploadFile == nil
            let remedy = isForm ? job.plan.lengthBlocker?.lengthRemedy ?? "" : ": --spool finds it"
            throw ExitStatus(2, "\(error)\(remedy)")
        }
        try ExitStatus.refuse(
            if: deliveries.count != 1 && self.command.resume.keepsState,
            "a saved state belongs to one upload, and this tus server makes each of the "
                + "\(deliveries.count, "file") an upload: send them one by one")
        // Before the first file is sent.
        for delivery in deliveries { _ = try await delivery.plan.checkedIfEmpty() }
        return deliveries.map { delivery in
            var next = job
            (next.plan, next.resuming) = (delivery.plan, delivery.resuming)
            (next.filename, next.isStored) = (delivery.filename ?? job.filename, delivery.filename != nil)
            return next
        }
    }

    private func sendOne(_ job: SendJob) async throws -> SendReport {
        let (command, monitor) = (self.command, self.monitor)
        let kind = command.habits.progressBar ? .bar : command.transfer.progress
        let progress = command.isQuiet ? nil : SendProgress(kind, job.plan, filename: job.filename)
        let interruption = Interruption { [stopped] signal in
            progress?.interrupt()
            stopped(signal)
        }
        defer { withExtendedLifetime(interruption) {} }
        let observer = self.observer(progress, monitor)
        let output = ResponseOutput(
            file: command.transfer.output, includesHead: command.answer.include, isJSON: command.transfer.json,
            failure: command.answer.failure, record: self.record)
        let shown = progress.map { progress in Task { await progress.show(monitor) } }
        let result: Result<SendReport, any Error>
        do {
            let take: @Sendable (ExchangeResponse, FormSender.Trace) async throws -> SendReport = {
                progress?.finish(monitor)
                if let place = $1.movedTo {
                    Messages.warn(
                        "the server redirects to \(place); after that status the form isn't sent again: send it to that URL"
                    )
                }
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
        var observer = FormSender.Observer(
            retrying: { reason, pause in
                progress?.interrupt()
                Messages.retry(reason, attempt: monitor.current.attempt + 1, after: pause.seconds)
            })
        observer.beginning = { [record] trace in record.update { $0.begin(trace) } }
        let isVerbose = self.command.transfer.verbose
        let show: @Sendable (String, MaskedHead, String) -> Void = { kind, head, sign in
            progress?.interrupt()
            if !Messages.head(kind, head.line, head.fields) { Self.write(head.lines, sign) }
        }
        observer.received = { [record] response, version in
            record.update { $0.head = .init(response: response, version: version) }
            if isVerbose { show("answer", MaskedHead(.init(response: response, version: version)), "<") }
        }
        if isVerbose {
            observer.requesting = { [record] request, isHTTP2 in
                record.update { $0.version = isHTTP2 ? .http2 : .http11 }
                show("request", MaskedHead(request, isHTTP2: isHTTP2), ">")
            }
            observer.informed = { [record] in
                show("answer", MaskedHead(.init(response: $0, version: record.current.version)), "<")
            }
        }
        observer.resuming = { offset, total in
            guard offset > 0 else { return }
            progress?.interrupt()
            let whole = total.map { " of \($0.asByteSize)" } ?? ""
            Messages.report(
                "resumed", "resuming at \(offset.asByteSize)\(whole)",
                [("offset", .optional(offset)), ("total", .optional(total))])
        }
        return observer
    }

    /// Writes a head to standard error, as curl's -v does.
    private static func write(_ lines: [String], _ sign: String) {
        StandardError.write(
            (lines + [""]).map { "\(sign) \($0.withControlCharactersEscaped)".trimmingTrailingSpace + "\n" }.joined())
    }
}

extension String {
    fileprivate var trimmingTrailingSpace: String { self.hasSuffix(" ") ? String(self.dropLast()) : self }
}

/// Everything needed to start sending.
struct SendJob {
    var plan: BodyPlan
    var request: HTTPRequest
    /// `nil` for a plain transfer.
    var resuming: ResumingOptions?
    var sender: FormSender
    /// The lock of the saved state.
    var lock: FileLock?
    /// The name of the file that is the whole body; `nil` for a form.
    var filename: String?
    /// Whether a tus server stores the body as a file at the upload's URL.
    var isStored = false

    /// Prints the first request, and the plan of the body.
    func show() throws {
        let ready = try self.sender.preview(self.plan, with: self.request, resuming: self.resuming)
        let isHTTP2 = self.sender.client.options.version == .http2
        let head = MaskedHead(ready, isHTTP2: isHTTP2).lines.map { $0.withControlCharactersEscaped + "\n" }.joined()
        let tus = "Asks the tus server first. If it reads no forms, each file is an upload of its own.\n"
        let note = self.resuming?.usesTus == true && self.resuming?.link == nil ? "\n" + tus : ""
        let table = self.plan.table(width: Terminal.columns(of: .standardOutput))
        try StandardOutput.write(head + "\n" + table + note)
    }
}
