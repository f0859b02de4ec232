import Formwork
import FormworkClient
import FormworkHTTP
import FormworkHummingbirdCore
import FormworkResumable
import FormworkSystem
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Answers requests.
struct Responder: Sendable {
    var router: RequestRouter
    var access: AccessControl
    var connections: Connections
    var listing: ListScope
    var intake: UploadIntake
    var arrivals: Arrivals
    var slots: UploadSlots
    var page: any PageContent
    var pageSettings: PageSettings
    /// Where uploads that arrive in pieces are kept; `nil` if they are not accepted.
    var store: UploadStore?
    /// The number of them that each client has.
    var unfinished = UnfinishedUploads(limit: .max)
    var memory: ReceiverMemory
    var metrics: UploadMetrics
    var metricsText: (@Sendable () -> String)?
    var logger: Logger
    var readiness: Readiness
    /// The link that requests are made under; `nil` for none.
    var scope: LinkScope?
    var kept = KeptResponses()
    var idempotent = IdempotentUploads()
    /// Distinguishes the entity tags of this run from those of other runs.
    var run = RandomWord.make()

    /// Answers one request. A bad request is answered, not thrown: the connection's loop would only close the
    /// connection.
    @concurrent
    func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        let client = self.connections.client(of: channel, request.head.headerFields)
        var (responder, head, decision) = self.route(request.head, client)
        responder.logger[metadataKey: "traceparent"] = TraceParent(head.headerFields).map { "\($0.text)" }
        responder.logger[metadataKey: "user"] = AccessToken.user(in: head.headerFields).map { "\($0)" }
        guard let answer = try await responder.answer(decision, head, request.body, client, channel) else {
            channel.close(promise: nil)
            return
        }
        var (response, body) = Self.response(answer, to: head, isHTTP2: channel.isHTTP2Stream)
        if let origin = self.router.allowedOrigin(head) {
            response.headerFields[.allowedOrigin] = origin
            response.headerFields[.exposedFields] = Self.exposedFields
            response.headerFields.append(HTTPField(name: .vary, value: "Origin"))
        }
        try await writer.write(response: response, body: body)
        try await Self.hold(answer, channel)
    }

    /// Decides what to do with a request, and which responder does it: requests under a link have one of their own.
    private func route(
        _ head: HTTPRequest, _ client: ClientAddress
    ) -> (responder: Responder, head: HTTPRequest, decision: RequestDecision) {
        var head = head
        head.path = self.router.target(head.path)
        // Another site's page needs a token of its own: a login is for this site's page.
        if self.router.allowedOrigin(head) != nil { head.headerFields[.cookie] = nil }
        guard let path = LinkPath(head.path) else {
            let decision = self.router.decide(
                head, isSecure: client.isSecure,
                admission: self.access.admission(head.headerFields, client: client.key))
            return (self, head, decision)
        }
        do throws(ProblemDetails) {
            let base = self.router.root + path.base.dropFirst()
            let responder = self.confined(to: LinkScope(link: try self.access.link(path.token), base: base))
            head.path = path.rest
            let decision = responder.router.decide(head, isSecure: client.isSecure)
            // The page's own addresses are below the link.
            if case .page = decision, !path.isFolder { return (responder, head, .seeOther(base)) }
            return (responder, head, decision)
        } catch {
            head.path = LinkPath.masked(head.path ?? "")
            return (self, head, .refused(error))
        }
    }

    /// The answer to a request; `nil` if its connection is to be closed.
    private func answer(
        _ decision: RequestDecision, _ head: HTTPRequest, _ content: RequestBody, _ client: ClientAddress,
        _ channel: any Channel
    ) async throws -> ServiceResponse? {
        // A client that waits for 100 sends its body only after it. Without 100, the answer alone is sent.
        let waits = head.expectsContinue
        var answer: ServiceResponse
        switch decision {
        case .page: answer = self.pageAnswer(head, client)
        case .styleSheet: answer = ServiceResponse(self.page.styleSheet, to: head)
        case .script: answer = ServiceResponse(self.page.script, to: head)
        case .fileList: answer = self.listAnswer(head, client)
        case .metrics:
            answer = ServiceResponse(.ok, MemoryMetrics.mediaType, ByteBuffer(string: self.metricsText?() ?? ""))
        case .health: answer = ServiceResponse(.ok, "text/plain", ByteBuffer(string: "ok\n"))
        case .readiness: answer = await self.readinessAnswer()
        case .methods: answer = ServiceResponse(.noContent, fields: [.allow: Self.methods])
        case .preflight:
            answer = ServiceResponse(
                .noContent, fields: [.allowedMethods: "\(Self.methods), PATCH, DELETE", .accessMaxAge: "600"])
            answer.fields[.allowedFields] = head.headerFields[.requestedFields]
        case .login: answer = await self.logIn(head, AskedBody(content, channel, asks: waits), client)
        case .logout: answer = self.logOut(head, client)
        case .seeOther(let location): answer = .seeOther(location)
        case .refused(let problem):
            answer = self.refusal(problem, head, client)
            self.log(problem, head, client)
        case .upload(var upload):
            upload.terms = self.scope?.terms ?? upload.terms
            answer = try await self.answer(upload, AskedBody(content, channel, asks: waits), head, client)
        case .resumable:
            let body = AskedBody(content, channel, asks: waits)
            guard let resumed = try await self.resume(head, body, channel, client) else { return nil }
            answer = resumed
        }
        switch decision {
        case .refused, .login, .logout, .styleSheet, .script, .health, .readiness, .preflight: break
        default: if self.access.token != nil || self.scope != nil { self.connections.open(channel) }
        }
        if !answer.isShared {
            do throws(ProblemDetails) {
                answer.lease = try self.memory.hold(answer.body.readableBytes, answer.lease)
            } catch {
                answer = self.replacement(for: answer, to: decision, error, head, client)
            }
        }
        if self.slots.isStopping { answer.closes = true }
        if !channel.isHTTP2Stream, waits, answer.status.kind != .successful { answer.closes = true }
        return answer
    }

    /// What is answered if there is no memory for an answer. An upload that is stored isn't refused: a client that tries
    /// again would store it twice.
    private func replacement(
        for answer: ServiceResponse, to decision: RequestDecision, _ lack: ProblemDetails, _ head: HTTPRequest,
        _ client: ClientAddress
    ) -> ServiceResponse {
        switch decision {
        case .upload, .resumable:
            guard answer.status.kind == .successful else { break }
            var short = answer
            short.fields[.contentType] = "text/plain"
            short.body = ByteBuffer(string: "The upload was stored. There is no memory for the list of its files.\n")
            short.lease = nil
            return short
        default: break
        }
        self.log(lack, head, client)
        var refusal = ServiceResponse(lack, closes: answer.closes)
        refusal.fields[.retryAfter] = "5"
        return refusal
    }

    private static func response(
        _ answer: ServiceResponse, to head: HTTPRequest, isHTTP2: Bool
    ) -> (HTTPResponse, ResponseBody) {
        let hasNoBody = answer.status == .noContent || answer.status == .notModified
        let isBodiless = head.method == .head || hasNoBody
        var response = answer.head(isHTTP2: isHTTP2)
        if hasNoBody { response.headerFields[.contentLength] = nil }
        return (response, isBodiless ? ResponseBody() : ResponseBody(byteBuffer: answer.body))
    }

    /// Waits until the client has read an answer that holds memory, or is gone. The channel's handler closes the
    /// connection of a client that does neither.
    private static func hold(_ answer: ServiceResponse, _ channel: any Channel) async throws {
        guard answer.lease != nil else { return }
        try? await channel.triggerUserOutboundEvent(ExchangeHandler.ResponseSent()).get()
        withExtendedLifetime(answer) {}
    }

    private func readinessAnswer() async -> ServiceResponse {
        if self.slots.isStopping || self.readiness.isDraining {
            return ServiceResponse(.unavailable("The receiver is stopping."))
        }
        guard await self.readiness.isReady() else {
            return ServiceResponse(.unavailable("The storage can't be reached."))
        }
        return ServiceResponse(.ok, "text/plain", ByteBuffer(string: "ready\n"))
    }

    static let methods = "GET, HEAD, POST, PUT, OPTIONS"

    /// The fields of answers that another site's page may read.
    private static let exposedFields =
        "Location, Retry-After, Repr-Digest, Upload-Offset, Upload-Length, Upload-Complete, Upload-Limit, Upload-Expires, "
        + "Upload-Metadata, Upload-Draft-Interop-Version, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, "
        + "Tus-Checksum-Algorithm"

    // MARK: uploads

    /// The answer to an upload in one request.
    private func answer(
        _ upload: IncomingUpload, _ body: AskedBody, _ head: HTTPRequest, _ client: ClientAddress
    ) async throws -> ServiceResponse {
        let arrival: IdempotentUploads.Arrival?
        do throws(ProblemDetails) { arrival = try await self.arrival(head, client) } catch {
            self.log(error, head, client)
            return self.refusal(error, head, client)
        }
        return try await self.slots.run(for: client.key) {
            arrival?.leave()
        } _: {
            await self.admitted(head, client) {
                await self.once(upload, arrival, body, head, client)
            } refused: {
                $0
            }
        } without: {
            self.refuse(for: $0, head, client)
        }
    }

    /// Notes a request with an ``IdempotencyKey``. An older one that hangs with the same key gives up its slot and its memory
    /// first: otherwise the client's repetition would be refused for lack of them.
    /// - Returns: `nil` for a request without a key.
    func arrival(
        _ head: HTTPRequest, _ client: ClientAddress
    ) async throws(ProblemDetails) -> IdempotentUploads.Arrival? {
        guard let key = try IdempotencyKey(head.headerFields, owner: self.owner(head, client)) else { return nil }
        let arrival = self.idempotent.arrived(key, head)
        await self.idempotent.endOlder(arrival)
        return arrival
    }

    func take(
        _ upload: IncomingUpload, _ run: IdempotentUploads.Run?, _ head: HTTPRequest, _ client: ClientAddress,
        _ store: (UploadIntake, IncomingUpload) async throws -> UploadReceipt
    ) async -> ServiceResponse {
        let start = ContinuousClock.now
        let before = self.arrivals.last
        self.metrics.began()
        var upload = upload
        do {
            upload.terms = try await self.asked(upload, head, client)
            let owner = upload.terms.link.map { "link \($0)" } ?? self.owner(head, client)
            let receipt = try await store(self.intake.in(UploadContext(owner: owner, run: run)), upload)
            let duration = ContinuousClock.now - start
            self.metrics.ended(201, receipt, duration)
            self.log(receipt, duration, client, upload.resumed)
            return self.answer(receipt, head, client, after: before)
        } catch {
            let failure = self.failure(error, run)
            self.metrics.ended(failure.isBusy ? nil : failure.problem.status, nil, ContinuousClock.now - start)
            self.log(failure, head, client, ContinuousClock.now - start)
            // A resumable upload can be completed again after such a failure.
            if upload.resumed == nil || failure.problem.status < 500 {
                await self.report(failure.problem, upload.terms)
            }
            var answer = self.refusal(failure.problem, head, client)
            answer.isBusy = failure.isBusy
            return answer
        }
    }

    /// The answer to an upload that is stored.
    /// - Parameter arrival: The last arrival before it.
    private func answer(
        _ receipt: UploadReceipt, _ head: HTTPRequest, _ client: ClientAddress, after arrival: Int
    ) -> ServiceResponse {
        var answer: ServiceResponse
        if head.wantsHTML {
            let received = ArrivalNumbers(
                self.arrivals.all.filter { $0.id > arrival && receipt.names($0) }.map(\.id))
            // A browser that follows the redirect with GET sends the form's origin (Fetch, "append a request Origin
            // header"). wget2 also asks for HTML, and would send the form again after each redirect.
            if head.headerFields[.origin] == nil {
                answer = self.html(
                    .created, .uploads(received: received), head, client, arrivals: self.arrivals(for: head, client))
            } else {
                answer = .seeOther("\(self.base)?received=\(received)")
            }
        } else {
            answer = ServiceResponse(.created, "application/json", ByteBuffer(bytes: receipt.jsonBytes))
            answer.lease = receipt.memory.lease
        }
        if receipt.fingerprint != nil {
            var receipt = receipt
            (receipt.fields, receipt.memory) = ([], UploadReceipt.Memory())
            answer.receipt = receipt
        }
        return answer
    }

    func failure(_ error: any Error, _ run: IdempotentUploads.Run? = nil) -> FailedUpload {
        if run?.isReplaced == true { return FailedUpload(ProblemDetails.replaced) }
        // Otherwise, a task is cancelled because its connection ended, or the receiver stops.
        guard Task.isCancelled, !self.slots.isDropped else {
            var failure = FailedUpload(error)
            if failure.isDropped {
                let why = self.slots.isDropped ? "the receiver is stopping" : "another request continued it"
                failure.reason = "the upload was dropped: \(why)"
            }
            return failure
        }
        return FailedUpload(ConnectionLost())
    }

    /// Takes an upload, unless it was stored under the same key.
    private func once(
        _ upload: IncomingUpload, _ arrival: IdempotentUploads.Arrival?, _ body: AskedBody, _ head: HTTPRequest,
        _ client: ClientAddress
    ) async -> ServiceResponse {
        do throws(ProblemDetails) {
            guard let arrival else {
                return await self.take(upload, nil, head, client) { intake, upload throws in
                    try await intake.take(upload, body)
                }
            }
            return try await self.idempotent.once(arrival) { stored in
                await self.repeated(stored, upload, body, head, client)
            } _: { run in
                await self.take(upload, run, head, client) { intake, upload throws in
                    try await intake.take(upload, body)
                }
            }
        } catch {
            self.log(error, head, client)
            return self.refusal(error, head, client)
        }
    }

    /// Answers an upload whose key was used by one that is stored. It is read, so that no other upload is taken for it.
    func repeated(
        _ stored: IdempotentUploads.Stored, _ upload: IncomingUpload, _ body: AskedBody, _ head: HTTPRequest,
        _ client: ClientAddress
    ) async -> ServiceResponse {
        do {
            guard let receipt = stored.receipt(for: try await self.intake.comparing.take(upload, body)) else {
                throw ProblemDetails.keyIsTaken
            }
            self.logRepeated(head, client)
            return self.answer(receipt, head, client, after: -1)
        } catch {
            let failure = self.failure(error)
            self.metrics.failed(failure.problem.status)
            self.log(failure, head, client, nil)
            return self.refusal(failure.problem, head, client)
        }
    }

    /// Reserves memory for an upload, and runs it. Without memory the upload is refused.
    func admitted<Result>(
        _ head: HTTPRequest, _ client: ClientAddress, _ upload: () async -> Result,
        refused: (ServiceResponse) -> Result
    ) async -> Result {
        guard self.memory.limit != nil else { return await upload() }
        guard let lease = await self.memory.admit() else {
            let problem = ProblemDetails.unavailable("The uploads in progress use all memory: try again later.")
            self.log(problem, head, client, .memory)
            return refused(self.refusal(problem, head, client))
        }
        return await ReceiverMemory.$lease.withValue(lease) { await upload() }
    }

    /// The answer to a request for which there is no slot.
    func refuse(for lack: UploadSlots.Lack, _ head: HTTPRequest, _ client: ClientAddress) -> ServiceResponse {
        let problem: ProblemDetails =
            switch lack {
            case .stopping: .unavailable("The receiver is stopping.")
            case .all: .unavailable("Too many uploads are in progress: try again later.")
            case .client: .tooMany("This client has too many uploads in progress: try again later.")
            }
        self.log(problem, head, client, RefusalReason(lack))
        return self.refusal(problem, head, client)
    }
}

extension UploadReceipt {
    /// Whether an arrival is one of this receipt's files.
    fileprivate func names(_ arrival: Arrival) -> Bool {
        arrival.state == .complete && self.files.contains { $0.name == arrival.name }
    }
}

// Requests under an upload link.
extension Responder {
    /// The path under which the page and its uploads are, with a slash at its end.
    var base: String { self.scope?.base ?? self.router.root }

    /// A responder for requests under a link: they see their own files, and store files on its terms.
    func confined(to scope: LinkScope) -> Responder {
        var responder = self
        responder.scope = scope
        responder.router.isLinked = true
        responder.router.limits = self.router.limits.limited(to: scope.link.maxSize)
        responder.listing = .own
        if let title = scope.link.title { responder.pageSettings.title = title }
        return responder
    }

    /// The limit of a resumable upload with these terms. A PUT's body is a file, whatever its type.
    func maxSize(_ terms: UploadTerms, isForm: Bool, _ head: HTTPRequest) -> Int64 {
        let limits = self.router.limits.limited(to: terms.maxSize)
        return isForm && head.method != .put ? limits.bodyBytes : min(limits.fileBytes, limits.bodyBytes)
    }
}
