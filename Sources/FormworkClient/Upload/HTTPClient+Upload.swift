import AsyncHTTPClient
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import FormworkValues
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
        let deadline = NIODeadline.now(after: options.timeout)
        let plan = try await plan.readyToSend(options, by: deadline)
        let isChunked = options.length == .chunked
        var course = UploadAttempt(request: request)
        course.request.describeBody(plan, isChunked: isChunked)
        while true {
            let feed = try course.begin(plan, isChunked: isChunked, options)
            let response: HTTPClientResponse
            let isWhole: Bool
            do {
                (response, isWhole) = try await self.send(course.request, feed, deadline)
            } catch let failure as BrokenConnection {
                guard options.retry.covers(client: failure.cause),
                    let pause = options.retry.pause(after: course.retries, remaining: deadline.remaining)
                else { throw failure.error }
                if course.hasBody { try plan.checkReplayable(after: failure.error) }
                try await course.retry(after: pause, options)
                continue
            }
            if response.history.count > 1, let last = response.history.last?.request {
                // The client followed a redirect, which it does if the body is dropped.
                (course.request, course.hasBody) = (last, last.body != nil)
            }
            if response.status == .unauthorized, !course.isAuthorized,
                options.trustsRedirects || course.request.hasOrigin(of: request),
                let authorization = try await options.authentication?.answer(course.request.challenge(response))
            {
                if course.hasBody { try plan.checkAuthorizable() }
                course.isAuthorized = true
                course.request.headers.replaceOrAdd(name: "Authorization", value: authorization)
            } else if options.maximumRedirects > 0,
                let next = course.request.redirected(by: response, isTrusted: options.trustsRedirects)
            {
                if course.hasBody, !next.keepsBody, let feed, !isWhole { throw Self.isEarly(response, feed) }
                try course.follow(next.request, keepsBody: next.keepsBody, options)
            } else if options.retry.covers(status: Int(response.status.code)), !course.hasBody || plan.isReplayable,
                let pause = options.retry.pause(
                    after: course.retries, asked: RetryAfter.delay(response.headers.first(name: "Retry-After")),
                    remaining: deadline.remaining)
            {
                try await course.retry(after: pause, options)
            } else {
                if isWhole { options.monitor?.update { $0.acknowledged = $0.sent } }
                return UploadResponse(
                    response: response, url: course.request.url, bytesSent: course.hasBody ? feed?.count ?? 0 : 0,
                    isBodyComplete: isWhole, retries: course.retries)
            }
        }
    }

    /// Executes a request. Its body's feed stops if that fails.
    /// - Returns: The answer, or an error after which another try may help.
    /// - Throws: An error of the body, and what ends all tries: a cancellation, the deadline, and the client's own
    ///   limit of redirects.
    func attempt(
        _ request: HTTPClientRequest, _ feed: BufferFeed?, _ deadline: NIODeadline
    ) async throws -> Result<HTTPClientResponse, any Error> {
        do {
            return .success(
                try await withTaskCancellationHandler {
                    try await self.execute(request, deadline: deadline)
                } onCancel: {
                    feed?.stop(CancellationError())
                })
        } catch {
            feed?.stop(error)
            try _Concurrency.Task.checkCancellation()
            if let failure = feed?.failure { throw failure }
            let ends: [HTTPClientError] = [
                .deadlineExceeded, .cancelled, .redirectLimitReached, .redirectCycleDetected,
            ]
            if let error = error as? HTTPClientError, ends.contains(error) { throw error }
            return .failure(error)
        }
    }

    /// One transfer.
    /// - Returns: The answer, and whether the body counts as delivered.
    /// - Throws: ``BrokenConnection`` if another try may help; other errors unchanged.
    private func send(
        _ request: HTTPClientRequest, _ feed: BufferFeed?, _ deadline: NIODeadline
    ) async throws -> (HTTPClientResponse, isWhole: Bool) {
        let response: HTTPClientResponse
        try request.checkURL()
        switch try await self.attempt(request, feed, deadline) {
        case .success(let answer): response = answer
        case .failure(let error):
            if [.invalidURL, .emptyScheme, .emptyHost].contains(error as? HTTPClientError) {
                // No other try helps, and the client's error doesn't say what is missing.
                throw FormworkError(
                    .invalidArgument, "the request's URL needs a scheme and a host, as https://example.com/upload has",
                    cause: error)
            }
            throw BrokenConnection(cause: error, offset: feed.flatMap { $0.isComplete ? nil : $0.count } ?? 0)
        }
        guard let feed, !feed.isComplete else { return (response, true) }
        if let failure = feed.failure { throw failure }
        // A redirect that drops the body also means that the server has it.
        let isRedirect = response.history.count <= 1 && 301...303 ~= response.status.code
        if isRedirect || response.history.count > 1 || 200..<300 ~= response.status.code {
            if await feed.wasAllGiven() { return (response, true) }
            if let failure = feed.failure { throw failure }
            guard isRedirect else {
                let error = Self.isEarly(response, feed)
                feed.stop(error)
                throw error
            }
        }
        feed.stopQuietly()
        // The client asks for the request's body until its end, even after the connection closed.
        let end = FeedEnd(feed)
        var early = response
        early.body = .stream(response.body.map { buffer in withExtendedLifetime(end) { buffer } })
        return (early, false)
    }

    private static func isEarly(_ response: HTTPClientResponse, _ feed: BufferFeed) -> FormworkError {
        let status = response.history.first?.responseHead.status ?? response.status
        return FormworkError(
            .writeFailed, "the server answered \(status.code) before it had all of the body", offset: feed.count)
    }
}

/// How far an upload has come.
private struct UploadAttempt {
    var request: HTTPClientRequest
    var hasBody = true
    var isAuthorized = false
    private(set) var retries = 0
    private var redirects = 0
    private var bodies = 0

    init(request: HTTPClientRequest) { self.request = request }

    /// Gives the request its body, if it has one.
    mutating func begin(
        _ plan: BodyPlan, isChunked: Bool, _ options: UploadOptions
    ) throws(FormworkError) -> BufferFeed? {
        guard self.hasBody else { return nil }
        if self.bodies > 0 { try plan.checkReplayable() }
        self.bodies += 1
        options.monitor?.begin(attempt: self.retries + 1)
        let feed = BufferFeed(plan, options: options.readerOptions)
        self.request.body = .feed(feed, of: plan, isChunked: isChunked)
        return feed
    }

    mutating func retry(after pause: Duration, _ options: UploadOptions) async throws {
        self.retries += 1
        options.monitor?.pause(until: .after(pause))
        try await _Concurrency.Task.sleep(for: pause.asWait)
    }

    mutating func follow(_ next: HTTPClientRequest, keepsBody: Bool, _ options: UploadOptions) throws {
        self.redirects += 1
        guard self.redirects <= options.maximumRedirects else { throw HTTPClientError.redirectLimitReached }
        (self.request, self.hasBody) = (next, self.hasBody && keepsBody)
    }
}

/// Stops a feed when the last reference to this is released: when an early answer was read or dropped.
final class FeedEnd: Sendable {
    private let feed: BufferFeed

    init(_ feed: BufferFeed) { self.feed = feed }

    deinit { self.feed.stop(HTTPClientError.cancelled) }
}

/// A transfer whose connection failed.
private struct BrokenConnection: Error {
    /// The client's error.
    var cause: any Error
    /// Bytes of the body that were given to the client, if not all of them; 0 otherwise.
    var offset: Int64

    /// The error for the caller.
    var error: any Error {
        guard self.offset > 0 else { return self.cause }
        return FormworkError(
            .writeFailed, "the connection failed before the server had all of the body", offset: self.offset,
            cause: self.cause)
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

extension BodyPlan {
    /// - Parameter failure: The failure after which the body would have to be sent again, if any.
    func checkReplayable(after failure: (any Error)? = nil) throws(FormworkError) {
        guard let blocker = self.replayBlocker else { return }
        throw FormworkError(
            .notReplayable,
            "the body would have to be sent again, but \(blocker.reason): give a source that can be opened again",
            part: blocker.part, cause: failure)
    }

    /// This plan, or its collected bytes if their number has to be known.
    fileprivate func readyToSend(
        _ options: UploadOptions, by deadline: NIODeadline
    ) async throws -> BodyPlan {
        let isCollected = options.length == .fixed && self.contentLength == nil
        guard isCollected || self.contentLength == 0 else { return self }
        let collect: @Sendable () async throws -> BodyPlan = {
            guard isCollected else { return try await self.checkedIfEmpty() }
            return try await self.collected(
                upTo: options.memoryThreshold, in: options.temporaryFolder,
                checksFraming: options.reading.checksFraming)
        }
        guard let remaining = deadline.remaining else { return try await collect() }
        return try await Race.run(until: .after(remaining), late: HTTPClientError.deadlineExceeded, collect)
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
