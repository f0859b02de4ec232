#if Transfer
import AsyncHTTPClient
import Formwork
import FormworkCore
import FormworkHTTP
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// Sends spans to a collector of OpenTelemetry, some at a time. What a collector doesn't accept is dropped: an upload never
/// waits for it.
package final class OTLPExporter: Service, Sendable {
    package struct Options: Sendable {
        /// Where spans are sent.
        package var url: String
        package var headers: [(name: String, value: String)] = []
        /// The attributes of this process.
        package var resource: [(name: String, value: String)] = []
        /// How often spans are sent.
        package var pause: Duration = .seconds(5)

        package init(_ url: String) { self.url = url }
    }

    private struct State {
        var spans: [OTLPMessage.Span] = []
        var dropped = 0
    }

    private let options: Options
    private let logger: Logger
    private let state = Mutex(State())
    private let hasFailed = Atomic(false)
    /// The most spans that wait. Each has about a kibibyte.
    static let limit = 4_096
    /// The most spans of one request.
    private static let atOnce = 512

    package init(_ options: Options, logger: Logger) { (self.options, self.logger) = (options, logger) }

    func add(_ span: OTLPMessage.Span) {
        self.state.withLock { state in
            if state.spans.count < Self.limit { state.spans.append(span) } else { state.dropped += 1 }
        }
    }

    /// Sends spans until it is stopped, and then the last ones.
    package func run() async throws {
        let http = Self.client()
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: self.options.pause.asWait)
                if !Task.isCancelled { await self.send(by: http) }
            }
        }
        // In a separate task: this one may be cancelled.
        await Task {
            await self.send(by: http)
            try? await http.shutdown()
        }.value
    }

    private static func client() -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)), decompression: .disabled)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        // Otherwise each request would have a span, which would be sent by another request.
        configuration.tracing.tracer = nil
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Sends the spans that wait.
    private func send(by http: HTTPClient) async {
        while true {
            let (spans, dropped) = self.state.withLock { state in
                defer {
                    state.spans.removeFirst(min(state.spans.count, Self.atOnce))
                    state.dropped = 0
                }
                return (Array(state.spans.prefix(Self.atOnce)), state.dropped)
            }
            if dropped > 0 { self.logger.warning("trace spans dropped", metadata: ["spans": "\(dropped)"]) }
            guard !spans.isEmpty else { return }
            do {
                try await self.post(spans, by: http)
                if self.hasFailed.exchange(false, ordering: .relaxed) { self.logger.notice("trace spans sent again") }
            } catch {
                guard !self.hasFailed.exchange(true, ordering: .relaxed) else { continue }
                self.logger.warning(
                    "trace spans can't be sent, and are dropped",
                    metadata: ["reason": "\("\(error)".withControlCharactersEscaped)"])
            }
        }
    }

    private struct Refused: Error, CustomStringConvertible {
        var status: UInt
        var description: String { "the collector's answer has the status \(self.status)" }
    }

    private func post(_ spans: [OTLPMessage.Span], by http: HTTPClient) async throws {
        let resource = self.options.resource.map {
            OTLPMessage.Attribute(key: $0.name, value: .init(stringValue: $0.value))
        }
        var request = HTTPClientRequest(url: self.options.url)
        request.method = .POST
        request.headers = HTTPHeaders(self.options.headers.map { ($0.name, $0.value) })
        request.headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        request.headers.replaceOrAdd(name: "User-Agent", value: "formwork")
        request.body = .bytes(ByteBuffer(bytes: JSONBytes.encode(OTLPMessage(spans, resource: resource))))
        let asked = request
        try await TimeLimit.run(.seconds(10)) {
            let response = try await http.execute(asked, timeout: .seconds(10))
            _ = try await response.body.collect(upTo: 1 << 20)
            guard 200..<300 ~= response.status.code else { throw Refused(status: response.status.code) }
        }
    }
}

extension OTLPExporter.Options {
    /// Reads OpenTelemetry's variables ("OpenTelemetry Protocol Exporter", "Environment Variables").
    /// - Returns: `nil` if no collector is named, or spans aren't wanted.
    package init?(environment: [String: String]) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard value("OTEL_SDK_DISABLED")?.lowercased() != "true", value("OTEL_TRACES_EXPORTER") ?? "otlp" == "otlp"
        else {
            return nil
        }
        if let whole = value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            self.init(whole)
        } else if let base = value("OTEL_EXPORTER_OTLP_ENDPOINT") {
            self.init(base + (base.hasSuffix("/") ? "" : "/") + "v1/traces")
        } else {
            return nil
        }
        self.headers = Self.pairs(value("OTEL_EXPORTER_OTLP_TRACES_HEADERS") ?? value("OTEL_EXPORTER_OTLP_HEADERS"))
        var resource = Self.pairs(value("OTEL_RESOURCE_ATTRIBUTES"))
        if let name = value("OTEL_SERVICE_NAME") {
            resource = resource.filter { $0.name != "service.name" } + [("service.name", name)]
        } else if !resource.contains(where: { $0.name == "service.name" }) {
            resource.append(("service.name", "formwork"))
        }
        self.resource = resource
    }

    /// `a=1,b=2`, with percent-encoded values.
    private static func pairs(_ text: String?) -> [(name: String, value: String)] {
        (text ?? "").split(separator: ",").compactMap { pair in
            let words = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            guard words.count == 2, !words[0].isEmpty else { return nil }
            return (words[0], words[1].percentDecoded ?? words[1])
        }
    }
}
#endif
