import AsyncHTTPClient
import Formwork
import NIOCore
import NIOHTTP1
import Synchronization
import FormworkEssentials

/// Sends signed messages to a hook.
struct HookClient: Sendable {
    /// A hook's answer.
    struct Reply: Sendable {
        var status: Int
        var contentType: String?
        var body: [UInt8]
    }

    private let url: String
    private let secret: HookSecret
    private let limit: Duration
    private let http: HTTPClient
    /// The most bytes of an answer that are read.
    private static let longestAnswer = 64 << 10

    /// - Parameters:
    ///   - limit: How long a request may take, with its whole answer.
    ///   - connections: How many requests there may be at once.
    init(_ url: String, _ secret: HookSecret, limit: Duration, connections: Int) {
        (self.url, self.secret, self.limit) = (url, secret, limit)
        self.http = HTTPClient(
            eventLoopGroupProvider: .singleton,
            configuration: HTTPClient.Configuration(
                .init(connect: TimeAmount(min(limit, .seconds(10)).asWait)), connections: connections))
    }

    /// - Throws: ``MissingResponse`` if there is no answer; `CancellationError`.
    func post(_ event: HookEvent) async throws -> Reply {
        let body = event.bytes
        let time = Int64(clamping: Date.now.timeIntervalSince1970)
        var request = HTTPClientRequest(url: self.url)
        request.method = .POST
        request.headers = HTTPHeaders([
            ("Content-Type", "application/json"), ("User-Agent", "formwork"), ("webhook-id", event.id),
            ("webhook-timestamp", "\(time)"),
            ("webhook-signature", self.secret.signature(id: event.id, time: time, body: body)),
        ])
        if let parent = event.data.traceparent { request.headers.add(name: "traceparent", value: parent) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let asked = request
        let (http, limit) = (self.http, self.limit)
        // A refusal is one by its status, also if its body is too long, slow or cut.
        let refusal = Mutex<Int?>(nil)
        do {
            return try await TimeLimit.run(limit) {
                let response = try await http.execute(asked, timeout: TimeAmount(limit.asWait))
                let status = Int(response.status.code)
                if 400..<500 ~= status { refusal.withLock { $0 = status } }
                let received = try await response.body.collect(upTo: Self.longestAnswer)
                return Reply(
                    status: status, contentType: response.headers.first(name: "Content-Type"),
                    body: Array(received.readableBytesView))
            }
        } catch {
            try Task.checkCancellation()
            if let status = refusal.withLock({ $0 }) { return Reply(status: status, contentType: nil, body: []) }
            throw MissingResponse(error, limit: limit, longestAnswer: Self.longestAnswer)
        }
    }

    func close() async { try? await self.http.shutdown() }
}
