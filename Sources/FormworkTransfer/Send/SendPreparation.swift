import FormworkClient
import FormworkCommand

extension SendCommand {
    /// Makes a job of the arguments. Reads the arguments and the files' states. Nothing is sent.
    func job(_ monitor: UploadMonitor) async throws -> SendJob {
        let post = try self.body.presigned.map { try PresignedPost(file: $0) }
        try ExitStatus.refuse(
            if: post != nil && self.body.givesBody,
            "--presigned sends a form: give its file with -F file=@path, not with -T or -d")
        let content = post == nil ? try self.body.body(self.form) : nil
        let json = content?.isJSON == true ? ["Accept: application/json"] : []
        var fields = try RequestFields(options: json + self.habits.headers(), self.form.otherHeaders)
        if let authorization = try self.credentials.option() { fields.authorize(authorization) }
        // With ietf and tus the first request has no bytes, so repeating it stores nothing.
        let isRepeated = self.transfer.retry ?? 0 > 0 && [.off, .auto].contains(self.resume.choice)
        if isRepeated, post == nil, ["POST", "PUT"].contains(self.method) { fields.addIdempotencyKey() }
        var request = try self.request(post, fields)
        try self.credentials.authorize(&request, isSigned: post != nil)
        let plan = if let content { try await self.plan(content) } else { try await self.plan(post) }
        var job = SendJob(
            plan: plan, request: request, sender: try self.sender(request, asksFirst: fields.asksFirst, monitor))
        try GivenPath.checkOutput("-o", self.transfer.output)
        // TLS reads these, and the other files that options name are noted when they are read.
        let certificates = [self.connection.cacert, self.connection.cert, self.connection.key].compactMap(\.self)
        let inputs = self.form.inputs(of: plan) + certificates
        try SeparateOutput.check("-o", self.transfer.output, inputs: inputs)
        if let output = self.transfer.output, output != "-" { try OutputDestination.checkAnswer(output) }
        if content == nil {
            let isResumed = self.resume.choice != .off
            let checks = try self.form.checksWhileSending(plan, isResumed: isResumed)
            job.sender.options.reading.checksFraming = checks
        }
        try await self.resume.prepare(
            &job, hasBoundary: self.form.choosesBoundary, repeatsAll: self.transfer.retry != nil,
            files: (inputs, self.transfer.output))
        if let content {
            job.filename = content.filename
            job.resuming?.metadata["filename"] = content.filename
            job.resuming?.metadata["filetype"] = content.plan.contentType
        }
        return job
    }

    private func sender(_ request: HTTPRequest, asksFirst: Bool, _ monitor: UploadMonitor) throws -> FormSender {
        var reading = ReaderOptions()
        if let rate = self.transfer.limitRate {
            try ExitStatus.refuse(if: rate.bytes < 0, "--limit-rate \(rate.text): give 0 or more bytes a second")
            // As in curl, 0 means none.
            if rate.bytes > 0 { reading.rateLimit = .bytesPerSecond(Int(clamping: rate.bytes)) }
        }
        let options = try self.connection.clientOptions(asksFirst: asksFirst)
        if request.scheme == "https" { try self.connection.checkPEM() }
        return FormSender(
            client: FormClient(options: options),
            options: UploadOptions(
                maximumRedirects: self.repeats.maxRedirs, trustsRedirects: self.repeats.locationTrusted,
                retry: try self.retryPolicy(), timeout: try self.transfer.maxTime?.bound("--max-time"),
                monitor: monitor, reading: reading))
    }

    private func retryPolicy() throws -> RetryPolicy {
        let counts = [("--retry", self.transfer.retry ?? 0), ("--max-redirs", self.repeats.maxRedirs)]
        for (name, count) in counts { try ExitStatus.refuse(if: count < 0, "\(name) \(count): give 0 or more") }
        return RetryPolicy(
            count: self.transfer.retry ?? (self.resume.choice == .off ? 0 : 7),
            delay: try self.repeats.retryDelay?.duration("--retry-delay"),
            retriesAllErrors: self.repeats.retryAllErrors)
    }

    /// The plan of a body that isn't a form.
    private func plan(_ content: BodyOptions.Body) async throws -> BodyPlan {
        let plan = try await content.plan.checkedIfEmpty()
        plan.warnOfOtherBoundary()
        return try await self.form.spool ? Self.measured(plan) : plan
    }

    /// A plan with a length: the same, or one whose bytes are collected first.
    private static func measured(_ plan: BodyPlan) async throws -> BodyPlan {
        guard plan.contentLength == nil else { return plan }
        return try await plan.collected(upTo: 10_000_000, in: nil, checksFraming: false)
    }

    private var method: String { self.transfer.method ?? (self.body.uploadFile == nil ? "POST" : "PUT") }

    private func request(_ post: PresignedPost?, _ fields: RequestFields) throws -> HTTPRequest {
        guard let url = post?.url ?? self.url, post == nil || self.url == nil else {
            let taken = FormOptions.partWithoutName.map { ": -F has a value, and took \($0) for it" }
            let isMissing = "no URL\(taken ?? ""): write formwork send URL -F …"
            throw ExitStatus(2, post == nil ? isMissing : "--presigned contains the URL: leave out the other one")
        }
        let (first, last) = (url.utf8.first, url.utf8.last)
        // They come with the lines of a file, and would be sent percent-encoded.
        guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }), first != 0x20, last != 0x20 else {
            let shown = ShellQuote.quote(SecretText.masked(url: url))
            throw ExitStatus(2, "\(shown): a URL can't have control characters, or blanks around it: leave them out")
        }
        guard let method = HTTPRequest.Method(self.method) else {
            throw ExitStatus(2, "-X \(ShellQuote.quote(self.method)): is not a method, such as POST")
        }
        do {
            let whole = try TargetURL.complete(self.body.complete(url, addsName: self.resume.choice != .tus))
            return try HTTPRequest(method, to: TargetURL.withoutDotSegments(whole), headerFields: fields.fields)
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

/// Finds the part that a byte of a body belongs to.
struct PartMap: Sendable {
    private var starts: [Int64] = []
    private var labels: [String] = []
    /// How many parts have content.
    private(set) var count = 0

    /// - Parameter filename: The name of the file that is the whole body; `nil` for a form.
    init(_ plan: BodyPlan, filename: String? = nil) {
        for entry in plan.layout where entry.kind != .framing {
            self.count += 1
            guard let offset = entry.offset else { continue }
            self.starts.append(offset)
            self.labels.append(DisplayText(filename ?? entry.filename ?? entry.part?.name ?? "", limit: 30).text)
        }
    }

    /// The part's number from 1, and its name; `nil` before the first part.
    func part(at offset: Int64) -> (number: Int, label: String)? {
        let number = self.starts.partitioningIndex { $0 > offset }
        return number == 0 ? nil : (number, self.labels[number - 1])
    }
}
