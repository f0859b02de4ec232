import AsyncHTTPClient
import FormworkCore
import FormworkDigests
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import FormworkEssentials

/// A request to a bucket or an object.
struct S3Request: Sendable {
    /// S3's name of the operation.
    var operation: String
    var method: HTTPMethod
    /// `nil` for the bucket itself.
    var key: String?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body = ByteBuffer()
    /// The body's SHA-256 in hexadecimal, if it is known already.
    var sha256: String?

    /// Whether the request can be cancelled safely: it leaves nothing in the store, or leftovers can be deleted without its
    /// response.
    var isCancellable: Bool {
        [.GET, .HEAD].contains(self.method) || self.query.contains { $0.name == "partNumber" }
    }

    /// Whether the answer's body is an object's own bytes, which may look like any answer of the store.
    var readsContent: Bool { self.method == .GET && self.key != nil && self.query.isEmpty }

    /// The body's SHA-256 in hexadecimal.
    var payloadHash: String {
        if let sha256 { return sha256 }
        var digest = SHA256Digest()
        digest.update(self.body.readableBytesSpan)
        return digest.hex
    }
}

/// A store's answer, read completely.
struct S3Response: Sendable {
    var status: UInt
    var headers: HTTPHeaders
    var body: ByteBuffer

    /// The body as XML; `nil` if it isn't XML.
    var xml: XMLResponse? { XMLResponse(self.body.readableBytesView) }

    /// The body as XML with this root; `nil` if it isn't that.
    func xml(_ root: String) -> XMLResponse? { self.xml.flatMap { $0.name == root ? $0 : nil } }

    /// The object's entity tag.
    var tag: String? { self.headers.first(name: "ETag") }

    /// The object's version, in a bucket with versioning.
    var versionID: String? { self.headers.first(name: "x-amz-version-id") }

    /// The error of an answer in which something is missing: something before the store may answer 200, too.
    func unreadable(_ request: S3Request) -> S3Error {
        S3Error(operation: request.operation, reason: .unreadable(status: self.status))
    }
}

/// Time-outs and numbers of tries.
struct S3Patience: Sendable {
    /// The most tries of a request, 1 or more. By default only ``total`` ends them.
    var attempts = Int.max
    /// The wait before the second try. It doubles with each try, shortened by a random part.
    var delay: Duration = .milliseconds(250)
    /// The longest wait.
    var longestDelay: Duration = .seconds(8)
    /// How long a try may go without progress, in either direction, before it is abandoned.
    var stall: Duration = .seconds(60)
    /// How long a request is tried in total while it makes no progress; a try that makes progress continues. It isn't
    /// tried again if the wait before that would end later. Default 60 s, which is how long nginx waits for an answer.
    var total: Duration = .seconds(60)
    /// Bytes per second that a request must reach overall, in addition to twice the stall time.
    var slowest = 16 << 10
}

/// Makes signed requests, each until it is answered or has used up its tries.
struct S3Exchange: Sendable {
    let http: HTTPClient
    /// The event loop of all the client's channels.
    let loop: any EventLoop
    let address: S3Address
    let signer: SigV4
    let patience: S3Patience
    let logger: Logger
    private let metrics: MemoryMetrics?
    /// Answers in place of the store; `nil` for none.
    private let standIn: StandIn?

    typealias StandIn = @Sendable (S3Request) async throws -> (answer: S3Response, attempts: Int)

    /// - Parameters:
    ///   - metrics: Counts requests; `nil` counts nothing.
    ///   - trusted: The certificates that a store's must come from; `nil` for the system's.
    ///   - standIn: Answers in place of the store, so that tests can decide the order of all requests.
    init(
        address: S3Address, signer: SigV4, patience: S3Patience, logger: Logger, metrics: MemoryMetrics? = nil,
        trusted: [NIOSSLCertificate]? = nil, standIn: StandIn? = nil
    ) {
        (self.metrics, self.standIn) = (metrics, standIn)
        let stall = TimeAmount(min(patience.stall, patience.total))
        // The number of uploads and parts is limited elsewhere. A request that had to wait for a connection would fail
        // after the connect time-out.
        let configuration = HTTPClient.Configuration(
            .init(connect: min(.seconds(10), stall), read: stall, write: stall), connections: 100_000, trusted: trusted)
        let loop = HTTPClient.defaultEventLoopGroup.any()
        self.http = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: configuration)
        (self.loop, self.address, self.signer) = (loop, address, signer)
        (self.patience, self.logger) = (patience, logger)
    }

    /// How long a request that can't be given up half-way is waited for after its task was cancelled.
    private static let lastWait: Duration = .seconds(10)

    /// The answer, which is 2xx.
    ///
    /// If the task is cancelled, a request that changes the store isn't tried again, but it is ended: the store may carry
    /// it out anyway, and the id of an upload that it begins is only in its answer.
    /// - Returns: Also the number of tries: a request that was made twice may have succeeded the first time.
    /// - Throws: ``S3Error``; `CancellationError`.
    func send(_ request: S3Request) async throws -> (answer: S3Response, attempts: Int) {
        if let standIn { return try await Self.untilAnswered(request) { try await standIn(request) } }
        let payloadHash = self.payloadHash(of: request)
        var delay = self.patience.delay
        var attempt = 1
        let end = ContinuousClock.Instant.after(self.patience.total)
        while true {
            var wait = delay
            do {
                if attempt > 1 { self.metrics?.count(.storeRetries, request.operation) }
                let stall = min(self.patience.stall, max(ContinuousClock.now.duration(to: end), .milliseconds(1)))
                let answer = try await Self.untilAnswered(request) {
                    try await self.counted(request, payloadHash, stall)
                }
                return (answer, attempt)
            } catch var error as Failure {
                // Random, so that clients that were told to slow down don't all return at once.
                wait = max(error.retryAfter ?? .zero, delay * Double.random(in: 0.5...1))
                guard error.error.isTransient, attempt < self.patience.attempts, .after(wait) < end else {
                    error.error.attempts = attempt
                    throw error.error
                }
                self.logger.warning(
                    "a request to the object store failed and will be retried",
                    metadata: [
                        "error": "\(error.error)",
                        "try": .stringConvertible(attempt),
                    ])
            }
            try await Task.sleep(for: wait.asWait)
            attempt += 1
            delay = min(delay * 2, self.patience.longestDelay)
        }
    }

    /// What an answer has.
    /// - Throws: ``S3Error`` also if it isn't there; `CancellationError`.
    func send<Value>(_ request: S3Request, reading value: (S3Response) -> Value?) async throws -> Value {
        let answer = try await self.send(request).answer
        guard let value = value(answer) else { throw answer.unreadable(request) }
        return value
    }

    /// Makes one try, which isn't cancelled at once if the request can't be given up.
    private static func untilAnswered<Answer: Sendable>(
        _ request: S3Request, _ attempt: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        try Task.checkCancellation()
        if request.isCancellable { return try await attempt() }
        let work = Task { try await attempt() }
        return try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            Task {
                try? await Task.sleep(for: Self.lastWait.asWait)
                work.cancel()
            }
        }
    }

    /// Whether the signature covers the content of objects.
    ///
    /// TLS protects it on its way. AWS's own tools leave it out then, too.
    var signsContent: Bool { self.address.scheme != "https" }

    private func payloadHash(of request: S3Request) -> String {
        let isContent = request.method == .PUT && request.body.readableBytes > 0
        return isContent && !self.signsContent ? "UNSIGNED-PAYLOAD" : request.payloadHash
    }

    private struct Failure: Error {
        var error: S3Error
        var retryAfter: Duration?
    }

    private func counted(
        _ request: S3Request, _ payloadHash: String, _ stall: Duration
    ) async throws -> S3Response {
        let start = ContinuousClock.now
        do {
            let answer = try await self.attempt(request, payloadHash, stall)
            self.metrics?.record(ContinuousClock.now - start, .storeRequestSeconds, request.operation)
            return answer
        } catch let failure as Failure {
            self.metrics?.record(ContinuousClock.now - start, .storeRequestSeconds, request.operation)
            // With 404 and 412 a store answers a question, such as whether a name is free.
            if ![404, 412].contains(failure.error.status) {
                self.metrics?.count(.storeErrors, request.operation, failure.error.label)
            }
            throw failure
        }
    }

    private func attempt(
        _ request: S3Request, _ payloadHash: String, _ stall: Duration
    ) async throws -> S3Response {
        // A short body is sent at once, and then only waits; a longer one shows its progress by its slices.
        let isShort = request.body.readableBytes <= 64 << 10
        let longest = self.deadline(request.body.readableBytes)
        let deadline = isShort ? min(longest, .now() + TimeAmount(stall.asWait)) : longest
        let answer: S3Response
        do {
            let pace = BodyPace(isOver: request.body.readableBytes == 0)
            let signed = self.signed(request, payloadHash, pace)
            // CompleteMultipartUpload may need minutes after its body, and sends blanks meanwhile.
            answer = try await pace.watch(stall, limitsAnswer: request.method == .PUT && !isShort) {
                let response = try await self.http.execute(signed, deadline: deadline)
                let length = response.headers.first(name: "Content-Length").flatMap { Int($0) } ?? Self.longestAnswer
                let body = try await TimeLimit.run(self.longest(min(max(length, 0), Self.longestAnswer))) {
                    try await response.body.collect(upTo: Self.longestAnswer)
                }
                return S3Response(status: response.status.code, headers: response.headers, body: body)
            }
        } catch {
            try Task.checkCancellation()
            throw Failure(error: S3Error(operation: request.operation, reason: .connection(error)))
        }
        // CompleteMultipartUpload answers 200 before it knows the result, and may report an error in the body.
        let isSuccess = 200..<300 ~= answer.status
        let xml = isSuccess && (answer.body.readableBytes == 0 || request.readsContent) ? nil : answer.xml
        if isSuccess, xml?.name != "Error" { return answer }
        throw Failure(
            error: S3Error(answer, xml, operation: request.operation, method: request.method),
            retryAfter: answer.headers.first(name: "Retry-After").flatMap(Int.init).map {
                .seconds(min(max($0, 0), 30))
            })
    }

    /// The most bytes of an answer. A listing of a thousand uploads with the longest keys has about 2 MiB, the state of an
    /// upload of 10,000 parts with the longest prefix 15 MB.
    static let longestAnswer = 16 << 20

    private func deadline(_ length: Int) -> NIODeadline { .now() + TimeAmount(self.longest(length).asWait) }

    /// How long a body of this many bytes may take.
    private func longest(_ length: Int) -> Duration {
        self.patience.stall.asWait * 2 + .seconds(length / max(self.patience.slowest, 1))
    }

    /// The signed request, valid for some minutes.
    func signed(
        _ request: S3Request, _ payloadHash: String? = nil, _ pace: BodyPace = BodyPace(isOver: true)
    ) -> HTTPClientRequest {
        let payloadHash = payloadHash ?? self.payloadHash(of: request)
        let timestamp = SigV4.timestamp(Date.now)
        let path = self.address.path(request.key)
        let query = SigV4.canonicalQuery(request.query)
        var headers = request.headers
        headers.append(("Host", self.address.authority))
        headers.append(("X-Amz-Content-Sha256", payloadHash))
        headers.append(("X-Amz-Date", timestamp))
        if let token = self.signer.credentials.sessionToken { headers.append(("X-Amz-Security-Token", token)) }
        let authorization = self.signer.authorization(
            method: request.method.rawValue, path: path, query: query, headers: headers, payloadHash: payloadHash,
            timestamp: timestamp)
        var signed = HTTPClientRequest(
            url: "\(self.address.scheme)://\(self.address.authority)\(path)\(query.isEmpty ? "" : "?\(query)")")
        signed.method = request.method
        signed.headers = HTTPHeaders(headers.map { ($0.name, $0.value) })
        signed.headers.add(name: "Authorization", value: authorization)
        signed.headers.add(name: "User-Agent", value: "formwork")
        if request.body.readableBytes > 0 {
            signed.body = .stream(
                pace.slices(of: request.body, on: self.loop),
                length: .known(Int64(request.body.readableBytes)))
        } else if request.method == .PUT || request.method == .POST {
            signed.body = .bytes(ByteBuffer())
        }
        return signed
    }
}

extension S3Error {
    /// Reads an answer that isn't 2xx, or reports an error in spite of it.
    fileprivate init(_ answer: S3Response, _ xml: XMLResponse?, operation: String, method: HTTPMethod) {
        let requestID = xml?["RequestId"] ?? answer.headers.first(name: "x-amz-request-id")
        self.operation = operation
        if let code = xml?["Code"], xml?.name == "Error" {
            self.reason = .answer(status: answer.status, code: code, message: xml?["Message"], requestID: requestID)
        } else if answer.body.readableBytes == 0 || method == .HEAD {
            // Answers to HEAD have no body with details.
            let code = answer.status == 403 ? "Forbidden" : answer.status == 404 ? "NotFound" : "Error"
            self.reason = .answer(status: answer.status, code: code, message: nil, requestID: requestID)
        } else {
            self.reason = .unreadable(status: answer.status)
        }
        self.region = answer.headers.first(name: "x-amz-bucket-region") ?? xml?["Region"]
    }
}
