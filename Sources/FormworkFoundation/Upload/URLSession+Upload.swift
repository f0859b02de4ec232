import Formwork
import FormworkValues
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Sends a body with bounded memory and returns the answer, including one that isn't 2xx.
    ///
    /// It handles redirects and a 401 by sending the body again from its plan: on Linux, URLSession by itself would
    /// send an empty body and report success. `GET` becomes `POST`. The session's own header fields are sent
    /// everywhere, its stored credentials nowhere. If a 401 with a Basic or Digest challenge is the final answer, its
    /// content is lost on Linux.
    /// - Throws: ``FormworkError``: the reader's; ``FormworkError/Code/notReplayable`` with the part if a body that
    ///   can be read only once would have to be sent again; ``FormworkError/Code/writeFailed`` if the connection breaks, or
    ///   if the server answers 2xx, or redirects to a page, before it has all of a body above 4 MiB (a shorter one counts as
    ///   delivered then). `CancellationError`; `URLError` for everything else.
    public func upload(
        _ plan: BodyPlan, with request: URLRequest, options: UploadOptions = UploadOptions()
    ) async throws -> (Data, HTTPURLResponse) {
        try await self.send(request, plan, options)
    }

    /// Plans a form, sends it like ``upload(_:with:options:)``, and reports its progress.
    ///
    /// ```swift
    /// let (data, response) = try await URLSession.shared.upload(form, with: request) { print($0.sent) }
    /// ```
    /// - Parameters:
    ///   - form: The form. Its files are looked at on another thread.
    ///   - request: Everything except the body.
    ///   - options: Redirects, credentials, tries and the time-out.
    ///   - isolation: The caller's actor.
    ///   - progress: Called on that actor, at most ten times per second, and with the last state.
    /// - Throws: What `FormData.plan()` and ``upload(_:with:options:)`` throw.
    public func upload(
        _ form: FormData, with request: URLRequest, options: UploadOptions = UploadOptions(),
        isolation: isolated (any Actor)? = #isolation, progress: ((UploadProgress) -> Void)? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        defer { options.monitor?.finish() }
        let plan = try await form.plan()
        return try await options.reporting(progress) { try await self.upload(plan, with: request, options: $0) }
    }

    /// Sends a request, with or without a body, within its time-out.
    package func send(
        _ request: URLRequest, _ plan: BodyPlan?, _ options: UploadOptions
    ) async throws -> (Data, HTTPURLResponse) {
        defer { options.monitor?.finish() }
        guard let timeout = options.timeout else { return try await self.send(request, plan, options, by: nil) }
        let end = ContinuousClock.Instant.after(timeout)
        return try await Race.run(until: end, late: URLError(.timedOut)) {
            try await self.send(request, plan, options, by: end)
        }
    }

    /// Makes transfers until the machine has an answer.
    private func send(
        _ request: URLRequest, _ plan: BodyPlan?, _ options: UploadOptions, by end: ContinuousClock.Instant?
    ) async throws -> (Data, HTTPURLResponse) {
        var request = request
        var streams: BodyInputStreams?
        if let plan {
            let isFixed = options.isFixed(plan)
            let plan = try await isFixed ? plan.readyToSend(options) : plan.checkedIfEmpty()
            request.describeBody(plan, isFixed: isFixed)
            streams = BodyInputStreams(plan, options: options.readerOptions)
        }
        let first = request.url
        var machine = UploadMachine(streams?.plan, options)
        while true {
            if let streams { request.httpBodyStream = try streams.nextForSession() }
            machine.isSourceRead = streams != nil
            options.monitor?.begin(attempt: machine.retries + 1)
            var result: (Data, HTTPURLResponse)?
            var step: UploadMachine.Step
            let outcome = try await self.transfer(request, streams, options.monitor)
            let remaining = end.map { ContinuousClock.now.duration(to: $0) }
            switch outcome {
            case .failure(let error):
                step = machine.failed(error, mayPass: options.retry.covers(session: error), remaining: remaining)
            case .success(let (data, response, bytesSent, isWhole)):
                result = (data, response)
                var answer = UploadMachine.Response(status: response.statusCode, response.challenge)
                answer.redirection = request.redirection(by: response, isTrusted: options.trustsRedirects)
                (answer.retryAfter, answer.isAtOrigin) = (response.retryAfter, response.hasOrigin(of: first))
                (answer.bytesSent, answer.isBodyComplete) = (bytesSent, isWhole)
                step = machine.answered(answer, remaining: remaining)
            }
            if case .authenticate(let challenge) = step {
                step = machine.authenticated(with: try await options.authentication?.answer(challenge))
            }
            switch step {
            case .done: if let result { return result }
            case .send, .authenticate: break
            case .authorize(let value): request.setValue(value, forHTTPHeaderField: "Authorization")
            case .follow(let redirection):
                request.follow(redirection)
                if !redirection.keepsBody { streams = nil }
            case .wait(let pause, _):
                options.monitor?.pause(until: .after(pause))
                try await Task.sleep(for: pause.asWait)
            case .fail(let failure): throw failure.error { _, _ in URLError(.httpTooManyRedirects) }
            }
        }
    }

    /// One transfer, without redirects.
    /// - Returns: The answer, the bytes that were read of the body, and whether it counts as delivered; or why there is none.
    private func transfer(
        _ request: URLRequest, _ streams: BodyInputStreams?, _ monitor: UploadMonitor?
    ) async throws -> Result<(Data, HTTPURLResponse, Int64, Bool), any Error> {
        let delegate = UploadDelegate(streams, monitor)
        let session = streams == nil ? self.withoutCache : self
        defer { if session !== self { session.finishTasksAndInvalidate() } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                UploadDelegate.queue.async { delegate.start(request, in: session, continuation) }
            }
        } onCancel: {
            delegate.cancel()
        }
        let feed = streams?.last
        defer { feed?.close() }
        try Task.checkCancellation()
        if let failure = feed?.failure { throw failure }
        if let error = outcome.error {
            guard let feed, feed.count > 0, !feed.isComplete else { return .failure(error) }
            return .failure(
                FormworkError(
                    .writeFailed, "the connection failed before the server had all of the body", offset: feed.count,
                    cause: error))
        }
        guard let response = outcome.response as? HTTPURLResponse else {
            return .failure(URLError(.badServerResponse))
        }
        let count = feed?.count ?? 0
        var isWhole = feed?.isComplete ?? true
        if let feed, !isWhole, UploadMachine.claimsBody(status: response.statusCode) {
            isWhole = await feed.wasAllGiven()
            try Task.checkCancellation()
            if let failure = feed.failure { throw failure }
        }
        if feed?.isComplete ?? false { monitor?.update { $0.acknowledged = $0.sent } }
        return .success((outcome.data ?? Data(), response, count, isWhole))
    }

    /// A session like this one, in which a task without a body can be cancelled at any time too:
    /// `UploadDelegate.cancel`.
    private var withoutCache: URLSession {
        #if canImport(FoundationNetworking)
        guard self.configuration.urlCache != nil, let copy = self.configuration.copy() as? URLSessionConfiguration
        else { return self }
        copy.urlCache = nil
        return URLSession(configuration: copy)
        #else
        return self
        #endif
    }
}

extension UploadOptions {
    /// Whether the length is sent, which is the default for this client.
    fileprivate func isFixed(_ plan: BodyPlan) -> Bool {
        switch self.length ?? .fixed {
        case .chunked: false
        case .whenKnown: plan.contentLength != nil
        default: true
        }
    }
}

extension HTTPURLResponse {
    /// Whether the response came from the same scheme, host and port (RFC 6454).
    fileprivate func hasOrigin(of url: URL?) -> Bool {
        guard let origin = url?.origin else { return false }
        return self.url?.origin == origin
    }

    fileprivate var challenge: UploadAuthentication.Challenge {
        let fields = self.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
        return UploadAuthentication.Challenge(url: self.url?.absoluteString ?? "") { name in
            fields.filter { $0.0 == name.lowercased() }.map(\.1)
        }
    }

    /// How long the server asks to wait; `nil` if it doesn't.
    fileprivate var retryAfter: Duration? { RetryAfter.delay(self.value(forHTTPHeaderField: "Retry-After")) }
}

extension RetryPolicy {
    /// Whether another try may help after this error of URLSession.
    fileprivate func covers(session error: any Error) -> Bool {
        #if canImport(FoundationNetworking)
        let unanswered = URLError.Code.badServerResponse
        #else
        let unanswered = URLError.Code.networkConnectionLost
        #endif
        let passing: [URLError.Code] = [
            .timedOut, .networkConnectionLost, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed, unanswered,
        ]
        // A connection that breaks while the body is being sent.
        if let error = error as? FormworkError { return error.code == .writeFailed && error.cause is URLError }
        guard let error = error as? URLError else { return false }
        return self.retriesAllErrors && error.code != .cancelled || passing.contains(error.code)
    }
}

extension BodyPlan {
    /// This plan, or its collected bytes if their number isn't known or reading has to wait for them.
    fileprivate func readyToSend(_ options: UploadOptions) async throws -> BodyPlan {
        if self.contentLength != nil, self.isReadableWithoutWaiting { return try await self.checkedIfEmpty() }
        return try await self.collected(
            upTo: options.memoryThreshold, in: options.temporaryFolder, checksFraming: options.reading.checksFraming)
    }
}

extension Progress {
    /// Follows how many bytes of an upload have been sent.
    ///
    /// It is finished when the server has the whole body, and never if the upload fails. It is changed on other threads than
    /// the main thread, which Foundation allows. The upload doesn't depend on it.
    public convenience init(following upload: UploadMonitor) {
        self.init(totalUnitCount: -1)
        let changes = upload.progress
        let follower = Weak(self)
        Task.detached {
            for await moment in changes {
                guard let progress = follower.progress else { return }
                if let total = moment.total, total != progress.totalUnitCount { progress.totalUnitCount = total }
                progress.completedUnitCount = moment.sent
            }
            // Of a body of unknown length, the number of bytes is the total once the server has them.
            let last = upload.current
            guard let progress = follower.progress, last.total == nil, last.acknowledged == last.sent, last.sent > 0
            else { return }
            progress.totalUnitCount = last.sent
        }
    }

    /// SAFETY of `@unchecked Sendable`: any thread may change Foundation's `Progress`.
    private final class Weak: @unchecked Sendable {
        weak var progress: Progress?
        init(_ progress: Progress) { self.progress = progress }
    }
}

extension URLSession {
    /// Writes a body to a file on a separate thread, and makes a task that uploads the file, not yet started.
    ///
    /// It is for background sessions, which accept only files: the system sends them even when the app doesn't run, and
    /// sends them again after a redirect or a 401 by itself. Remove the file when the task has ended. `GET` becomes
    /// `POST`.
    /// - Parameters:
    ///   - plan: The body.
    ///   - request: The request; its body is ignored.
    ///   - file: Where to write. The file appears when it is complete.
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - options: Options for the body's reader.
    /// - Throws: The reader's errors, ``FormworkError/Code/writeFailed``, and `CancellationError`. Then there is no new file.
    public func uploadTask(
        _ plan: BodyPlan, with request: URLRequest, writtenTo file: some PathConvertible, replacing: Bool = false,
        options: ReaderOptions = ReaderOptions()
    ) async throws -> URLSessionUploadTask {
        let path = file.filePath
        try await plan.write(toFile: path, replacing: replacing, options: options)
        var request = request
        if request.httpMethod == "GET" { request.httpMethod = "POST" }
        (request.httpBody, request.httpBodyStream) = (nil, nil)
        request.setValue(plan.contentType, forHTTPHeaderField: "Content-Type")
        return self.uploadTask(with: request, fromFile: URL(fileURLWithPath: path.string))
    }
}
