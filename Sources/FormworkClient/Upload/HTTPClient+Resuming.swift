import AsyncHTTPClient
import NIOCore

extension HTTPClient {
    /// Sends a body, resumes it where a connection was cut, with the IETF's draft or tus 1.0, and returns the answer.
    ///
    /// AsyncHTTPClient doesn't report 1xx answers, so an empty request creates the draft's upload, its answer contains
    /// the upload's URL, and the body follows. With `auto`, an `OPTIONS` request asks which protocol the server
    /// supports, and the body is sent with the draft, with tus, or in one ordinary request, which can't be resumed.
    /// A tus server that doesn't read forms gets the form's one file, and the fields as metadata.
    ///
    /// Use a client that doesn't follow redirects itself: this method follows those of uploads.
    ///
    /// It returns with the answer's header section, and a saved state is removed then. If the rest of the answer is cut,
    /// the same call sends everything again, and the server may store it twice. `FormSender` keeps the state until its
    /// closure has returned.
    /// - Parameters:
    ///   - plan: The body. A body that can be read only once can resume only where reading stopped.
    ///   - request: Everything except the body. `GET` becomes `POST`.
    ///   - resuming: The protocol, and where the upload is saved for a new process.
    ///   - options: Redirects, credentials and progress. Tries and pauses are those of `resuming`, unless the server
    ///     supports no protocol. `length` and its related options are used only in that case, too.
    /// - Throws: What ``upload(_:with:options:)`` throws; ``TransferError`` if the server of a new upload can't be
    ///   reached, after the client's own tries, and for an upload that can't be resumed;
    ///   ``FormworkError/Code/sourceChanged`` if a file, the form or the target has changed since the previous process;
    ///   ``FormworkError/Code/notReplayable`` for a body that a new process couldn't make again, if it is saved for
    ///   one.
    public func upload(
        _ plan: BodyPlan, with request: HTTPClientRequest, resuming: UploadResuming,
        options: UploadOptions = UploadOptions()
    ) async throws -> UploadResponse {
        defer { options.monitor?.finish() }
        let deadline = NIODeadline.now(after: options.timeout)
        let head = try HTTPRequest(request)
        let prepared = try await resuming.prepare(plan, head, options.retry)
        defer { prepared.lock?.release() }
        var (plan, resuming) = (prepared.plan, prepared.resuming)
        plan = try await plan.checkedIfEmpty()
        let asking = ClientExchanges(self, like: request, options, deadline, resumes: true)
        let wasAsked = try await asking.agree(&plan, &resuming, head)
        guard resuming.choice != .off else {
            var rest = options
            rest.timeout = deadline.remaining
            return try await self.upload(plan, with: request, options: rest)
        }
        var own = options
        own.length = nil
        let client = ClientExchanges(
            self, like: request, own, deadline, wasReached: resuming.link != nil || wasAsked, resumes: true)
        let settled = resuming
        return try await client.send(plan, head) { try ResumableSend($0, head, settled, options) }
    }
}

extension ClientExchanges {
    /// Asks the server which protocol it supports, where the caller leaves that open.
    /// - Returns: Whether it was asked.
    fileprivate func agree(
        _ plan: inout BodyPlan, _ resuming: inout ResumingOptions, _ head: HTTPRequest
    ) async throws -> Bool {
        var server = TusServer()
        let isOpen = resuming.link == nil && [.auto, .tus].contains(resuming.choice)
        if isOpen {
            let delays = resuming.delays
            let retry = RetryPolicy(
                count: resuming.maximumAttempts - 1, delay: delays.count == 1 ? delays[0] : nil)
            let fields = try await self.offer(to: head.asksTus, retry)
            server = TusServer(fields)
            if resuming.choice == .auto {
                resuming.choice = fields.offeredProtocol
                resuming.createsFirst = resuming.choice == .ietf
            }
        }
        guard resuming.usesTus else { return isOpen }
        let delivery = try await resuming.delivery(of: plan, to: server)
        (plan, resuming) = (delivery.plan, delivery.resuming)
        return isOpen
    }
}

extension HTTPFields {
    /// The protocol that these fields of an answer to `OPTIONS` announce.
    fileprivate var offeredProtocol: ResumableChoice {
        if self.contains(.uploadLimit) || self.interopVersion != nil { return .ietf }
        let versions = self[.tusVersion] ?? self[.tusResumable] ?? ""
        return TusServer.list(versions).contains("1.0.0") ? .tus : .off
    }
}
