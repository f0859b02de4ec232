import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension HTTPClient {
    /// Plans a form, sends it like ``upload(_:with:options:)``, and reports its progress.
    ///
    /// ```swift
    /// let answer = try await client.upload(form, with: request) { print($0.sent) }
    /// ```
    /// - Parameters:
    ///   - form: The form. Its files are looked at on another thread.
    ///   - request: Everything except the body.
    ///   - options: Redirects, credentials, tries and the time-out.
    ///   - isolation: The caller's actor.
    ///   - progress: Called on that actor, at most ten times per second, and with the last state.
    /// - Throws: What `FormData.plan()` and ``upload(_:with:options:)`` throw.
    public func upload(
        _ form: FormData, with request: HTTPClientRequest, options: UploadOptions = UploadOptions(),
        isolation: isolated (any Actor)? = #isolation, progress: ((UploadProgress) -> Void)? = nil
    ) async throws -> UploadResponse {
        defer { options.monitor?.finish() }
        let plan = try await form.plan()
        return try await options.reporting(progress) { try await self.upload(plan, with: request, options: $0) }
    }

    /// Sends a body with bounded memory and returns the answer, including one that isn't 2xx or arrived early.
    ///
    /// It handles 307, 308 and 401 by sending the body again from its plan; the client by itself would return the
    /// redirect. `GET` becomes `POST`. An answer of 300 or more that arrives while the body is being sent stops the
    /// sending.
    /// - Parameters:
    ///   - plan: The body.
    ///   - request: Everything except the body.
    ///   - options: Redirects, credentials, tries, the time-out for all of it, and how the length is sent.
    /// - Throws: ``FormworkError``: the reader's; ``FormworkError/Code/notReplayable`` with the part if a body that
    ///   can be read only once would have to be sent again; ``FormworkError/Code/writeFailed`` if the connection breaks, or
    ///   if the server answers 2xx, or redirects to a page, before it has all of a body above 4 MiB (a shorter one counts as
    ///   delivered then). `CancellationError`; the client's own errors for everything else: among them
    ///   `HTTPClientError.redirectLimitReached` for too many redirects, and `redirectCycleDetected` if the client is
    ///   configured to follow redirects and one leads to a URL that was already requested.
    public func upload(
        _ plan: BodyPlan, with request: HTTPClientRequest, options: UploadOptions = UploadOptions()
    ) async throws -> UploadResponse {
        defer { options.monitor?.finish() }
        try request.checkURL()
        var head: HTTPRequest
        do { head = try HTTPRequest(request) } catch let error as TransferError {
            // The error doesn't say what is missing.
            throw FormworkError(
                .invalidArgument, "the request's URL needs a scheme and a host, as https://example.com/upload has",
                cause: error)
        }
        for name in [HTTPField.Name.contentLength, .transferEncoding] { head.headerFields[name] = nil }
        let client = ClientExchanges(self, like: request, options, .now(after: options.timeout))
        let first = head
        return try await client.send(plan, first) { PlainSend($0, first, options, for: .client) }
    }
}

extension NIODeadline {
    static func now(after timeout: Duration?) -> NIODeadline {
        guard let timeout else { return .distantFuture }
        return .now() + TimeAmount(timeout.asWait)
    }

    var remaining: Duration? {
        self == .distantFuture ? nil : .nanoseconds((self - .now()).nanoseconds)
    }
}

extension HTTPClient {
    /// A server's answer to an upload, and how much of the body was sent by then.
    public struct UploadResponse: Sendable {
        /// The answer, including one that isn't 2xx. Its body hasn't been read yet.
        public var response: HTTPClientResponse
        /// The answer's URL, after all redirects.
        public var url: String
        /// Bytes of the last request's body that were handed to the client: at most 1 MiB of them, or 2 MiB of
        /// a body that arrives while it is sent, may not have been sent. 0 after a redirect that turned `POST` into `GET`.
        public var bytesSent: Int64
        /// Whether the body counts as delivered: all of it was sent, or a 2xx came early for one
        /// of at most 4 MiB. `false` for another early answer. Still `true` after a redirect that turned `POST` into `GET`:
        /// such a redirect is followed only if the body was delivered.
        public var isBodyComplete: Bool
        /// Tries after the first, see ``UploadOptions/retry``.
        public var retries: Int
        /// The state of a resumable upload; `nil` if the server gave it no URL of its own.
        public var upload: ResumableUpload? = nil

        /// The answer's status.
        public var status: HTTPResponseStatus { self.response.status }
    }
}
