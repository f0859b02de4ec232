import FormworkHummingbirdCore
import FormworkResumable
import HTTPTypes
import Logging
import NIOCore

// Uploads: in one request, and as a part of those that arrive in pieces.
extension Exchange {
    /// The answer to an upload in one request; never `nil`.
    func receive(_ upload: IncomingUpload, _ body: AskedBody) async throws -> ServiceResponse? {
        let upload = self.confined(upload)
        let arrival: IdempotentUploads.Arrival?
        do throws(ProblemDetails) { arrival = try await self.arrival() } catch { return self.refuse(error) }
        return try await self.working(arrival) { memory in
            await self.once(arrival, upload, body) { run in
                await self.take(upload, body, UploadContext(run: run, memory: memory))
            }
        }
    }

    /// An upload, on the terms of the request's link if there is one.
    func confined(_ upload: IncomingUpload) -> IncomingUpload {
        var upload = upload
        upload.terms = self.scope?.terms ?? upload.terms
        return upload
    }

    /// Notes a request with an ``IdempotencyKey``. An older one that hangs with the same key gives up its slot and its memory
    /// first: otherwise the client's repetition would be refused for lack of them.
    /// - Returns: `nil` for a request without a key.
    func arrival() async throws(ProblemDetails) -> IdempotentUploads.Arrival? {
        guard let key = try IdempotencyKey(self.head.headerFields, owner: self.owner) else { return nil }
        let arrival = self.receiver.intake.idempotent.arrived(key, self.head)
        await self.receiver.intake.idempotent.endOlder(arrival)
        return arrival
    }

    /// Runs an upload if there are a slot and memory for it.
    func working(
        _ arrival: IdempotentUploads.Arrival?,
        _ upload: @escaping @Sendable (ReceiverMemory.Lease?) async -> ServiceResponse?
    ) async throws -> ServiceResponse? {
        try await self.receiver.slots.run(for: self.client.key) {
            arrival?.leave()
        } _: {
            let memory = self.receiver.intake.memory
            guard memory.limit != nil else { return await upload(nil) }
            guard let lease = await memory.admit() else {
                return self.refuse(.unavailable("The uploads in progress use all memory: try again later."), .memory)
            }
            return await upload(lease)
        } without: { reason in
            let problem: ProblemDetails =
                switch reason {
                case .stopping: .unavailable("The receiver is stopping.")
                case .clientLimit: .tooMany("This client has too many uploads in progress: try again later.")
                default: .unavailable("Too many uploads are in progress: try again later.")
                }
            return self.refuse(problem, reason)
        }
    }

    /// Takes an upload, unless it was stored under the same key.
    func once(
        _ arrival: IdempotentUploads.Arrival?, _ upload: IncomingUpload, _ body: AskedBody,
        _ take: @escaping @Sendable (IdempotentUploads.Arrival?) async -> ServiceResponse
    ) async -> ServiceResponse {
        guard let arrival else { return await take(nil) }
        do throws(ProblemDetails) {
            return try await self.receiver.intake.idempotent.once(arrival) { stored in
                await self.repeated(stored, upload, body)
            } _: { run in
                await take(run)
            }
        } catch { return self.refuse(error) }
    }

    /// Answers an upload whose key was used by one that is stored. It is read, so that no other upload is taken for it.
    private func repeated(
        _ stored: IdempotentUploads.Stored, _ upload: IncomingUpload, _ body: AskedBody
    ) async -> ServiceResponse {
        do {
            let compared = try await self.receiver.intake.comparing.take(upload, body)
            guard let receipt = stored.receipt(for: compared) else { throw ProblemDetails.keyIsTaken }
            self.logger.info(
                "answer repeated", metadata: ["method": "\(self.head.method.rawValue)", "path": "\(self.shownPath)"])
            var answer = self.answer(receipt, after: -1)
            if self.router.isResumable(self.head) { answer.fields[.uploadComplete] = "?1" }
            return answer
        } catch {
            let failure = self.failure(error)
            self.receiver.metrics?.count(.uploadFailures, "\(failure.problem.status)")
            self.log(failure)
            return self.refusal(failure.problem)
        }
    }

    /// Stores an upload that is the request's body.
    func take(
        _ upload: IncomingUpload, _ body: AskedBody, _ context: UploadContext
    ) async -> ServiceResponse {
        await self.take(upload, context) { upload, context in
            try await self.receiver.intake.take(upload, body, in: context)
        }
    }

    func take(
        _ upload: IncomingUpload, _ context: UploadContext,
        _ store: (IncomingUpload, UploadContext) async throws -> UploadReceipt
    ) async -> ServiceResponse {
        let (start, metrics) = (ContinuousClock.now, self.receiver.metrics)
        let before = self.receiver.intake.arrivals.last
        metrics?.count(.uploadsInFlight)
        var (upload, context) = (upload, context)
        let uses = self.receiver.intake.linkUses
        var place: String?
        do {
            place = try await StorageProblem.marking { try await uses?.take(upload.terms, for: upload.resumed?.name) }
            // A resumable upload was asked about when it began.
            if upload.terms.asked == nil { upload.terms = try await self.asked(upload) }
            context.owner = upload.terms.link.map { "link \($0)" } ?? self.owner
            let receipt = try await store(upload, context)
            let duration = ContinuousClock.now - start
            metrics?.ended(201, receipt, duration)
            self.log(receipt, duration, upload.resumed)
            return self.answer(receipt, after: before)
        } catch {
            if let place { await uses?.giveBack(place) }
            let failure = self.failure(error, context.run)
            metrics?.ended(failure.isBusy ? nil : failure.problem.status, nil, ContinuousClock.now - start)
            self.log(failure, ContinuousClock.now - start)
            // A resumable upload can be completed again after such a failure.
            if upload.resumed == nil || failure.problem.status < 500 {
                await self.report(failure.problem, upload.terms)
            }
            var answer = self.refusal(failure.problem)
            answer.isBusy = failure.isBusy
            return answer
        }
    }

    /// The answer to an upload that is stored.
    /// - Parameter arrival: The last arrival before it.
    private func answer(_ receipt: UploadReceipt, after arrival: Int) -> ServiceResponse {
        var answer: ServiceResponse
        if self.head.wantsHTML {
            let received = ArrivalNumbers(
                self.receiver.intake.arrivals.all.filter { $0.id > arrival && receipt.names($0) }.map(\.id))
            // A browser that follows the redirect with GET sends the form's origin (Fetch, "append a request Origin
            // header"). wget2 also asks for HTML, and would send the form again after each redirect.
            if self.head.headerFields[.origin] == nil {
                answer = self.html(.created, .uploads(received: received), arrivals: self.arrivals)
            } else {
                answer = .seeOther("\(self.base)?received=\(received)")
            }
        } else {
            answer = ServiceResponse(.created, "application/json", ByteBuffer(bytes: receipt.jsonBytes))
            answer.lease = receipt.memory
        }
        if receipt.fingerprint != nil {
            var receipt = receipt
            (receipt.fields, receipt.memory) = ([], nil)
            answer.receipt = receipt
        }
        return answer
    }

    func failure(_ error: any Error, _ run: IdempotentUploads.Arrival? = nil) -> FailedUpload {
        if run?.isReplaced == true { return FailedUpload(ProblemDetails.replaced) }
        let isDropped = self.receiver.slots.isDropped
        // Otherwise, a task is cancelled because its connection ended, or the receiver stops.
        guard Task.isCancelled, !isDropped else {
            var failure = FailedUpload(error)
            if failure.isDropped {
                let why = isDropped ? "the receiver is stopping" : "another request continued it"
                failure.reason = "the upload was dropped: \(why)"
            }
            return failure
        }
        return FailedUpload(ConnectionLost())
    }

    // MARK: The hook

    /// The terms on which an upload is accepted.
    /// - Parameter creation: How it begins, if it is resumable.
    /// - Throws: The hook's refusal, and `CancellationError`.
    func asked(_ upload: IncomingUpload, _ creation: UploadCreation? = nil) async throws -> UploadTerms {
        guard let hooks = self.receiver.intake.hooks else { return upload.terms }
        let (target, access) = (RequestPath(self.head.path), self.receiver.access)
        var described = HookEvent.Upload(
            upload: SignedLink.newID() + SignedLink.newID(), protocol: "http", method: self.head.method.rawValue,
            path: target.shown.cut(to: 4_096), length: upload.length, peer: self.client.text)
        described.query = target.query?.cut(to: 4_096)
        described.traceparent = TraceParent(self.head.headerFields)?.text
        described.link = self.scope.map { HookEvent.Link($0.link) }
        described.credential =
            if self.scope != nil { "link" } else if access.token == nil { nil } else {
                access.session(in: self.head.headerFields) == nil ? "token" : "login"
            }
        var isForm = false
        switch upload.content {
        case .parts(let type, _): (described.type, isForm) = (type, true)
        case .file(let path, let type): (described.name, described.type) = (self.receiver.intake.name(path), type)
        }
        if let creation {
            described.protocol = creation.uploadProtocol == .tus ? "tus" : "ietf"
            described.fields = creation.metadata.entries.map { entry in
                UploadReceipt.Field(name: entry.key, value: String(decoding: entry.value, as: UTF8.self))
            }
        }
        return try await hooks.ask(described, isForm: isForm, upload.terms)
    }

    /// Reports that an upload failed that the hook had accepted.
    func report(_ problem: ProblemDetails, _ terms: UploadTerms) async {
        await self.receiver.intake.hooks?.failed(terms, status: problem.status, problem.detail ?? problem.title)
    }
}

extension UploadReceipt {
    /// Whether an arrival is one of this receipt's files.
    fileprivate func names(_ arrival: Arrival) -> Bool {
        arrival.state == .complete && self.files.contains { $0.name == arrival.name }
    }
}
