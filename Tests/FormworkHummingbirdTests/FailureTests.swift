import FormworkHummingbird
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import Testing

/// Keeps the lines of level error.
private final class Log: Sendable {
    private let lines = Mutex<[(level: Logger.Level, text: String)]>([])

    var errors: [String] { self.lines(at: .error) }

    func lines(at level: Logger.Level) -> [String] {
        self.lines.withLock { $0.filter { $0.level == level }.map(\.text) }
    }

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private struct Handler: LogHandler {
        let log: Log
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(log: Log) { self.log = log }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.log.lines.withLock { $0.append((event.level, "\(event.message) \(event.metadata ?? [:])")) }
        }
    }
}

private struct Odd: Error {}

@Suite("Failures, and where they are reported", .timeLimit(.minutes(10)))
struct FailureTests {
    private struct Sink: Decodable { var photo: [UInt8] }

    private func router(kept: Bool, problems: Bool) -> Router<BasicRequestContext> {
        let router = Router()
        if problems { router.add(middleware: ProblemDetailsMiddleware()) }
        if kept { router.add(middleware: KeptFormMiddleware()) }
        router.post("twice") { request, _ in
            let first = try await request.collectForm()["a"] ?? "none"
            return first + (try await request.collectForm()["a"] ?? "none")
        }
        router.post("parts") { request, _ in
            _ = try await request.collectForm()
            var parts: [String] = []
            for try await part in try request.formParts() {
                let fields = part.header.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
                parts.append("\(fields)|\(try await part.text(upTo: 10))")
            }
            return parts.joined(separator: "\n")
        }
        router.post("limited") { request, _ in
            _ = try await request.collectForm()
            var limits = ParsingLimits()
            limits.fileBytes = 4
            for try await part in try request.formParts(limits: limits) { try await part.skip() }
            return "never"
        }
        router.post("parts-first") { request, _ in
            for try await _ in try request.formParts() {}
            return try await request.collectForm()["a"] ?? "none"
        }
        router.post("parts-twice") { request, _ in
            let parts = try request.formParts()
            var names: [String] = []
            for try await part in parts {
                names.append(part.name ?? "")
                break
            }
            for try await part in parts { names.append(part.name ?? "") }
            return names.joined(separator: " ")
        }
        router.post("array") { request, _ in try await request.decodeForm(as: [String].self).joined() }
        router.post("folder") { request, _ in
            for try await part in try request.formParts() { try await part.write(into: "/proc/none") }
            return "never"
        }
        router.post("full") { _, _ -> String in
            throw FormworkError(.writeFailed, "can't be written", path: "/srv/photo", cause: Errno.noSpace)
        }
        router.post("gone") { _, _ -> String in
            // As Hummingbird does if the client resets an HTTP/2 stream.
            withUnsafeCurrentTask { $0?.cancel() }
            throw CancellationError()
        }
        router.post("odd") { _, _ -> String in throw Odd() }
        router.post("http") { _, _ -> String in throw HTTPError(.badGateway, message: "upstream") }
        router.post("large") { request, _ in
            var decoder = FormDataDecoder()
            decoder.memoryBytes = 3
            return "\(try await request.decodeForm(as: Sink.self, by: decoder).photo.count)"
        }
        return router
    }

    private func post(
        _ uri: String, kept: Bool = false, problems: Bool = true
    ) async throws -> (status: Int, body: String, errors: [String], refusals: [String]) {
        let log = Log()
        var logger = log.logger
        logger.logLevel = .trace
        let app = Application(router: self.router(kept: kept, problems: problems), logger: logger)
        let answer = try await app.test(.live) { client in
            try await client.execute(
                uri: uri, method: .post, headers: [.contentType: multipartType],
                body: ByteBuffer(string: multipart("a\r\n\r\n12", "photo; filename=x\r\n\r\nlarge"))
            ) { ($0.status.code, String(buffer: $0.body)) }
        }
        let refusals = log.lines(at: .debug).filter { $0.hasPrefix("A request was refused") }
        return (answer.0, answer.1, log.errors, refusals)
    }

    @Test("A route that is cancelled isn't logged as an error")
    func cancelled() async throws {
        let log = Log()
        var logger = log.logger
        logger.logLevel = .trace
        let app = Application(router: self.router(kept: false, problems: true), logger: logger)
        try await app.test(.live) { client in
            _ = try? await client.execute(uri: "/gone", method: .post) { _ in }
        }
        func lines(_ level: Logger.Level) -> [String] { log.lines(at: level).filter { $0.contains("/gone") } }
        while !lines(.error).contains(where: { $0.contains("A request") }),
            !lines(.debug).contains(where: { $0.contains("A request") })
        { try await Task.sleep(for: .milliseconds(10)) }
        #expect(log.errors.isEmpty, "\(log.errors)")
        #expect(lines(.debug).contains { $0.hasPrefix("A request was cancelled") })
    }

    @Test("A kept form is read again; otherwise the log says what a second reader should do")
    func readTwice() async throws {
        #expect(try await self.post("/twice", kept: true).body == "1212")
        // One position in one body.
        #expect(try await self.post("/parts-twice").body == "a photo")
        for uri in ["/twice", "/parts"] {
            let answer = try await self.post(uri)
            #expect(answer.status == 500)
            #expect(answer.body == #"{"status":500,"title":"Internal Server Error","type":"about:blank"}"#)
            #expect(answer.errors.count == 1 && answer.errors[0].contains("KeptFormMiddleware"), "\(answer.errors)")
        }
    }

    @Test("A kept form is read part by part, with its header fields, within the limits of the reader")
    func keptParts() async throws {
        let parts = try await self.post("/parts", kept: true)
        #expect(
            parts.body == """
                Content-Disposition=form-data; name="a"|12
                Content-Disposition=form-data; name="photo"; filename=x|large
                """)
        #expect(parts.status == 200 && parts.errors.isEmpty)
        let limited = try await self.post("/limited", kept: true)
        #expect(limited.status == 413 && limited.body.contains(#""code":"limit.fileBytes""#))
    }

    @Test("A form that was read part by part isn't kept, and the log says what to do")
    func partsFirst() async throws {
        let answer = try await self.post("/parts-first", kept: true)
        #expect(answer.status == 500 && answer.errors.count == 1)
        #expect(answer.errors[0].contains("read the form with one of them first"), "\(answer.errors)")
    }

    @Test("A kept url-encoded form has no parts: the client is told to send a multipart one")
    func keptURLEncoded() async throws {
        let app = Application(router: self.router(kept: true, problems: true))
        try await app.test(.live) { client in
            try await client.execute(
                uri: "/parts", method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: "a=12")
            ) { answer in
                #expect(answer.status == .unsupportedMediaType)
                #expect(String(buffer: answer.body).contains("send multipart/form-data"))
            }
        }
    }

    @Test("A type that no form can be is the developer's mistake", arguments: [true, false])
    func developersMistake(problems: Bool) async throws {
        let answer = try await self.post("/array", problems: problems)
        #expect(answer.status == 500)
        #expect(answer.errors.count == 1 && answer.errors[0].contains("Array<String>"), "\(answer.errors)")
    }

    @Test(
        "Every answer of 500 and above is logged once, with its cause", arguments: [true, false],
        [
            ("/folder", 500, "/proc/none"), ("/full", 507, "No space left"), ("/odd", 500, "Odd"),
            ("/http", 502, "upstream"),
        ])
    func logged(problems: Bool, row: (uri: String, status: Int, text: String)) async throws {
        // Without the middleware Hummingbird answers errors that aren't ours itself.
        if !problems, ["/odd", "/http"].contains(row.uri) { return }
        let answer = try await self.post(row.uri, problems: problems)
        #expect(answer.status == row.status)
        #expect(answer.errors.count == 1 && answer.errors[0].contains(row.text), "\(answer.errors)")
        #expect(!answer.body.contains(row.text) || row.uri == "/http")
    }

    @Test("Exceeding a limit is the client's fault: its cause is logged for debugging, not as an error")
    func clientsMistake() async throws {
        let answer = try await self.post("/large")
        #expect(answer.status == 413)
        #expect(answer.body.contains(#""field":"photo""#))
        #expect(answer.errors.isEmpty)
        #expect(answer.refusals.count == 1 && answer.refusals[0].contains("photo"), "\(answer.refusals)")
    }
}
