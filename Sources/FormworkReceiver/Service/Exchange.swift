#if Transfer
import Formwork
import FormworkHTTP
import FormworkResumable
import FormworkNIO
import FormworkClient
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// Answers requests.
struct Exchange: Sendable {
    var router: RequestRouter
    var intake: UploadIntake
    var arrivals: Arrivals
    var slots: UploadSlots
    var page: any PageContent
    /// Where uploads are kept that come in pieces; `nil` takes none.
    var store: UploadStore?
    var metrics: UploadMetrics
    var metricsText: (@Sendable () -> String)?
    var logger: Logger

    /// Answers one request. Never throws for what is wrong with it: the connection's loop would only close.
    @concurrent
    func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        let head = request.head
        let isHTTP2 = channel.isHTTP2Stream
        // Whoever waits for a 100 sends its body only then; without one, an answer is all there is to say.
        let waits = head.headerFields[.expect]?.lowercased() == "100-continue"
        let peer = Self.peer(channel)
        var answer: Answer
        switch self.router.decide(head) {
        case .page: answer = self.pageAnswer(head)
        case .styleSheet: answer = Answer(self.page.styleSheet, to: head)
        case .script: answer = Answer(self.page.script, to: head)
        case .fileList:
            answer = Answer(
                .ok, "application/json",
                ByteBuffer(bytes: JSONBytes.encode(FileList(self.arrivals.all, self.router.limits))))
        case .metrics:
            answer = Answer(.ok, MemoryMetrics.mediaType, ByteBuffer(string: self.metricsText?() ?? ""))
        case .methods: answer = Answer(.noContent, fields: [.allow: Self.methods])
        case .login: answer = await self.logIn(head, request.body)
        case .refused(let problem):
            answer = self.refusal(problem, head)
            self.log(problem, head, peer)
        case .upload(let upload):
            let body = AskedBody(request.body, channel, asks: waits)
            let taken = try await self.slots.run {
                await self.take(upload, head, peer) { intake throws in try await intake.take(upload, body) }
            }
            answer = taken ?? self.refuseForLack(head, channel)
        case .resumable:
            let body = AskedBody(request.body, channel, asks: waits)
            guard let resumed = try await self.resume(head, body, channel) else {
                channel.close(promise: nil)
                return
            }
            answer = resumed
        }
        if self.slots.isStopping { answer.closes = true }
        if !isHTTP2, waits, answer.status.kind != .successful { answer.closes = true }
        let hasNoBody = answer.status == .noContent || answer.status == .notModified
        let isBodiless = head.method == .head || hasNoBody
        var response = answer.head(isHTTP2: isHTTP2)
        if hasNoBody { response.headerFields[.contentLength] = nil }
        let body = isBodiless ? ResponseBody() : ResponseBody(byteBuffer: answer.body)
        try await writer.write(response: response, body: body)
        try await Self.hold(answer, channel)
    }

    /// Waits until the client has read most of a long answer that holds memory, or is gone: the channel's handler ends
    /// the connection of one that does neither.
    private static func hold(_ answer: Answer, _ channel: any Channel) async throws {
        guard answer.memory != nil, answer.body.readableBytes > 64 << 10 else { return }
        // Behind what was written a moment ago.
        try await channel.eventLoop.submit {}.get()
        while !channel.isWritable, channel.isActive { try await Task.sleep(for: .milliseconds(50)) }
        withExtendedLifetime(answer) {}
    }

    static let methods = "GET, HEAD, POST, PUT, OPTIONS"

    // MARK: uploads

    func take(
        _ upload: IncomingUpload, _ head: HTTPRequest, _ peer: String,
        _ store: (UploadIntake) async throws -> UploadReceipt
    ) async -> Answer {
        let start = ContinuousClock.now
        let before = self.arrivals.last
        self.metrics.began()
        do {
            let receipt = try await store(self.intake)
            let duration = ContinuousClock.now - start
            self.metrics.ended(201, receipt, duration)
            self.log(receipt, duration, peer)
            guard head.wantsHTML else {
                var answer = Answer(.created, "application/json", ByteBuffer(bytes: receipt.jsonBytes))
                answer.memory = receipt.memory.share
                return answer
            }
            let received = self.arrivals.all.filter { $0.id > before && receipt.names($0) }.map { "\($0.id)" }
            // A browser that follows a redirect of a form's answer by GET names the form's origin (Fetch, "append a
            // request Origin header"). wget2 asks for HTML too, and would send the form again, to each such answer.
            guard head.headerFields[.origin] != nil else {
                let view = PageState.View.uploads(received: Set(received.compactMap { Int($0) }))
                return self.html(.created, view, head, arrivals: self.arrivals.all)
            }
            return .seeOther("/?received=\(received.prefix(100).joined(separator: ","))")
        } catch {
            // A task that is cancelled otherwise is one whose connection ended.
            let isLost = Task.isCancelled && !self.slots.isDropped
            let failure = UploadFailure(isLost ? ConnectionLost() : error)
            self.metrics.ended(failure.problem.status, nil, ContinuousClock.now - start)
            self.log(failure, head, peer, ContinuousClock.now - start)
            return self.refusal(failure.problem, head)
        }
    }

    /// What a request gets for which there is no place.
    func refuseForLack(_ head: HTTPRequest, _ channel: any Channel) -> Answer {
        let problem = ProblemDetails.unavailable(
            self.slots.isStopping ? "The receiver is being stopped." : "Too many uploads are under way.")
        self.log(problem, head, Self.peer(channel))
        return self.refusal(problem, head)
    }
}

extension UploadReceipt {
    /// Whether an arrival is one of this receipt's files.
    fileprivate func names(_ arrival: Arrival) -> Bool {
        arrival.state == .complete && self.files.contains { $0.name == arrival.name }
    }
}
#endif
