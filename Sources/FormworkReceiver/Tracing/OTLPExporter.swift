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
        /// How long the last spans may take after the stop, all together.
        package var lastLimit: Duration = .seconds(5)

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
        let (ticks, tick) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Separate tasks: this one may be cancelled, also while spans are being sent.
        let sending = Task {
            for await _ in ticks { await self.send(by: http) }
            await self.send(by: http)
        }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: self.options.pause.asWait)
                if !Task.isCancelled { tick.yield() }
            }
        }
        tick.finish()
        await Task {
            if await TimeLimit.result(of: sending, within: self.options.lastLimit) == nil {
                sending.cancel()
                await sending.value
            }
            let rest = self.state.withLock { $0.spans.count + $0.dropped }
            if rest > 0 { self.logDropped(rest) }
            try? await http.shutdown()
        }.value
    }

    private func logDropped(_ count: Int) {
        self.logger.warning("trace spans dropped", metadata: ["spans": .stringConvertible(count)])
    }

    private static func client() -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(5)), decompression: .disabled)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = .http1Only
        configuration.checkStatus()
        // Otherwise each request would have a span, which would be sent by another request.
        configuration.tracing.tracer = nil
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Sends the spans that wait, until a collector doesn't accept some: the others wait for the next time.
    private func send(by http: HTTPClient) async {
        while !Task.isCancelled {
            let (spans, dropped) = self.state.withLock { state in
                defer {
                    state.spans.removeFirst(min(state.spans.count, Self.atOnce))
                    state.dropped = 0
                }
                return (Array(state.spans.prefix(Self.atOnce)), state.dropped)
            }
            if dropped > 0 { self.logDropped(dropped) }
            guard !spans.isEmpty else { return }
            do {
                try await self.post(spans, by: http)
                if self.hasFailed.exchange(false, ordering: .relaxed) {
                    self.logger.notice("trace spans can be sent again")
                }
            } catch {
                guard !self.hasFailed.exchange(true, ordering: .relaxed) else { return }
                let reason = Task.isCancelled ? "\(TimeLimit.Passed(limit: self.options.lastLimit))" : Self.words(error)
                return self.logger.warning(
                    "trace spans can't be sent, and are dropped",
                    metadata: ["reason": "\(reason.withControlCharactersEscaped)"])
            }
        }
    }

    private struct Refused: Error, CustomStringConvertible {
        var status: UInt
        var description: String { "the collector's answer has the status \(self.status)" }
    }

    /// How long one request may take.
    private static let requestLimit = Duration.seconds(10)
    /// The most bytes of a collector's answer.
    private static let longestAnswer = 1 << 20

    private static func words(_ error: any Error) -> String {
        if let refused = error as? Refused { return refused.description }
        return MissingAnswer(error, limit: self.requestLimit, longestAnswer: self.longestAnswer).description
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
        try await TimeLimit.run(Self.requestLimit) {
            let response = try await http.execute(asked, timeout: TimeAmount(Self.requestLimit))
            _ = try await response.body.collect(upTo: Self.longestAnswer)
            guard 200..<300 ~= response.status.code else { throw Refused(status: response.status.code) }
        }
    }
}
#endif
