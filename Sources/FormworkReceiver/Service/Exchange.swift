#if Transfer
    import Formwork
    import FormworkHTTP
    import FormworkNIO
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
        var resumable: (any ResumableUploads)?
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
            let informing: @Sendable (HTTPResponse) async throws -> Void = { head in
                try await channel.writeAndFlush(HTTPResponsePart.head(head)).get()
            }
            let peer = Self.peer(channel)
            var answer: Answer
            switch self.router.decide(head) {
            case .page: answer = self.pageAnswer(head)
            case .styleSheet: answer = Answer(self.page.styleSheet, to: head)
            case .script: answer = Answer(self.page.script, to: head)
            case .fileList:
                answer = Answer(
                    .ok, "application/json", JSONBytes.encode(FileList(self.arrivals.all, self.router.limits)))
            case .metrics: answer = Answer(.ok, "text/plain; version=0.0.4", Array((self.metricsText?() ?? "").utf8))
            case .methods: answer = Answer(.noContent, fields: [.allow: Self.methods])
            case .login: answer = await self.logIn(head, request.body)
            case .refused(let problem):
                answer = self.refusal(problem, head)
                self.log(problem, head, peer)
            case .upload(let upload):
                answer = await self.take(upload, head, channel) { intake throws in
                    if waits { try await informing(HTTPResponse(status: .continue)) }
                    return try await intake.take(upload, request.body)
                }
            case .resumable: answer = await self.resume(head, request.body, channel, informing)
            }
            if self.slots.isStopping { answer.closes = true }
            if !isHTTP2, waits, answer.status.kind != .successful { answer.closes = true }
            let hasNoBody = answer.status == .noContent || answer.status == .notModified
            let isBodiless = head.method == .head || hasNoBody
            var response = answer.head(isHTTP2: isHTTP2)
            if hasNoBody { response.headerFields[.contentLength] = nil }
            let body = isBodiless ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
            try await writer.write(response: response, body: body)
        }

        static let methods = "GET, HEAD, POST, PUT, OPTIONS"

        // MARK: uploads

        private func take(
            _ upload: IncomingUpload, _ head: HTTPRequest, _ channel: any Channel,
            _ store: (UploadIntake) async throws -> UploadReceipt
        ) async -> Answer {
            let peer = Self.peer(channel)
            guard let slot = self.slots.enter(channel) else {
                let problem = ProblemDetails.unavailable(
                    self.slots.isStopping ? "The receiver is being stopped." : "Too many uploads are under way.")
                self.log(problem, head, peer)
                return self.refusal(problem, head)
            }
            defer { self.slots.leave(slot) }
            let start = ContinuousClock.now
            let before = self.arrivals.last
            self.metrics.began()
            do {
                let receipt = try await store(self.intake)
                let duration = ContinuousClock.now - start
                self.metrics.ended(201, receipt, duration)
                self.log(receipt, duration, peer)
                guard head.wantsHTML else { return Answer(.created, "application/json", receipt.jsonBytes) }
                let received = self.arrivals.all.filter { $0.id > before && receipt.names($0) }.map { "\($0.id)" }
                return .seeOther("/?received=\(received.prefix(100).joined(separator: ","))")
            } catch {
                let failure = UploadFailure(error)
                self.metrics.ended(failure.problem.status, nil, ContinuousClock.now - start)
                self.log(failure, head, peer, ContinuousClock.now - start)
                return self.refusal(failure.problem, head)
            }
        }

        private func resume(
            _ head: HTTPRequest, _ body: RequestBody, _ channel: any Channel,
            _ informing: @escaping @Sendable (HTTPResponse) async throws -> Void
        ) async -> Answer {
            guard let resumable = self.resumable else { return self.refusal(.notFound, head) }
            let peer = Self.peer(channel)
            do {
                return try await resumable.answer(head, body: body, informing: informing) { completed in
                    await self.answer(completed, channel)
                }
            } catch {
                let failure = UploadFailure(error)
                self.log(failure, head, peer, nil)
                return self.refusal(failure.problem, head)
            }
        }

        /// The target's own answer to an upload that came in pieces.
        func answer(_ completed: CompletedUpload, _ channel: any Channel) async -> Answer {
            var upload: IncomingUpload
            do throws(ProblemDetails) { upload = try IncomingUpload(completed.head) } catch {
                return self.refusal(error, completed.head)
            }
            upload.length = completed.body.contentLength
            return await self.take(upload, completed.head, channel) { [upload] intake throws in
                try await intake.take(upload, completed.body.buffers())
            }
        }

        // MARK: pages

        private func pageAnswer(_ head: HTTPRequest) -> Answer {
            let query = (head.path ?? "").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            let received = query.split(separator: "&").first { $0.hasPrefix("received=") }?.dropFirst(9) ?? ""
            let view = PageState.View.uploads(received: Set(received.split(separator: ",").compactMap { Int($0) }))
            return self.html(.ok, view, head, arrivals: self.arrivals.all)
        }

        private func html(
            _ status: HTTPResponse.Status, _ view: PageState.View, _ head: HTTPRequest, arrivals: [Arrival] = []
        ) -> Answer {
            let state = PageState(
                view, limits: self.router.limits, arrivals: arrivals,
                origin: (self.router.isTLS ? "https://" : "http://") + (head.authority ?? ""),
                needsToken: self.router.token != nil)
            return Answer(status, "text/html; charset=utf-8", Array(self.page.html(state).utf8))
        }

        /// Takes the login form: small, and nothing else than `token`.
        private func logIn(_ head: HTTPRequest, _ body: RequestBody) async -> Answer {
            guard let token = self.router.token else { return .seeOther("/") }
            var bytes: [UInt8] = []
            do {
                for try await buffer in body {
                    bytes += buffer.readableBytesView
                    guard bytes.count <= 4 << 10 else {
                        return self.refusal(.tooLarge("A login has 4 KiB at most."), head)
                    }
                }
            } catch {
                return self.refusal(UploadFailure(error).problem, head)
            }
            let pairs = String(decoding: bytes, as: UTF8.self).split(separator: "&")
            let given = pairs.first { $0.hasPrefix("token=") }?.dropFirst(6) ?? ""
            let text = String(given).replacing("+", with: " ").percentDecoded ?? ""
            guard token.isToken(text) else {
                return self.html(.unauthorized, .login(isWrong: true), head).challenging()
            }
            var answer = Answer.seeOther("/")
            answer.fields[.setCookie] = token.cookie(isSecure: self.router.isTLS)
            return answer
        }

        /// A problem as a browser's page, or for programs.
        private func refusal(_ problem: ProblemDetails, _ head: HTTPRequest) -> Answer {
            var answer: Answer
            if head.wantsHTML {
                let view: PageState.View = problem.status == 401 ? .login(isWrong: false) : .problem(problem)
                answer = self.html(HTTPResponse.Status(code: problem.status), view, head)
            } else {
                answer = Answer(problem)
            }
            switch problem.status {
            // Browsers would ask for a name and a password themselves if they were offered Basic.
            case 401: answer = answer.challenging(withBasic: !head.wantsHTML)
            case 405: answer.fields[.allow] = Self.methods
            case 503: answer.fields[.retryAfter] = "5"
            default: break
            }
            // Of a body that is refused not all is read.
            answer.closes = head.headerFields[.contentLength] != "0" && (head.method != .get && head.method != .head)
            return answer
        }
    }

    extension Answer {
        fileprivate func challenging(withBasic: Bool = false) -> Self {
            var answer = self
            answer.fields[.wwwAuthenticate] = "Bearer realm=\"formwork\""
            if withBasic { answer.fields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"formwork\"")) }
            return answer
        }
    }

    extension HTTPRequest {
        /// Whether a person's browser asks, and not a program.
        var wantsHTML: Bool {
            self.headerFields[values: .accept].contains { value in
                value.split(separator: ",").contains { $0.drop { $0 == " " }.hasPrefix("text/html") }
            }
        }
    }

    extension UploadReceipt {
        /// Whether an arrival is one of this receipt's files.
        fileprivate func names(_ arrival: Arrival) -> Bool {
            arrival.state == .complete && self.files.contains { $0.name == arrival.name }
        }
    }
#endif
