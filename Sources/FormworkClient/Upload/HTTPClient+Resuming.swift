import AsyncHTTPClient
import Formwork
import FormworkFiles
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

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
    ///   reached, after the client's own tries; an error for an upload that can't be resumed;
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
        let wasAsked = try await self.agree(&plan, &resuming, head, request, deadline)
        // A tus server may get one file of the form.
        plan = try await plan.checkedIfEmpty()
        guard resuming.options.choice != .off else {
            var rest = options
            rest.timeout = deadline.remaining
            return try await self.upload(plan, with: request, options: rest)
        }
        // After a 401 another machine continues the upload.
        let link = Mutex(resuming.link)
        let save = resuming.save
        resuming.save = { new in
            link.withLock { $0 = new }
            try save(new)
        }
        let machine = SharedMachine(try ResumableSend(plan, head, resuming, options))
        var course = UploadAttempt(machine: machine, url: request.url)
        course.hasReachedServer = resuming.link != nil || wasAsked
        while true {
            switch course.machine.next() {
            case .failed(let error): throw error
            case .pause(let duration, _):
                course.retries += 1
                options.monitor?.pause(until: .after(duration))
                if let remaining = deadline.remaining, duration >= remaining {
                    throw HTTPClientError.deadlineExceeded
                }
                try await _Concurrency.Task.sleep(for: duration.asWait)
            case .answered(let head):
                course.machine.delivered()
                return UploadResponse(
                    response: HTTPClientResponse(
                        status: HTTPResponseStatus(statusCode: head.status.code),
                        headers: HTTPHeaders(head.headerFields)),
                    url: course.url, bytesSent: 0, isBodyComplete: true, retries: course.retries,
                    upload: course.machine.upload)
            case .exchange(let next, let body, _):
                let exchange = try await self.exchange(next, body, like: request, &course, deadline, options)
                guard let (response, feed) = exchange else { continue }
                if let value = try await course.authorization(response, to: next, like: head, options) {
                    feed?.stop(HTTPClientError.cancelled)
                    var head = head
                    head.headerFields[.authorization] = value
                    resuming.link = link.withLock { $0 }
                    course.machine = SharedMachine(try ResumableSend(plan, head, resuming, options))
                    continue
                }
                if let result = await course.answered(response, feed, deadline, options) { return result }
            }
        }
    }

    /// Asks the server which protocol it supports, where the caller leaves that open.
    /// - Returns: Whether it was asked.
    private func agree(
        _ plan: inout BodyPlan, _ resuming: inout FormSender.Resuming, _ head: HTTPRequest,
        _ request: HTTPClientRequest, _ deadline: NIODeadline
    ) async throws -> Bool {
        var server = TusServer()
        let isOpen = resuming.link == nil && [.auto, .tus].contains(resuming.options.choice)
        if isOpen {
            let fields = try await self.offer(head, request, resuming.options, deadline)
            server = TusServer(fields)
            if resuming.options.choice == .auto {
                resuming.options.choice = fields.offeredProtocol
                resuming.options.createsFirst = resuming.options.choice == .ietf
            }
        }
        guard resuming.usesTus else { return isOpen }
        let delivery = try await resuming.delivery(of: plan, to: server)
        (plan, resuming) = (delivery.plan, delivery.resuming)
        return isOpen
    }

    /// One request of an upload.
    /// - Returns: `nil` if it failed; the machine was informed.
    private func exchange(
        _ request: HTTPRequest, _ body: ExchangeBody?, like first: HTTPClientRequest, _ course: inout UploadAttempt,
        _ deadline: NIODeadline, _ options: UploadOptions
    ) async throws -> (HTTPClientResponse, BufferFeed?)? {
        let machine = course.machine
        var next = request
        if let algorithm = machine.checksum, let body {
            next.headerFields[.uploadChecksum] = try await body.plan.uploadChecksum(
                algorithm, from: body.offset, count: body.count)
        }
        course.url = next.urlText
        options.monitor?.begin(attempt: course.retries + 1)
        var made = first
        (made.url, made.method) = (next.urlText, HTTPMethod(rawValue: next.method.rawValue))
        (made.headers, made.body) = (HTTPHeaders(next.headerFields), nil)
        // A server may have given the URL.
        try made.checkURL()
        var feed: BufferFeed?
        if let body {
            options.monitor?.update { progress in
                (progress.start, progress.sent, progress.total) = (body.offset, body.offset, body.plan.contentLength)
            }
            let stretch = try BufferFeed(body, options: options.readerOptions)
            let buffers = FollowedBuffers(
                feed: stretch, offset: body.offset, hooks: machine.hooks(FormSender.Observer(), nil))
            made.body = .stream(buffers, length: body.length.map { .known($0) } ?? .unknown)
            feed = stretch
        }
        switch try await self.attempt(made, feed, deadline) {
        case .success(let response):
            course.hasReachedServer = true
            return (response.locatedAbsolutely(), feed)
        case .failure(let error):
            guard !error.precedesConnection else {
                let error = TransferError(unreached: next.shownURL, error)
                // The client has tried again and again, for as long as it does. Its URL may be wrong.
                guard course.hasReachedServer else { throw error }
                machine.failed(error, remaining: deadline.remaining)
                return nil
            }
            course.hasReachedServer = true
            machine.failed(
                TransferError(.receive, "the connection failed", bytesSent: feed?.count ?? 0, cause: error),
                remaining: deadline.remaining)
            return nil
        }
    }

    /// The fields in which the server announces what it supports.
    private func offer(
        _ head: HTTPRequest, _ request: HTTPClientRequest, _ options: UploadClientOptions, _ deadline: NIODeadline
    ) async throws -> HTTPFields {
        var probe = request
        (probe.url, probe.method, probe.body) = (head.urlText, .OPTIONS, nil)
        try probe.checkURL()
        probe.headers = HTTPHeaders(head.headerFields)
        for name in ["Content-Type", "Content-Length", "Transfer-Encoding", "Expect"] {
            probe.headers.remove(name: name)
        }
        var failures = 0
        while true {
            do {
                let response = try await self.execute(probe, deadline: deadline)
                let fields = HTTPResponse(response).headerFields
                _ = try? await response.body.collect(upTo: 64 << 10)
                return fields
            } catch {
                try _Concurrency.Task.checkCancellation()
                guard !error.precedesConnection else { throw TransferError(unreached: head.shownURL, error) }
                failures += 1
                let isOver = [.deadlineExceeded, .cancelled].contains(error as? HTTPClientError)
                guard !isOver, failures < options.maximumAttempts else { throw error }
                try await _Concurrency.Task.sleep(
                    for: options.delays[min(failures, options.delays.count) - 1].asWait)
            }
        }
    }
}

/// How far a resumable upload has come.
private struct UploadAttempt {
    var machine: SharedMachine
    /// The last request's.
    var url: String
    var retries = 0
    /// Whether the server ever accepted a connection for this upload, in this process or an earlier one.
    var hasReachedServer = false
    private var isAuthorized = false

    init(machine: SharedMachine, url: String) { (self.machine, self.url) = (machine, url) }

    /// The credentials that the first 401 of the upload's own origin asks for; `nil` for any other answer.
    mutating func authorization(
        _ response: HTTPClientResponse, to next: HTTPRequest, like head: HTTPRequest, _ options: UploadOptions
    ) async throws -> String? {
        guard response.status == .unauthorized, !self.isAuthorized, let authentication = options.authentication,
            let target = UploadTarget(next),
            options.trustsRedirects || UploadTarget(head)?.hasOrigin(of: target) == true
        else { return nil }
        self.isAuthorized = true
        let challenge = UploadAuthentication.Challenge(url: self.url) { response.headers[$0] }
        return try await authentication.answer(challenge)
    }

    /// Gives an answer to the machine.
    /// - Returns: The result; `nil` if another request follows.
    func answered(
        _ response: HTTPClientResponse, _ feed: BufferFeed?, _ deadline: NIODeadline, _ options: UploadOptions
    ) async -> HTTPClient.UploadResponse? {
        let isComplete = await feed?.wasAllGiven() ?? true
        let summary = SendResponse(
            head: HTTPResponse(response), bytesSent: feed?.count ?? 0, isBodyComplete: isComplete)
        let isLast = self.machine.answered(summary, remaining: deadline.remaining)
        if let upload = self.machine.upload { options.monitor?.acknowledge(upload.acknowledged) }
        guard isLast else {
            if !isComplete { feed?.stop(HTTPClientError.cancelled) }
            // So that its connection can be used again.
            _ = try? await response.body.collect(upTo: 64 << 10)
            return nil
        }
        // The caller need not read the answer's body, so the state can't be kept until its end.
        self.machine.delivered()
        let isWhole = self.machine.isBodyComplete ?? isComplete
        if isWhole { options.monitor?.update { $0.acknowledged = $0.total ?? $0.sent } }
        return HTTPClient.UploadResponse(
            response: response.reading(feed, isComplete: isComplete), url: self.url, bytesSent: feed?.count ?? 0,
            isBodyComplete: isWhole, retries: self.retries, upload: self.machine.upload)
    }
}

/// A feed that reports its bytes to a machine before the client gets them.
private struct FollowedBuffers: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let feed: BufferFeed
    let offset: Int64
    let hooks: ExchangeHooks

    struct AsyncIterator: AsyncIteratorProtocol {
        let buffers: FollowedBuffers
        var isBegun = false

        mutating func next() async throws -> ByteBuffer? {
            if !self.isBegun { self.buffers.hooks.reading() }
            self.isBegun = true
            let buffer = try await self.buffers.feed.next()
            let end = self.buffers.offset + self.buffers.feed.count
            if buffer == nil { self.buffers.hooks.ended(end) } else { self.buffers.hooks.sending(end) }
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffers: self) }
}

extension TransferError {
    fileprivate init(unreached url: String, _ error: any Error) {
        self.init(connecting: UploadTarget(url)?.authority ?? url, error)
    }
}

extension Error {
    /// Whether no connection was made, so that the server can't have received anything.
    fileprivate var precedesConnection: Bool {
        switch self {
        case let error as HTTPClientError:
            [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error)
        // The client connects to an address without a search for others, whose errors would be collected in this one.
        case is NIOConnectionError: true
        case let error as IOError:
            [Errno.connectionRefused, .noRouteToHost, .networkUnreachable].contains(Errno(rawValue: error.errnoCode))
        default: false
        }
    }
}

extension HTTPClientResponse {
    /// The response; when it was read or dropped, it stops an incomplete feed.
    fileprivate func reading(_ feed: BufferFeed?, isComplete: Bool) -> Self {
        guard let feed, !isComplete else { return self }
        feed.stopQuietly()
        let end = FeedEnd(feed)
        var early = self
        early.body = .stream(self.body.map { buffer in withExtendedLifetime(end) { buffer } })
        return early
    }

    /// The response with an absolute `Location`, as the client may have followed a redirect.
    fileprivate func locatedAbsolutely() -> Self {
        guard self.history.count > 1, let last = self.history.last?.request.url,
            let location = self.headers.first(name: "Location"),
            let target = UploadTarget(last)?.resolving(location)
        else { return self }
        var copy = self
        copy.headers.replaceOrAdd(name: "Location", value: target.url)
        return copy
    }
}

extension HTTPRequest {
    /// The head of a client's request.
    /// - Throws: ``TransferError/Code/invalidRequest``.
    fileprivate init(_ request: HTTPClientRequest) throws {
        let method = request.method == .GET ? HTTPMethod.POST : request.method
        try self.init(
            HTTPRequest.Method(rawValue: method.rawValue) ?? .post, to: request.url,
            headerFields: HTTPFields(request.headers))
    }
}

extension HTTPResponse {
    fileprivate init(_ response: HTTPClientResponse) {
        self.init(
            status: HTTPResponse.Status(code: Int(response.status.code), reasonPhrase: response.status.reasonPhrase),
            headerFields: HTTPFields(response.headers))
    }
}

extension HTTPFields {
    /// The protocol that these fields of an answer to `OPTIONS` announce.
    fileprivate var offeredProtocol: ResumableChoice {
        if self.contains(.uploadLimit) || self.interopVersion != nil { return .ietf }
        let versions = self[.tusVersion] ?? self[.tusResumable] ?? ""
        let isTus = versions.split(separator: ",").contains { $0.filter { $0 != " " } == "1.0.0" }
        return isTus ? .tus : .off
    }

    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { self.append(HTTPField(name: name, value: value)) }
        }
    }
}

extension HTTPHeaders {
    fileprivate init(_ fields: HTTPFields) {
        self.init(fields.map { ($0.name.rawName, $0.value) })
    }
}
