import Foundation
import FormworkHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@Suite("Bytes on the wire", .timeLimit(.minutes(10)), .serialized)
struct WireTests {
    private struct Note: Decodable { var title: String }

    private static let failures = Mutex<[FormworkError.Code]>([])

    private func router(_ gate: Gate = Gate()) -> Router<BasicRequestContext> {
        let router = Router()
        router.post("parts") { request, _ in
            var limits = ParsingLimits()
            limits.fileBytes = 1 << 30
            // A busy machine must not count as a slow client.
            let isImpatient = request.uri.queryParameters["impatient"] != nil
            let deadlines = ReceivingDeadlines(chunk: isImpatient ? .milliseconds(200) : nil)
            var lines = ""
            for try await part in try request.formParts(limits: limits, deadlines: deadlines) {
                var count = 0
                for try await piece in part.content { count += piece.readableBytes }
                lines += "\(part.name ?? ""): \(count);"
            }
            return lines + "\n"
        }
        router.post("small") { request, _ in
            var limits = ParsingLimits()
            limits.totalBytes = 1000
            return try await request.collectForm(limits: limits)["a"] ?? ""
        }
        router.post("title") { request, _ in
            do {
                return try await request.decodeForm(as: Note.self).title
            } catch let error as FormworkError {
                Self.failures.withLock { $0.append(error.code) }
                throw error
            }
        }
        for method in [HTTPRequest.Method.get, .head] {
            router.on("chunks", method: method) { _, _ in
                let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
                source.yield(Array("sea".utf8))
                source.finish()
                var form = FormData(framing: MultipartFraming(boundary: try Boundary("harbour")))
                form.append(name: "a", source: .chunks(once: chunks))
                return try Response(form: form)
            }
        }
        router.post("unread") { _, _ in HTTPResponse.Status.forbidden }
        router.post("slow") { request, _ in
            var count = 0
            for try await part in try request.formParts() {
                try await gate.pass()
                for try await piece in part.content { count += piece.readableBytes }
            }
            return "\(count)\n"
        }
        return router
    }

    private func serve<Result: Sendable>(
        _ gate: Gate = Gate(), _ body: @Sendable (Int) async throws -> Result
    ) async throws -> Result {
        let app = Application(router: self.router(gate), server: .http1ExpectContinue())
        return try await app.test(.live) { client in try await body(client.port!) }
    }

    private func connected<Result: Sendable>(
        _ gate: Gate = Gate(), _ body: @Sendable (RawClient, any Channel) async throws -> Result
    ) async throws -> Result {
        try await self.serve(gate) { try await RawClient.with(port: $0, body) }
    }

    private func head(_ uri: String, _ count: Int, _ fields: String = "") -> String {
        "POST \(uri) HTTP/1.1\r\nHost: a\r\nContent-Type: \(multipartType)\r\nContent-Length: \(count)\r\n\(fields)\r\n"
    }

    private let expect = "Expect: 100-continue\r\n"

    @Test("An offer to upgrade is ignored, and bad heads are refused", .timeLimit(.minutes(10)))
    func heads() async throws {
        try await self.serve { port in
            let offer = "Connection: Upgrade\r\nUpgrade: h2c\r\n"
            try await RawClient.with(port: port) { client, channel in
                for count in 1...3 {
                    let body = multipart("a\r\n\r\n\(String(repeating: "x", count: count))")
                    try await channel.send(self.head("/parts", body.utf8.count, offer) + body)
                    _ = try await client.answer(endingWith: "a: \(count);\n")
                    #expect(client.text.components(separatedBy: "HTTP/1.1 200 ").count == count + 1)
                }
            }
            for field in ["Host: b\r\n", "Transfer-Encoding: gzip, chunked\r\n"] {
                try await RawClient.with(port: port) { client, channel in
                    try await channel.send(self.head("/parts", 0, field).replacing("Content-Length: 0\r\n", with: ""))
                    _ = try await client.answer(endingWith: "\r\n\r\n")
                    #expect(client.text.hasPrefix("HTTP/1.1 400 "))
                }
            }
        }
    }

    @Test(
        "The connection ends after a request that says so", .timeLimit(.minutes(10)),
        arguments: [
            "GET /none HTTP/1.0\r\n\r\n", "GET /none HTTP/1.1\r\nHost: a\r\nConnection: Close, TE\r\n\r\n",
        ])
    func ends(request: String) async throws {
        try await self.connected { client, channel in
            try await channel.send(request)
            #expect(try await client.lastAnswer().hasPrefix("HTTP/1.1 "))
        }
    }

    /// Everything that the server sends until it closes.
    private func answers(to text: String, ends: Bool = false) async throws -> String {
        try await self.connected { client, channel in
            try await channel.send(text)
            if ends { try await channel.close(mode: .output).get() }
            return try await client.lastAnswer()
        }
    }

    @Test("An answer of unknown length is framed for its client", .timeLimit(.minutes(10)))
    func framing() async throws {
        let last = "GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        // A last chunk would begin the next answer.
        let head = try await self.answers(to: "HEAD /chunks HTTP/1.1\r\nHost: a\r\n\r\n" + last)
        #expect(head.components(separatedBy: "\r\n\r\n").count == 3 && !head.contains("Transfer-Encoding"), "\(head)")
        let chunked = try await self.answers(to: "GET /chunks HTTP/1.1\r\nHost: a\r\n\r\n" + last)
        #expect(chunked.contains("\r\nTransfer-Encoding: chunked\r\n"))
        #expect(chunked.contains("\r\n0\r\n\r\nHTTP/1.1 404 Not Found\r\n"))
        // An HTTP/1.0 client recognizes the end by the connection's, and expects nothing.
        let old = try await self.answers(
            to: "GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n")
        #expect(old.hasPrefix("HTTP/1.1 200 OK\r\n") && old.contains("\r\nConnection: close\r\n"))
        #expect(old.contains("\r\n\r\n--harbour\r\n") && old.hasSuffix("sea\r\n--harbour--\r\n"))
        let kept = try await self.answers(
            to: "GET /none HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /none HTTP/1.0\r\n\r\n")
        let both = kept.components(separatedBy: "HTTP/1.1 404 ")
        #expect(both.count == 3 && both[1].contains("Connection: keep-alive\r\n"))
    }

    private func note(length: Int = 9) -> String {
        "POST /title HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            + "Content-Length: \(length)\r\n\r\ntitle=a+b"
    }

    @Test("A client that ends its side gets its answers", .timeLimit(.minutes(10)))
    func halfClosed() async throws {
        for count in 1...2 {
            let text = try await self.answers(to: String(repeating: self.note(), count: count), ends: true)
            #expect(text.components(separatedBy: "\r\n\r\na b").count == count + 1)
        }
        let cut = try await self.answers(to: self.note() + self.note(length: 10), ends: true)
        #expect(cut.contains("\r\n\r\na bHTTP/1.1 400 Bad Request\r\n") && cut.contains("truncatedBody"))
        #expect(try await self.answers(to: "", ends: true) == "")
    }

    @Test("Chunks that are cut before the end of their trailer section are a cut body", .timeLimit(.minutes(10)))
    func cutTrailer() async throws {
        let body = multipart("title\r\n\r\nsea")
        let trailer = "\r\n0\r\nX-Sum: 1\r\n\r\n"
        for path in ["/title", "/parts"] {
            let request =
                "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: \(multipartType)\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)"
            for cut in 0..<trailer.utf8.count {
                let part = String(decoding: trailer.utf8.prefix(cut), as: UTF8.self)
                let text = try await self.answers(to: request + part, ends: true)
                #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("truncatedBody"), "\(cut): \(text)")
            }
            #expect(try await self.answers(to: request + trailer, ends: true).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("A client that resets the connection has cut its body", .timeLimit(.minutes(10)))
    func reset() async throws {
        Self.failures.withLock { $0 = [] }
        try await self.serve { port in
            try await RawClient.with(port: port) { client, channel in
                try await channel.send(self.head("/title", 100) + "--x\r\n")
                let options = try #require(channel as? any SocketOptionProvider)
                try await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            while Self.failures.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
            #expect(Self.failures.withLock { $0 } == [.truncatedBody])
        }
    }

    @Test("100 comes when the body is wanted, then the answer", .timeLimit(.minutes(10)))
    func continues() async throws {
        try await self.connected { client, channel in
            let body = multipart("a\r\n\r\n123")
            // Twice on one connection.
            for answers in 1...2 {
                try await channel.send(self.head("/parts", body.utf8.count, self.expect))
                _ = try await client.answer(endingWith: "HTTP/1.1 100 Continue\r\n\r\n")
                #expect(client.text.components(separatedBy: "HTTP/1.1 ").count == answers * 2)
                try await channel.send(body)
                #expect(try await client.answer(endingWith: "a: 3;\n").contains("HTTP/1.1 200 OK"))
            }
        }
    }

    @Test("An upload that is refused is refused before it is sent", .timeLimit(.minutes(10)))
    func refuses() async throws {
        try await self.serve { port in
            for (uri, status) in [("/small", 413), ("/unread", 403)] {
                try await RawClient.with(port: port) { client, channel in
                    try await channel.send(self.head(uri, 100_000, self.expect))
                    let answer = try await client.lastAnswer()
                    #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
                    #expect(answer.lowercased().contains("connection: close\r\n"))
                    #expect(!answer.contains(" 100 "))
                }
            }
        }
    }

    @Test("Who doesn't wait gets no 100", .timeLimit(.minutes(10)))
    func impatient() async throws {
        try await self.connected { client, channel in
            let body = multipart("a\r\n\r\n123")
            try await channel.send(self.head("/unread", body.utf8.count, self.expect) + body)
            #expect(try await client.answer(endingWith: "\r\n\r\n").hasPrefix("HTTP/1.1 403 "))
            #expect(!client.text.contains(" 100 "))
        }
    }

    @Test("A length too large is refused before any of the body arrives", .timeLimit(.minutes(10)))
    func early() async throws {
        try await self.connected { client, channel in
            try await channel.send(self.head("/small", 1001))
            #expect(try await client.answer(endingWith: "}").hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("A slow body is 408, a cut one 400", .timeLimit(.minutes(10)))
    func slowAndCut() async throws {
        try await self.serve { port in
            try await RawClient.with(port: port) { client, channel in
                try await channel.send(self.head("/parts?impatient=1", 1000) + "--x\r\nContent-Disposition: form")
                let answer = try await client.answer(endingWith: "}")
                #expect(answer.hasPrefix("HTTP/1.1 408 "))
                #expect(answer.lowercased().contains("connection: close\r\n"))
            }
            try await RawClient.with(port: port) { client, channel in
                try await channel.send(self.head("/parts", 1000) + "--x\r\nContent-Disposition: form")
                try await channel.close(mode: .output).get()
                let answer = try await client.lastAnswer()
                #expect(answer.hasPrefix("HTTP/1.1 400 "))
                #expect(answer.contains("truncatedBody"))
            }
        }
    }

    /// Hummingbird waits for the client's end, and reads nothing.
    @Test("A connection with a rest of a body that isn't read ends", .timeLimit(.minutes(10)))
    func unreadRest() async throws {
        try await self.connected { client, channel in
            try await channel.send(
                self.head("/parts?impatient=1", 10_000_000)
                    + "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n")
            #expect(try await client.lastAnswer().hasPrefix("HTTP/1.1 408 "))
            await #expect(throws: (any Error).self) {
                while true {
                    try await channel.send("y")
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
        }
    }

    @Test("A handler that doesn't read holds the sender up", .timeLimit(.minutes(10)))
    func backPressure() async throws {
        let gate = Gate()
        try await self.connected(gate) { client, channel in
            let block = ByteBuffer(repeating: 0x79, count: 1 << 20)
            let start = "--x\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n"
            let end = "\r\n--x--\r\n"
            try await channel.send(self.head("/slow", start.utf8.count + (100 << 20) + end.utf8.count) + start)
            let flood = Flood(block, times: 100, into: channel)
            #expect(try await flood.stall() < 20)
            gate.open()
            try await flood.end()
            try await channel.send(end)
            #expect(try await client.answer(endingWith: "104857600\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("curl sends forms, and waits for no time-out", .timeLimit(.minutes(10)))
    func curl() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("formwork-birds-\(UUID()).bin")
        try Data(repeating: 7, count: 3 << 20).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await self.serve { port in
            let url = "http://localhost:\(port)"
            let printed = try await run(
                "curl",
                ["-sS", "-F", "a=1", "-F", "photo=@\(file.path)", "--expect100-timeout", "50", "\(url)/parts"])
            #expect(printed == "a: 1;photo: 3145728;\n")
            let refused = try await run(
                "curl",
                [
                    "-sS", "-o", "/dev/null", "-w", "%{http_code} %{size_upload}", "--expect100-timeout", "50",
                    "-H", "Expect: 100-continue", "-F", "photo=@\(file.path)", "\(url)/small",
                ])
            #expect(refused == "413 0")
        }
    }
}
