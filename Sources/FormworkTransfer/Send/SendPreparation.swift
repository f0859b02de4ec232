import FormworkClient
import FormworkCommand

/// Makes a ``SendJob`` of the arguments.
struct SendPreparation {
    let command: SendCommand

    /// Reads the arguments and the files' states. Nothing is sent.
    func job(_ monitor: UploadMonitor) async throws -> SendJob {
        let post = try self.command.body.presigned.map { try PresignedPost(file: $0) }
        guard post == nil || !self.command.body.givesBody else {
            throw ExitStatus(2, "--presigned sends a form: give its file with -F file=@path, not with -T or -d")
        }
        let content = post == nil ? try self.command.body.body(self.command.form) : nil
        let json = content?.isJSON == true ? ["Accept: application/json"] : []
        var fields = try RequestFields(options: json + self.command.habits.headers(), self.command.form.otherHeaders)
        if let authorization = try self.command.credentials.option() { fields.authorize(authorization) }
        // With ietf and tus the first request has no bytes, so repeating it stores nothing.
        let isRepeated = self.command.transfer.retry ?? 0 > 0 && [.off, .auto].contains(self.command.resume.choice)
        if isRepeated, post == nil, ["POST", "PUT"].contains(self.method) { fields.addIdempotencyKey() }
        var request = try self.request(post, fields)
        try self.command.credentials.authorize(&request, isSigned: post != nil)
        let plan = if let content { try await self.plan(content) } else { try await self.plan(post) }
        var sender = try self.sender(request, asksFirst: fields.asksFirst, monitor)
        try GivenPath.checkOutput("-o", self.command.transfer.output)
        let connection = self.command.connection
        let named = [
            self.command.body.presigned, connection.cacert, connection.cert, connection.key,
            self.command.credentials.netrcFile,
        ]
        let inputs = self.command.form.inputs(of: plan) + self.command.body.files + named.compactMap(\.self)
        try SeparateOutput.check("-o", self.command.transfer.output, inputs: inputs)
        if let output = self.command.transfer.output, output != "-" { try OutputDestination.checkAnswer(output) }
        if content == nil {
            let isResumed = self.command.resume.choice != .off
            let checks = try self.command.form.checksWhileSending(plan, isResumed: isResumed)
            sender.options.reading.checksFraming = checks
        }
        let prepared = try await self.command.resume.prepare(
            plan, &request, sender.options.retry, boundary: self.command.form.boundary,
            repeatsAll: self.command.transfer.retry != nil, files: (inputs, self.command.transfer.output))
        var job = SendJob(
            plan: prepared.plan, request: request, resuming: prepared.resuming, sender: sender, lock: prepared.lock)
        if let content {
            job.filename = content.filename
            job.resuming?.options.metadata["filename"] = content.filename
            job.resuming?.options.metadata["filetype"] = content.plan.contentType
        }
        return job
    }

    private func sender(
        _ request: HTTPRequest, asksFirst: Bool, _ monitor: UploadMonitor
    ) throws -> FormSender {
        let command = self.command
        var reading = ReaderOptions()
        reading.rateLimit = try command.transfer.limitRate?.bytesPerSecond("--limit-rate").map { .bytesPerSecond($0) }
        let options = try command.connection.clientOptions(asksFirst: asksFirst)
        if request.scheme == "https" { try command.connection.checkPEM() }
        let retry = try self.retryPolicy()
        return FormSender(
            client: FormClient(options: options),
            options: UploadOptions(
                maximumRedirects: command.repeats.maxRedirs, trustsRedirects: command.repeats.locationTrusted,
                retry: retry, timeout: try command.transfer.maxTime?.bound("--max-time"),
                monitor: monitor, reading: reading))
    }

    private func retryPolicy() throws -> RetryPolicy {
        let command = self.command
        let counts = [("--retry", command.transfer.retry ?? 0), ("--max-redirs", command.repeats.maxRedirs)]
        for (name, count) in counts where count < 0 {
            throw ExitStatus(2, "\(name) \(count): give 0 or more")
        }
        return RetryPolicy(
            count: command.transfer.retry ?? (command.resume.choice == .off ? 0 : 7),
            delay: try command.repeats.retryDelay?.duration("--retry-delay"),
            retriesAllErrors: command.repeats.retryAllErrors)
    }

    /// The plan of a body that isn't a form.
    private func plan(_ content: BodyOptions.Body) async throws -> BodyPlan {
        let plan = try await content.plan.checkedIfEmpty()
        return try await self.command.form.spool ? Self.measured(plan) : plan
    }

    /// A plan with a length: the same, or one whose bytes are collected first.
    private static func measured(_ plan: BodyPlan) async throws -> BodyPlan {
        guard plan.contentLength == nil else { return plan }
        return try await plan.collected(upTo: 10_000_000, in: nil, checksFraming: false)
    }

    private var method: String {
        self.command.transfer.method ?? (self.command.body.uploadFile == nil ? "POST" : "PUT")
    }

    private func request(_ post: PresignedPost?, _ fields: RequestFields) throws -> HTTPRequest {
        guard let url = post?.url ?? self.command.url, post == nil || self.command.url == nil else {
            throw ExitStatus(
                2,
                post == nil
                    ? "formwork: no URL: write formwork send URL -F …"
                    : "formwork: --presigned contains the URL: leave out the other one")
        }
        let (first, last) = (url.utf8.first, url.utf8.last)
        // They come with the lines of a file, and would be sent percent-encoded.
        guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), first != 0x20, last != 0x20 else {
            let shown = ShellQuote.quote(SecretText.masked(url: url)).withControlCharactersEscaped
            throw ExitStatus(2, "\(shown): a URL can't have control characters, or blanks around it: leave them out")
        }
        guard let method = HTTPRequest.Method(self.method) else {
            throw ExitStatus(2, "-X \(ShellQuote.quote(self.method)): is not a method, such as POST")
        }
        do {
            return try HTTPRequest(
                method,
                to: TargetURL.withoutDotSegments(
                    TargetURL.complete(self.command.body.complete(url, addsName: self.command.resume.choice != .tus))),
                headerFields: fields.fields)
        } catch { throw ExitStatus(transfer: error) }
    }

    private func plan(_ post: PresignedPost?) async throws -> BodyPlan {
        guard let post else { return try self.command.form.makePlan(passesHeaders: true) }
        // S3 doesn't accept chunked bodies.
        var form = self.command.form
        form.spool = true
        return try await Self.measured(
            form.makePlan(passesHeaders: true, leading: post.fields.count, arrange: post.arrange))
    }
}

/// Finds the part that a byte of a body belongs to.
struct PartMap: Sendable {
    private var starts: [Int64] = []
    private var labels: [String] = []
    /// How many parts have content.
    let count: Int

    /// - Parameter filename: The name of the file that is the whole body; `nil` for a form.
    init(_ plan: BodyPlan, filename: String? = nil) {
        var count = 0
        for entry in plan.layout where entry.kind != .framing {
            count += 1
            guard let offset = entry.offset else { continue }
            self.starts.append(offset)
            let name = (filename ?? entry.filename ?? entry.part?.name ?? "").withControlCharactersEscaped
            self.labels.append(DisplayText(name, limit: 30).text)
        }
        self.count = count
    }

    /// The part's number from 1, and its name; `nil` before the first part.
    func part(at offset: Int64) -> (number: Int, label: String)? {
        var (low, high) = (0, self.starts.count)
        while low < high {
            let middle = (low + high) / 2
            if self.starts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : (low, self.labels[low - 1])
    }
}
