import AsyncHTTPClient
import FormworkSystem
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypesHTTP1
import NIOPosix

/// AsyncHTTPClient as the client of a ``SendDriver``. It doesn't report informational answers.
struct ClientExchanges: ExchangeClient {
    private let client: HTTPClient
    private let first: HTTPClientRequest
    private let options: UploadOptions
    private let deadline: NIODeadline
    private let resumes: Bool
    /// Whether the server ever accepted a connection for this upload, in this process or an earlier one.
    private let wasReached: WatchedState<Bool>

    /// - Parameter resumes: Whether failures are those that ``ResumableSend`` knows, and not the caller's.
    init(
        _ client: HTTPClient, like first: HTTPClientRequest, _ options: UploadOptions, _ deadline: NIODeadline,
        wasReached: Bool = false, resumes: Bool = false
    ) {
        (self.client, self.first, self.options, self.deadline) = (client, first, options, deadline)
        (self.wasReached, self.resumes) = (WatchedState(wasReached), resumes)
    }

    /// Performs the steps of a machine.
    func send(
        _ plan: BodyPlan, _ request: HTTPRequest, _ make: @escaping @Sendable (BodyPlan) throws -> any SendMachine
    ) async throws -> HTTPClient.UploadResponse {
        let driver = self.driver(self.options, request)
        return try await driver.send(plan, late: HTTPClientError.deadlineExceeded) { answer, trace in
            if answer.isBodyComplete { driver.monitor.update { $0.acknowledged = $0.total ?? $0.sent } }
            let head = HTTPClientResponse(
                status: HTTPResponseStatus(statusCode: answer.head.status.code),
                headers: HTTPHeaders(answer.head.headerFields))
            return HTTPClient.UploadResponse(
                response: answer.given?.take() ?? head, url: answer.followed?.request.urlText ?? trace.url,
                bytesSent: trace.hasBody ? answer.bytesSent : 0, isBodyComplete: answer.isBodyComplete,
                retries: trace.retries, upload: trace.upload)
        } _: {
            try make($0)
        }
    }

    /// Asks the server what it supports, with `OPTIONS`.
    func offer(to question: HTTPRequest, _ retry: RetryPolicy) async throws -> HTTPFields {
        let options = UploadOptions(retry: retry)
        return try await self.driver(options, question).send(
            BodyPlan(copying: .bytes([])), late: HTTPClientError.deadlineExceeded,
            { answer, _ in answer.head.headerFields }
        ) { PlainSend($0, question, options, hasBody: false, for: .client) }
    }

    private func driver(_ options: UploadOptions, _ request: HTTPRequest) -> SendDriver {
        SendDriver(self, options, request, by: self.deadline.remaining.map { .after($0) })
    }

    func reaches(_ request: HTTPRequest) async -> Bool { false }

    func exchange<Result: Sendable>(
        _ request: HTTPRequest, body: ExchangeBody?, expectsContinue: Bool?, reading: ReaderOptions,
        monitor: UploadMonitor?, hooks: ExchangeHooks, answered: (ExchangeResponse) async throws -> Result
    ) async throws -> Result {
        var made = self.first
        (made.url, made.method) = (request.urlText, HTTPMethod(rawValue: request.method.rawValue))
        (made.headers, made.body) = (HTTPHeaders(request.headerFields), nil)
        // A server may have given the URL.
        try made.checkURL()
        var feed: BufferFeed?
        if let body {
            monitor?.update { progress in
                (progress.start, progress.sent, progress.total) = (body.offset, body.offset, body.plan.contentLength)
            }
            var whole = body
            // The length shows whether all was read, even if it isn't sent.
            whole.isChunked = false
            let stretch = try BufferFeed(whole, options: self.options.readerOptions)
            let buffers = FedBuffers(makeFeed: { stretch }, offset: body.offset, hooks: hooks)
            made.body = .stream(buffers, length: body.length.map { .known($0) } ?? .unknown)
            feed = stretch
        }
        let response: HTTPClientResponse
        switch try await self.attempt(made, feed) {
        case .success(let given): response = given.locatedAbsolutely()
        case .failure(let error): throw self.failure(error, request, feed)
        }
        self.wasReached.withLock { $0 = true }
        let isWhole = try await self.isWhole(response, feed)
        let given = GivenResponse(response.reading(feed, isComplete: isWhole))
        var answer = ExchangeResponse(
            head: HTTPResponse(response), body: ExchangeResponseBody(), bytesSent: feed?.count ?? 0,
            isBodyComplete: isWhole, isAllSent: isWhole, version: .http11)
        answer.given = given
        if response.history.count > 1, let last = response.history.last?.request,
            var next = request.resolving(last.url)
        {
            (next.method, next.headerFields) = (
                HTTPRequest.Method(last.method.rawValue) ?? .get, HTTPFields(last.headers)
            )
            answer.followed = (next, last.body != nil)
            if last.body == nil { answer.bytesSent = 0 }
        }
        let result = try await answered(answer)
        // So that its connection can be used again.
        if !given.isTaken, isWhole { _ = try? await given.take().body.collect(upTo: 64 << 10) }
        return result
    }

    /// Executes a request. Its body's feed stops if that fails.
    /// - Returns: The answer, or an error after which another try may help.
    /// - Throws: An error of the body, and what ends all tries: a cancellation, the deadline, and the client's own
    ///   limit of redirects.
    private func attempt(
        _ request: HTTPClientRequest, _ feed: BufferFeed?
    ) async throws -> Result<HTTPClientResponse, any Error> {
        do {
            return .success(
                try await withTaskCancellationHandler {
                    try await self.client.execute(request, deadline: self.deadline)
                } onCancel: {
                    feed?.stop(CancellationError())
                })
        } catch {
            feed?.stop(error)
            try Task.checkCancellation()
            if let failure = feed?.failure { throw failure }
            let ends: [HTTPClientError] = [
                .deadlineExceeded, .cancelled, .redirectLimitReached, .redirectCycleDetected,
            ]
            if let error = error as? HTTPClientError, ends.contains(error) { throw error }
            return .failure(error)
        }
    }

    /// The error of a request without an answer.
    private func failure(_ error: any Error, _ request: HTTPRequest, _ feed: BufferFeed?) -> any Error {
        guard self.resumes else {
            var shown = error
            if let feed, !feed.isComplete, feed.count > 0 {
                shown = FormworkError(
                    .writeFailed, "the connection failed before the server had all of the body", offset: feed.count,
                    cause: error)
            }
            let closed = error as? NIOHTTP2Errors.StreamClosed
            return ClientFailure(
                error: shown, mayPass: self.options.retry.covers(client: error),
                isUnprocessed: closed?.errorCode == .refusedStream)
        }
        guard error.precedesConnection else {
            self.wasReached.withLock { $0 = true }
            return TransferError(.receive, "the connection failed", bytesSent: feed?.count ?? 0, cause: error)
        }
        let failure = TransferError(connecting: request.authority ?? request.shownURL, error)
        // The client has tried again and again, for as long as it does. Its URL may be wrong.
        return self.wasReached.withLock { $0 } ? failure : ClientFailure(error: failure)
    }

    /// Whether the body counts as delivered.
    private func isWhole(_ response: HTTPClientResponse, _ feed: BufferFeed?) async throws -> Bool {
        guard let feed, !feed.isComplete else { return true }
        if let failure = feed.failure { throw failure }
        // The client followed a redirect, which it does if the body is dropped.
        let isFollowed = response.history.count > 1
        guard isFollowed || self.resumes || UploadMachine.claimsBody(status: Int(response.status.code)) else {
            return false
        }
        let isWhole = await feed.wasAllGiven()
        if let failure = feed.failure { throw failure }
        if !isWhole, isFollowed, let first = response.history.first?.responseHead.status {
            let early = UploadMachine.Failure.early(status: Int(first.code), nil, offset: feed.count)
            feed.stopQuietly()
            throw ClientFailure(error: early.clientError)
        }
        return isWhole
    }
}

extension PlainSend.Manners {
    /// AsyncHTTPClient sends no `Expect`, and a redirect that isn't followed is its answer.
    static let client = PlainSend.Manners(mayAsk: false, refusesUnsafe: false) { failure, _ in failure.clientError }
}

extension UploadMachine.Failure {
    /// The error of an upload by AsyncHTTPClient.
    fileprivate var clientError: any Error {
        guard case .other(let failure as ClientFailure, let blocker?) = self else {
            return self.error { _, _ in HTTPClientError.redirectLimitReached }
        }
        return FormworkError(
            .notReplayable,
            "the body would have to be sent again, but \(blocker.message): give a source that can be opened again",
            part: blocker.part, cause: failure.error)
    }
}

/// Stops a feed when the last reference to this is released: when an early answer was read or dropped.
final class FeedEnd: Sendable {
    private let feed: BufferFeed

    init(_ feed: BufferFeed) { self.feed = feed }

    deinit { self.feed.stop(HTTPClientError.cancelled) }
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
            let target = (try? HTTPRequest(to: last))?.located(location)
        else { return self }
        var copy = self
        copy.headers.replaceOrAdd(name: "Location", value: target)
        return copy
    }
}

extension HTTPRequest {
    /// The head of a client's request.
    /// - Throws: ``TransferError/Code/invalidRequest``.
    init(_ request: HTTPClientRequest) throws {
        let method = request.method == .GET ? HTTPMethod.POST : request.method
        let name = HTTPRequest.Method(rawValue: method.rawValue) ?? .post
        if let invalid = request.headers.first(where: { HTTPField.Name($0.name) == nil }) {
            throw FormworkError(
                .invalidArgument, "the request's field \(invalid.name) has a name that HTTP doesn't allow")
        }
        let fields = HTTPFields(request.headers)
        let parts = request.url.split(separator: "://", maxSplits: 1)
        guard let scheme = parts.first, scheme.hasSuffix("unix"), let rest = parts.last else {
            try self.init(name, to: request.url, headerFields: fields)
            return
        }
        // The URL of a Unix socket has no origin.
        let path = rest.firstIndex(of: "/") ?? rest.endIndex
        self.init(
            method: name, scheme: String(scheme), authority: String(rest[..<path]), path: String(rest[path...]),
            headerFields: fields)
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
    fileprivate init(_ headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { self.append(HTTPField(name: name, value: value)) }
        }
    }
}

extension RetryPolicy {
    func covers(_ error: any Error) -> Bool {
        if let failure = error as? ClientFailure { return failure.mayPass }
        return (error as? TransferError).map { self.retriesAllErrors || $0.mayPass } ?? false
    }

    /// Whether another try may help after this error of AsyncHTTPClient or of its connection.
    func covers(client error: any Error) -> Bool {
        if self.retriesAllErrors { return true }
        switch error {
        case let error as HTTPClientError: return Self.passing.contains(error)
        case is NIOConnectionError, is ChannelError, is IOError: return true
        // The errors for a connection that ends within an answer, in HTTP/1.1 and HTTP/2.
        case HTTPParserError.invalidEOFState, is NIOHTTP2Errors.StreamClosed: return true
        default: return false
        }
    }

    private static let passing: [HTTPClientError] = [
        .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout,
        .socksHandshakeTimeout, .getConnectionFromPoolTimeout, .remoteConnectionClosed, .requestStreamCancelled,
    ]
}
