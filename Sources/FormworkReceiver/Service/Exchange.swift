import FormworkCommand
import FormworkHummingbirdCore
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore

/// One request, and how it is answered.
struct Exchange: Sendable {
    let receiver: Responder
    let client: ClientAddress
    let channel: any Channel
    /// The path in it is that below the receiver's own, and below that of an upload link.
    var head: HTTPRequest
    /// Below a link it has the link's limits.
    private(set) var router: RequestRouter
    /// The link that the request is made under; `nil` for none.
    private(set) var scope: LinkScope?
    /// Adds to each line who sent the request.
    private(set) var logger: Logger

    init(_ receiver: Responder, _ head: HTTPRequest, _ channel: any Channel) {
        (self.receiver, self.channel, self.router) = (receiver, channel, receiver.router)
        self.client = receiver.connections.client(of: channel, head.headerFields)
        (self.head, self.logger) = (head, receiver.logger)
        self.head.path = self.router.target(head.path)
        // Another site's page needs a token of its own: a login is for this site's page.
        if self.router.allowedOrigin(head) != nil { self.head.headerFields[.cookie] = nil }
        self.logger[metadataKey: "peer"] = "\(self.client.text)"
        self.logger[metadataKey: "traceparent"] = TraceParent(head.headerFields).map { "\($0.text)" }
        self.logger[metadataKey: "user"] = AccessToken.user(in: head.headerFields).map { "\($0)" }
    }

    /// Decides what to do with the request. One under a link is confined to it: it sees its own files, and stores files on the
    /// link's terms.
    mutating func route() -> RequestDecision {
        let access = self.receiver.access
        guard let path = LinkPath(self.head.path) else {
            return self.router.decide(
                self.head, admission: access.admission(self.head.headerFields, client: self.client.key))
        }
        do throws(ProblemDetails) {
            let scope = LinkScope(
                link: try access.link(path.token), base: self.router.root + path.base.dropFirst())
            self.scope = scope
            self.router.isLinked = true
            self.router.limits = self.router.limits.limited(to: scope.link.maxSize)
            self.logger[metadataKey: "link"] = "\(scope.link.id)"
            self.head.path = path.rest
            let decision = self.router.decide(self.head)
            // The page's own addresses are below the link.
            if case .page = decision, !path.isFolder { return .seeOther(scope.base) }
            return decision
        } catch {
            self.head.path = LinkPath.masked(self.head.path ?? "")
            return .refused(error)
        }
    }

    /// The path under which the page and its uploads are, with a slash at its end.
    var base: String { self.scope?.base ?? self.router.root }

    /// Whether the client spoke HTTPS, here or to a proxy.
    var isSecure: Bool { self.router.isTLS || self.client.isSecure }

    /// The sender of files and owner of a list: a login, or otherwise an address.
    var owner: String {
        if let scope { return "link \(scope.link.id)" }
        return self.receiver.access.session(in: self.head.headerFields).map { "login \($0.id)" }
            ?? "address \(self.client.key)"
    }

    /// The answer to the request; `nil` if its connection is to be closed.
    func answer(_ decision: RequestDecision, _ content: RequestBody) async throws -> ServiceResponse? {
        // A client that waits for 100 sends its body only after it. Without 100, the answer alone is sent.
        let waits = self.head.expectsContinue
        let body = AskedBody(content, self.channel, asks: waits)
        var answer: ServiceResponse
        switch decision {
        case .page: answer = self.pageAnswer()
        case .styleSheet: answer = ServiceResponse(ReceiverPage.styleSheet, to: self.head)
        case .script: answer = ServiceResponse(ReceiverPage.script, to: self.head)
        case .fileList: answer = self.listAnswer()
        case .metrics: answer = self.metricsAnswer()
        case .health: answer = ServiceResponse(.ok, "text/plain", ByteBuffer(string: "ok\n"))
        case .readiness: answer = await self.readinessAnswer()
        case .methods: answer = Self.methodsAnswer
        case .preflight:
            answer = ServiceResponse(
                .noContent,
                fields: [.accessControlAllowMethods: "\(Self.methods), PATCH, DELETE", .accessControlMaxAge: "600"])
            answer.fields[.accessControlAllowHeaders] = self.head.headerFields[.accessControlRequestHeaders]
        case .login: answer = await self.logIn(body)
        case .logout: answer = self.logOut()
        case .seeOther(let location): answer = .seeOther(location)
        case .refused(let problem): answer = self.refuse(problem)
        case .upload(let upload):
            guard let received = try await self.receive(upload, body) else { return nil }
            answer = received
        case .resumable:
            guard let resumed = try await self.resume(body) else { return nil }
            answer = resumed
        }
        switch decision {
        case .refused, .login, .logout, .styleSheet, .script, .health, .readiness, .preflight: break
        default:
            if self.receiver.access.token != nil || self.scope != nil { self.receiver.connections.open(self.channel) }
        }
        if !answer.isShared {
            do throws(ProblemDetails) {
                answer.lease = try self.receiver.intake.memory.hold(answer.body.readableBytes, answer.lease)
            } catch {
                answer = self.replacement(for: answer, to: decision, error)
            }
        }
        if self.receiver.slots.isStopping { answer.closes = true }
        if !self.channel.isHTTP2Stream, waits, answer.status.kind != .successful { answer.closes = true }
        return answer
    }

    /// What is answered if there is no memory for an answer. An upload that is stored isn't refused: a client that tries
    /// again would store it twice.
    private func replacement(
        for answer: ServiceResponse, to decision: RequestDecision, _ lack: ProblemDetails
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
        self.log(lack)
        var refusal = ServiceResponse(lack, closes: answer.closes)
        refusal.fields[.retryAfter] = "5"
        return refusal
    }

    private func metricsAnswer() -> ServiceResponse {
        guard let metrics = self.receiver.metrics else { return self.refusal(.notFound) }
        let (memory, slots, connections) = (self.receiver.intake.memory, self.receiver.slots, self.receiver.connections)
        if let limit = memory.limit { metrics.show([.memoryUsed: memory.used, .memoryLimit: limit]) }
        metrics.show([
            .logLinesDropped: StandardError.output.dropped, .uploadSlotsUsed: slots.used,
            .uploadSlotsLimit: slots.limit,
            .connectionsOpen: connections.count, .connectionsLimit: connections.total,
            .connectionsRefused: connections.refusedCount,
        ])
        return ServiceResponse(.ok, MemoryMetrics.mediaType, ByteBuffer(string: metrics.prometheusText))
    }

    private func readinessAnswer() async -> ServiceResponse {
        let readiness = self.receiver.readiness
        if self.receiver.slots.isStopping || readiness.isDraining {
            return ServiceResponse(.unavailable("The receiver is stopping."))
        }
        guard await readiness.isReady() else {
            return ServiceResponse(.unavailable("The storage can't be reached."))
        }
        return ServiceResponse(.ok, "text/plain", ByteBuffer(string: "ready\n"))
    }

    static let methods = "GET, HEAD, POST, PUT, OPTIONS"
    static var methodsAnswer: ServiceResponse { ServiceResponse(.noContent, fields: [.allow: Self.methods]) }
}
