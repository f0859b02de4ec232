#if Transfer
import AsyncHTTPClient
import Formwork
import FormworkCore
import NIOCore
import NIOHTTP1
import NIOSSL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends signed messages to a hook.
struct HookClient: Sendable {
    /// A hook's answer.
    struct Answer: Sendable {
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

    /// - Parameter limit: How long a request may take in total.
    init(_ url: String, _ secret: HookSecret, limit: Duration) {
        (self.url, self.secret, self.limit) = (url, secret, limit)
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: TimeAmount(min(limit, .seconds(10)).asWait)),
            decompression: .disabled)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        // RFC 8996 forbids older versions.
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        configuration.tlsConfiguration = tls
        self.http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func post(_ event: HookEvent) async throws -> Answer {
        let body = event.bytes
        let time = Int64(clamping: Date.now.timeIntervalSince1970)
        var request = HTTPClientRequest(url: self.url)
        request.method = .POST
        request.headers = HTTPHeaders([
            ("Content-Type", "application/json"), ("User-Agent", "formwork"), ("webhook-id", event.id),
            ("webhook-timestamp", "\(time)"),
            ("webhook-signature", self.secret.signature(id: event.id, time: time, body: body)),
        ])
        request.body = .bytes(ByteBuffer(bytes: body))
        let deadline = NIODeadline.now() + TimeAmount(self.limit.asWait)
        let response = try await self.http.execute(request, deadline: deadline)
        let received = try await response.body.collect(upTo: Self.longestAnswer)
        return Answer(
            status: Int(response.status.code), contentType: response.headers.first(name: "Content-Type"),
            body: Array(received.readableBytesView))
    }

    func close() async { try? await self.http.shutdown() }
}
#endif
