#if Transfer
import Formwork
import Foundation
import Logging
import TestSupport
import Testing
import Tracing

@testable import FormworkReceiver

/// Spans that are sent to a collector.
@Suite(.timeLimit(.minutes(10))) struct OTLPTracerTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"

    @Test(arguments: [
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", false),
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", true),
        // A later version may have more.
        ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what", true),
    ])
    func `A traceparent is read`(value: String, isSampled: Bool) throws {
        let parent = try #require(TraceParent(value))
        #expect(parent == TraceParent(trace: Self.trace, span: "b7ad6b7169203331", isSampled: isSampled))
    }

    @Test(arguments: [
        "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1",
    ])
    func `What isn't a traceparent begins a new trace`(value: String) { #expect(TraceParent(value) == nil) }

    @Test(
        arguments: [
            ([:], nil),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"], "http://c:4318/v1/traces"),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/"], "http://c:4318/v1/traces"),
            (
                [
                    "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318",
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://d/spans",
                ], "http://d/spans"
            ),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"], nil),
            (["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"], nil),
        ] as [([String: String], String?)])
    func `The environment names the collector`(environment: [String: String], url: String?) throws {
        #expect(try OTLPExporter.Options(environment: environment)?.url == url)
    }

    @Test(arguments: ["localhost:4318", "http://", "ftp://c/", "http://[bad", "c", "http://c:0"])
    func `A collector without an http URL is refused, and its variable is named`(url: String) throws {
        for name in ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] {
            let error = #expect(throws: FormworkError.self) { try OTLPExporter.Options(environment: [name: url]) }
            #expect(error?.message == "\(name): give an http or https URL, such as http://127.0.0.1:4318")
            #expect(try OTLPExporter.Options(environment: [name: url, "OTEL_SDK_DISABLED": "true"]) == nil)
        }
    }

    @Test func `The environment has headers and the service's name`() throws {
        let options = try #require(
            try OTLPExporter.Options(environment: [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b, x=1=2,y",
                "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,zone=1", "OTEL_SERVICE_NAME": "inbox",
            ]))
        #expect(options.headers.map { "\($0.name): \($0.value)" } == ["api-key: a b", "x: 1=2"])
        #expect(options.resource.map { "\($0.name)=\($0.value)" } == ["zone=1", "service.name=inbox"])
    }

    @Test func `Blanks inside values are kept, and those around them aren't`() throws {
        let options = try #require(
            try OTLPExporter.Options(environment: [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c",
                "OTEL_EXPORTER_OTLP_HEADERS": " Authorization = Basic abc def\t,a=,=b,\tx=\u{600},y=1",
                "OTEL_RESOURCE_ATTRIBUTES": "service.name=my in box, zone = a\tb ",
            ]))
        #expect(
            options.headers.map { "\($0.name): \($0.value)" }
                == ["Authorization: Basic abc def", "a: ", "x: \u{600}", "y: 1"])
        #expect(options.resource.map { "\($0.name)=\($0.value)" } == ["service.name=my in box", "zone=a\tb"])
    }

    @Test(
        arguments: [
            ("a.example", "a.example", nil), ("a.example:80", "a.example", 80), ("127.0.0.1:1", "127.0.0.1", 1),
            ("[::1]:8080", "::1", 8080), ("[::1]", "::1", nil), ("2001:db8::1", "2001:db8::1", nil),
            ("2001:db8::1:6789", "2001:db8::1:6789", nil), ("::", "::", nil), ("a:", "a:", nil), ("a:b", "a:b", nil),
            ("", "", nil),
        ] as [(String, String, Int?)])
    func `An authority has a port after a name or after brackets`(authority: String, host: String, port: Int?) {
        let name = ServerName(authority)
        #expect(name.host == host)
        #expect(name.port == port)
    }

    private static func exporter(
        _ collector: HookServer, _ log: LogLines, pause: Duration = .milliseconds(1), limit: Duration = .seconds(300)
    ) throws -> OTLPExporter {
        var options = OTLPExporter.Options(collector.url)
        (options.pause, options.lastLimit) = (pause, limit)
        let exporter = OTLPExporter(options, logger: Logger(label: "test") { _ in log.handler })
        let place = try #require(TraceParent("00-\(Self.trace)-b7ad6b7169203331-01"))
        for number in 0..<1_100 {
            exporter.add(OTLPMessage.Span(place, parent: nil, "\(number)", .server, begin: 1, end: 2, [:]))
        }
        return exporter
    }

    @Test func `A batch that is being sent at the stop arrives, and so do the spans that wait`() async throws {
        let stopped = DispatchSemaphore(value: 0)
        let collector = try HookServer { _, count in
            if count == 1 { stopped.wait() }
            return .answer(204)
        }
        defer { collector.close() }
        let log = LogLines()
        let exporter = try Self.exporter(collector, log)
        let sending = Task { try await exporter.run() }
        while collector.messages.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        sending.cancel()
        stopped.signal()
        try await sending.value
        #expect(Self.spans(collector).map { $0["name"] as? String } == (0..<1_100).map { "\($0)" })
        #expect(collector.messages.count == 3)
        #expect(log.all == [])
    }

    @Test func `A collector that says nothing delays the stop by one limit for all spans`() async throws {
        let collector = try HookServer { _, _ in .hold }
        defer { collector.close() }
        let log = LogLines()
        let exporter = try Self.exporter(collector, log, limit: .milliseconds(300))
        let sending = Task { try await exporter.run() }
        while collector.messages.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        sending.cancel()
        try await sending.value
        #expect(collector.messages.count == 1)
        #expect(
            log.all == [
                "trace spans can't be sent, and are dropped reason=there was no whole answer within 0.3 seconds",
                "trace spans dropped spans=588",
            ])
    }

    @Test(arguments: [
        (HookServer.Reply.close, "it closed the connection without an answer"),
        (.cut("SSH-2.0-OpenSSH_9.2\r\n"), "its answer isn't HTTP"),
        (.answer(200, String(repeating: "x", count: 1_100_000)), "its answer has more than 1048576 bytes"),
    ])
    func `Why a collector accepted nothing is said in plain words`(reply: HookServer.Reply, reason: String) async throws
    {
        let collector = try HookServer { _, _ in reply }
        defer { collector.close() }
        let log = LogLines()
        let exporter = try Self.exporter(collector, log, pause: .seconds(3_600))
        let sending = Task { try await exporter.run() }
        sending.cancel()
        try await sending.value
        #expect(log.all.first == "trace spans can't be sent, and are dropped reason=\(reason)")
    }

    @Test func `A collector that refuses gets one batch at the stop`() async throws {
        let collector = try HookServer { _, _ in .answer(503) }
        defer { collector.close() }
        let log = LogLines()
        let exporter = try Self.exporter(collector, log, pause: .seconds(3_600))
        let sending = Task { try await exporter.run() }
        sending.cancel()
        try await sending.value
        #expect(collector.messages.count == 1)
        #expect(
            log.all == [
                "trace spans can't be sent, and are dropped reason=the collector's answer has the status 503",
                "trace spans dropped spans=588",
            ])
    }

    /// The spans that a collector got.
    private static func spans(_ collector: HookServer) -> [[String: Any]] {
        collector.messages.flatMap { message -> [[String: Any]] in
            let resources = message.object["resourceSpans"] as? [[String: Any]] ?? []
            let scopes = resources.flatMap { $0["scopeSpans"] as? [[String: Any]] ?? [] }
            return scopes.flatMap { $0["spans"] as? [[String: Any]] ?? [] }
        }
    }

    private static func run(
        _ collector: HookServer, _ test: @escaping @Sendable (TestReceiver) async throws -> Void
    ) async throws {
        var options = OTLPExporter.Options(collector.url)
        options.resource = [("service.name", "inbox")]
        options.pause = .seconds(3_600)
        let exporter = OTLPExporter(options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let sending = Task { try await exporter.run() }
        try await withTracer(OTLPTracer(exporter)) { () async throws -> Void in
            try await TestReceiver.run { try await test($0) }
        }
        // What waits is sent at the end.
        sending.cancel()
        try await sending.value
    }

    @Test func `The client's span is the parent, and the collector gets the span as JSON`() async throws {
        let collector = try HookServer()
        defer { collector.close() }
        try await Self.run(collector) { receiver in
            let parent = "Traceparent: 00-\(Self.trace)-b7ad6b7169203331-01"
            let first = try await receiver.request("PUT /a.txt", [parent, "Tracestate: k=v"], "1")
            let unwanted = "Traceparent: 00-\(Self.trace)-b7ad6b7169203332-00"
            let second = try await receiver.request("PUT /b.txt", [unwanted], "1")
            #expect(first.status == 201)
            #expect(second.status == 201)
        }
        let spans = Self.spans(collector)
        #expect(spans.count == 1)
        let span = try #require(spans.first)
        #expect(span["traceId"] as? String == Self.trace)
        #expect(span["parentSpanId"] as? String == "b7ad6b7169203331")
        #expect(span["traceState"] as? String == "k=v")
        #expect((span["spanId"] as? String)?.count == 16)
        #expect(span["name"] as? String == "PUT")
        #expect(span["kind"] as? Int == 2)
        let attributes = span["attributes"] as? [[String: Any]] ?? []
        let status = attributes.first { $0["key"] as? String == "http.response.status_code" }
        #expect((status?["value"] as? [String: Any])?["intValue"] as? String == "201")
        let (begin, end) = (span["startTimeUnixNano"] as? String, span["endTimeUnixNano"] as? String)
        #expect((begin.flatMap { UInt64($0) } ?? 0) > 1_700_000_000_000_000_000)
        #expect((end.flatMap { UInt64($0) } ?? 0) >= (begin.flatMap { UInt64($0) } ?? .max))
        let message = try #require(collector.messages.first)
        #expect(message.headers["content-type"] == "application/json")
        #expect(message.text.contains(#"{"key":"service.name","value":{"stringValue":"inbox"}}"#))
    }

    @Test func `Without a parent a trace begins, and an unreachable collector keeps no upload`() async throws {
        let collector = try HookServer { _, _ in .close }
        defer { collector.close() }
        try await Self.run(collector) { receiver in
            let answer = try await receiver.request("PUT /a.txt", ["Traceparent: nonsense"], "1")
            #expect(answer.status == 201)
        }
        let span = try #require(Self.spans(collector).first)
        #expect(span["parentSpanId"] == nil)
        #expect((span["traceId"] as? String)?.count == 32)
    }

    @Test func `A hook gets the place of its request in the trace`() async throws {
        let collector = try HookServer()
        let hook = try HookServer()
        defer {
            collector.close()
            hook.close()
        }
        let exporter = OTLPExporter(
            OTLPExporter.Options(collector.url), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let client = HookClient(
            hook.url, try HookSecret("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"), limit: .seconds(300), connections: 1)
        let upload = HookEvent.Upload(upload: "u", protocol: "http", method: "PUT", path: "/", peer: "p")
        var context = InstrumentationContext.topLevel
        context.traceParent = TraceParent(trace: Self.trace, span: "b7ad6b7169203331", isSampled: true)
        try await withTracer(OTLPTracer(exporter)) { () async throws -> Void in
            _ = try await InstrumentationContext.$current.withValue(context) {
                try await client.post(HookEvent(.asked, upload))
            }
        }
        await client.close()
        let sent = try #require(hook.messages.first?.headers["traceparent"].flatMap { TraceParent($0) })
        #expect(sent.trace == Self.trace)
        #expect(sent.span != "b7ad6b7169203331")
    }
}
#endif
