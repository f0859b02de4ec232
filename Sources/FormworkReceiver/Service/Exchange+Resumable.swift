#if Transfer
    import Formwork
    import FormworkHTTP
    import FormworkNIO
    import HTTPTypes
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOHTTPTypes

    // Uploads that come in pieces: kept until they are whole, and then handled as what they would have been at once.
    extension Exchange {
        /// Where uploads that come in pieces have their own URLs.
        static let uploadsPath = "/.uploads/"

        /// Whether a request is one of the resumable protocols', or may be.
        static func isResumable(_ head: HTTPRequest) -> Bool {
            if head.path?.hasPrefix(self.uploadsPath) == true { return true }
            if case .plain = UploadRequest(head, resource: nil) { return false }
            return true
        }

        /// Answers such a request; `nil` when its connection is to be closed.
        /// - Parameter asks: Whether the client waits for `100 Continue` before it sends the body.
        func resume(
            _ head: HTTPRequest, _ body: RequestBody, _ channel: any Channel, asks: Bool
        ) async throws -> Answer? {
            guard let store = self.store else { return self.refusal(.notFound, head) }
            let bringsBytes = [.post, .put, .patch].contains(head.method)
            let slot = bringsBytes ? self.slots.enter(channel) : nil
            if bringsBytes, slot == nil { return self.refuseForLack(head, channel) }
            defer { if let slot { self.slots.leave(slot) } }
            let peer = Self.peer(channel)
            let inform: @Sendable (HTTPResponse) async throws -> Void = { head in
                try await channel.writeAndFlush(HTTPResponsePart.head(head)).get()
            }
            let handler = ResumableHandler(store, prefix: Self.uploadsPath) { _, error in
                self.logger.error("upload not processed", metadata: ["peer": "\(peer)", "reason": "\(error)"])
            } complete: { upload in
                let answer = await self.answer(upload, peer)
                // What is no fault of the upload's may pass: its client can end it once more.
                guard answer.status.kind != .serverError else { throw IncompleteProcessing(status: answer.status) }
                return UploadAnswer(
                    HTTPResponse(status: answer.status, headerFields: answer.fields), content: answer.body)
            }
            let asked = AskedBody(body: body) { if asks { try await inform(HTTPResponse(status: .continue)) } }
            switch await handler.handle(head, body: asked, inform: inform) {
            case .answer(let given):
                let isRefusal = given.response.status.kind != .successful
                return Answer(
                    given.response.status, fields: given.response.headerFields, body: given.content,
                    closes: isRefusal && bringsBytes)
            case .close: return nil
            case .notResumable:
                switch self.router.decideOrdinary(head) {
                case .upload(let upload):
                    return await self.take(upload, head, peer) { intake throws in
                        try await intake.take(upload, asked)
                    }
                case .refused(let problem):
                    self.log(problem, head, peer)
                    return self.refusal(problem, head)
                default: return Answer(.noContent, fields: [.allow: Self.methods])
                }
            }
        }

        /// The target's own answer to an upload that is whole.
        private func answer(_ completed: CompletedUpload, _ peer: String) async -> Answer {
            var head = completed.request
            head.headerFields[.contentType] = completed.contentType
            head.headerFields[.contentLength] = String(completed.length)
            do throws(ProblemDetails) {
                let upload = try IncomingUpload(head, filename: completed.filename)
                return await self.take(upload, head, peer) { intake throws in
                    try await intake.take(upload, BodyPlan(copying: .file(completed.path)).buffers())
                }
            } catch {
                self.log(error, head, peer)
                return self.refusal(error, head)
            }
        }
    }

    /// A whole upload could not be handled for a reason that may pass.
    private struct IncompleteProcessing: Error { let status: HTTPResponse.Status }

    /// A body whose sender is asked for it when its first byte is wanted.
    struct AskedBody: AsyncSequence, Sendable {
        typealias Element = ByteBuffer
        let body: RequestBody
        let ask: @Sendable () async throws -> Void

        struct AsyncIterator: AsyncIteratorProtocol {
            var iterator: RequestBody.AsyncIterator
            var ask: (@Sendable () async throws -> Void)?

            mutating func next() async throws -> ByteBuffer? { try await self.next(isolation: #isolation) }

            mutating func next(isolation: isolated (any Actor)?) async throws -> ByteBuffer? {
                if let ask = self.ask {
                    self.ask = nil
                    try await ask()
                }
                return try await self.iterator.next(isolation: isolation)
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(iterator: self.body.makeAsyncIterator(), ask: self.ask)
        }
    }
#endif
