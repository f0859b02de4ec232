@testable import FormworkClient
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

extension NIOTests {
    @Suite("An exchange of our own", .timeLimit(.minutes(10)))
    struct ExchangeTests {

        struct Seen: Sendable {
            var status: Int
            var text: String
            var bytesSent: Int64
            var isBodyComplete: Bool
            var isCut: Bool
        }

        private func exchange(
            _ plan: BodyPlan, with server: ScriptedServer, options: FormClient.Options = .init(),
            from offset: Int64 = 0, monitor: UploadMonitor? = nil,
            informed: @escaping @Sendable (HTTPResponse) async -> Void = { _ in }
        ) async throws -> Seen {
            try await FormClient(options: options).exchange(
                HTTPRequest(to: server.url()), body: ExchangeBody(plan, from: offset), monitor: monitor,
                informed: informed
            ) { answer in
                let text = try await answer.body.collect(upTo: 1000)
                return Seen(
                    status: answer.head.status.code, text: String(buffer: text.bytes), bytesSent: answer.bytesSent,
                    isBodyComplete: answer.isBodyComplete, isCut: answer.body.isCut)
            }
        }

        static func ok(_ text: String = "done") -> String {
            "HTTP/1.1 201 Created\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }

        @Test("A body goes out whole, with its length, and from an offset on")
        func whole() async throws {
            let script: Script = { server, connection in
                let (head, body) = connection.readRequest()
                server.note(head)
                server.note(body.count)
                connection.write(Self.ok(String(decoding: body.suffix(4), as: UTF8.self)))
            }
            let server = try ScriptedServer([script, script])
            let plan = try await form(.bytes(noise(300_000))).plan()
            let monitor = UploadMonitor()
            let seen = try await self.exchange(plan, with: server, monitor: monitor)
            #expect(seen.status == 201 && seen.text == "--\r\n" && seen.bytesSent == 300_144 && seen.isBodyComplete)
            let progress = monitor.current
            #expect(progress.sent == 300_144 && progress.acknowledged == 300_144 && progress.total == 300_144)
            let rest = try await self.exchange(plan, with: server, from: 300_000, monitor: monitor)
            #expect(rest.bytesSent == 144 && rest.isBodyComplete && rest.text == "--\r\n")
            #expect(monitor.current.acknowledged == 300_144)
            #expect(server.counts == [300_144, 144])
            let lines = server.requests[0].split(separator: "\r\n").map { $0.lowercased() }
            #expect(lines.first == "post / http/1.1")
            #expect(lines.contains("content-type: multipart/form-data; boundary=harbour"))
            #expect(lines.contains("content-length: 300144") && lines.contains("host: 127.0.0.1:\(server.port)"))
        }

        @Test("Informational answers are reported while the body is being sent")
        func informational() async throws {
            let server = try ScriptedServer([
                { _, connection in
                    let (_, body) = connection.readHead()
                    connection.write("HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /uploads/1\r\n\r\n")
                    connection.write("HTTP/1.1 103 Early Hints\r\n\r\n")
                    var count = body.count
                    while count < 20_000_144 { count += connection.read().count }
                    connection.write(Self.ok())
                }
            ])
            let told = Told()
            let plan = try await form(.bytes(noise(20_000_000))).plan()
            let seen = try await self.exchange(plan, with: server, options: .init(expectationThreshold: nil)) {
                told.add("\($0.status.code) \($0.headerFields[.location] ?? "")")
            }
            #expect(seen.status == 201 && seen.isBodyComplete)
            #expect(told.words == ["104 /uploads/1", "103 "])
        }

        @Test("A large body waits for 100 Continue, but not for ever, and not where the server refuses")
        func expectation() async throws {
            let plan = try await form(.bytes(noise(2_000_000))).plan()
            let given = try ScriptedServer([
                { server, connection in
                    let (head, body) = connection.readHead()
                    server.note(head.lowercased())
                    server.note(body.count)
                    connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                    var count = 0
                    while count < 2_000_144 { count += connection.read().count }
                    connection.write(Self.ok())
                }
            ])
            #expect(try await self.exchange(plan, with: given).isBodyComplete)
            #expect(given.counts == [0] && given.requests[0].contains("\r\nexpect: 100-continue"))
            let refused = try ScriptedServer([
                { server, connection in
                    _ = connection.readHead()
                    connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
                    server.note(connection.read().count)
                }
            ])
            let seen = try await self.exchange(plan, with: refused)
            #expect(seen.status == 403 && seen.text == "no" && seen.bytesSent == 0 && !seen.isBodyComplete)
            let silent = try ScriptedServer([replying(Self.ok())])
            let late = try await self.exchange(
                plan, with: silent, options: .init(expectationTimeout: .milliseconds(50)))
            #expect(late.isBodyComplete)
        }

        enum Ending: CaseIterable { case waits, resets, resetsAtOnce }

        @Test("An answer that comes early is kept, and ends the sending", arguments: Ending.allCases)
        func early(ending: Ending) async throws {
            let server = try ScriptedServer([
                { _, connection in
                    _ = connection.readHead()
                    if ending != .resetsAtOnce { _ = connection.read() }
                    connection.write(
                        "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo large")
                    // Unread bytes make the close a reset as it is; here it comes while the client writes, or before it looks.
                    if ending != .resetsAtOnce { usleep(300_000) }
                    if ending == .waits { connection.waitForEnd() } else { connection.resetOnClose() }
                }
            ])
            let plan = try await form(.bytes(noise(30_000_000))).plan()
            let seen = try await self.exchange(plan, with: server, options: .init(expectationThreshold: nil))
            #expect(seen.status == 413 && seen.text == "too large" && !seen.isBodyComplete && !seen.isCut)
            #expect(seen.bytesSent < 30_000_000)
        }

        @Test("An answer that only the connection's end ends does end", arguments: [true, false])
        func endless(closes: Bool) async throws {
            let server = try ScriptedServer([
                { server, connection in
                    _ = connection.readHead()
                    connection.write("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n\r\ntoo large")
                    // As some do: to the body's end before they close.
                    connection.waitForEnd()
                    server.note(1)
                    if !closes { usleep(4_000_000) }
                }
            ])
            let plan = try await form(.bytes(noise(30_000_000))).plan()
            let seen = try await self.exchange(plan, with: server, options: .init(expectationThreshold: nil))
            #expect(seen.status == 413 && seen.text == "too large" && !seen.isBodyComplete)
            #expect(server.counts == [1])
        }

        @Test(
            "An answer that comes before the request is the answer, also if the server closes at once",
            arguments: [false, true])
        func beforeRequest(closes: Bool) async throws {
            let server = try ScriptedServer(
                Array(
                    repeating: { _, connection in
                        connection.write("HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy")
                        if !closes { connection.waitForEnd() }
                    }, count: 50))
            for _ in 1...50 {
                let seen = try await self.exchange(form(.text("x")).plan(), with: server)
                #expect(seen.status == 503 && seen.text == "busy")
            }
        }

        @Test(
            "What a server sends without end before its answer is an error",
            arguments: [
                "HTTP/1.1 102 Processing\r\n\r\n", "\r\n", "HTTP/1.1 200 " + String(repeating: "x", count: 90_000),
            ])
        func withoutEnd(piece: String) async throws {
            let server = try ScriptedServer([
                { _, connection in
                    _ = connection.readRequest()
                    for _ in 1...500 {
                        connection.write(String(repeating: piece, count: max(1, 6_000 / piece.utf8.count)))
                    }
                    connection.waitForEnd()
                }
            ])
            let error = await #expect(throws: TransferError.self) {
                try await self.exchange(form(.text("x")).plan(), with: server)
            }
            #expect(error?.code == .receive)
            let messages = [
                "the server sends interim answers without end",
                "the head of the server's answer is too long, or has too many fields",
            ]
            #expect(error?.message == messages[piece.hasSuffix("\r\n\r\n") ? 0 : 1])
        }

        @Test("A chunk's size or extension without end is an error", arguments: ["0", "1;x"])
        func chunkWithoutEnd(beginning: String) async throws {
            let server = try ScriptedServer([
                { _, connection in
                    _ = connection.readRequest()
                    connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n\(beginning)")
                    for _ in 1...50 { connection.write(String(repeating: "0", count: 10_000)) }
                    connection.waitForEnd()
                }
            ])
            let error = await #expect(throws: TransferError.self) {
                try await self.exchange(form(.text("x")).plan(), with: server)
            }
            #expect(error?.code == .receive)
            #expect(error?.message == "the server's answer isn't HTTP: its body is malformed")
        }

        @Test(
            "The beginning of an answer's head, and then the end, is no answer",
            arguments: [1_000, 5_000_000])
        func headCut(size: Int) async throws {
            let server = try ScriptedServer(
                Array(repeating: { _, connection in connection.write("HTTP/1.1 413 Too") }, count: 20))
            let plan = try await form(.bytes(noise(size))).plan()
            for _ in 1...20 {
                let error = await #expect(throws: TransferError.self) { try await self.exchange(plan, with: server) }
                #expect(error?.code == .receive)
            }
        }

        @Test(
            "A connection that ends without an answer is one error, whenever that is noticed, and however much was sent",
            arguments: [1, 1_000_000, 4_500_000], [true, false])
        func unanswered(reading count: Int, isReset: Bool) async throws {
            let script: Script = { _, connection in
                var rest = count
                while rest > 0 {
                    let got = connection.read(upTo: min(rest, 65_536)).count
                    guard got > 0 else { break }
                    rest -= got
                }
                if isReset { connection.resetOnClose() }
            }
            let server = try ScriptedServer(Array(repeating: script, count: 20))
            let quick = FormClient.Options(expectationThreshold: nil)
            let known = try await form(.bytes(noise(5_000_000))).plan()
            for number in 1...20 {
                var plan = ExchangeBody(known)
                plan.isChunked = number.isMultiple(of: 2)
                let error = await #expect(throws: TransferError.self) {
                    try await FormClient(options: quick).exchange(
                        HTTPRequest(to: server.url()), body: plan, monitor: nil, informed: { _ in }
                    ) { _ in }
                }
                #expect(error?.code == .receive)
                let text = error?.description.prefix { $0 != "[" }
                #expect(text == "the connection ended before the server answered ")
            }
        }

        @Test(
            "A server of HTTP/2 that closes after its settings doesn't answer, whenever that is noticed",
            arguments: [9, 5_000_000], [true, false])
        func closedHTTP2(size: Int, isReset: Bool) async throws {
            let script: Script = { _, connection in
                connection.write("\0\0\0\u{4}\0\0\0\0\0")
                if isReset { connection.resetOnClose() }
            }
            let server = try ScriptedServer(Array(repeating: script, count: 40))
            var options = FormClient.Options()
            options.version = .http2
            let plan = try await form(.bytes(noise(size))).plan()
            for _ in 1...40 {
                let error = await #expect(throws: TransferError.self) {
                    try await self.exchange(plan, with: server, options: options)
                }
                #expect(error?.code == .receive)
                let text = error?.description.prefix { $0 != "[" }
                // A reset may overtake the settings.
                let second = "127.0.0.1: the server doesn't speak HTTP/2"
                #expect(text == "the connection ended before the server answered " || isReset && text ?? "" == second)
            }
        }

        @Test("A status below 100 is not an answer, and never a success", arguments: ["000", "001", "099"])
        func noStatus(code: String) async throws {
            let server = try ScriptedServer([replying("HTTP/1.1 \(code) OK\r\nContent-Length: 4\r\n\r\ndone")])
            let error = await #expect(throws: TransferError.self) {
                try await self.exchange(form(.text("x")).plan(), with: server)
            }
            #expect(error?.code == .receive)
        }

        @Test(
            "A port that is no number from 1 to 65535 is an error",
            arguments: ["0", "65536", "99999999999999999999", "18446744073709551617", "-1"])
        func impossiblePorts(port: String) {
            #expect(throws: TransferError.self) { try HTTPRequest(to: "http://127.0.0.1:\(port)/") }
            #expect(throws: TransferError.self) { try HTTPRequest(to: "https://u:p@[::1]:\(port)?x") }
        }

        /// Answers a request with its own head.
        private final class Mirror: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer

            private var head = ""

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                self.head += String(buffer: self.unwrapInboundIn(data))
                guard let end = self.head.range(of: "\r\n\r\n") else { return }
                let text = self.head[..<end.lowerBound]
                let answer = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
                context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
            }
        }

        /// A link-local address of this computer and its interface's name; `nil` if there is none.
        private static let linkLocal: (address: String, zone: String)? = {
            let lines = FileManager.default.contents(atPath: "/proc/net/if_inet6") ?? Data()
            for line in String(decoding: lines, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count == 6, words[3] == "20" else { continue }
                let groups = stride(from: 0, to: 32, by: 4).map { words[0].dropFirst($0).prefix(4) }
                return (groups.joined(separator: ":"), String(words[5]))
            }
            return nil
        }()

        /// RFC 6874: the address's zone chooses an interface of this computer, and no server sees it.
        @Test("An IPv6 address may have a zone", .enabled(if: linkLocal != nil))
        func zones() async throws {
            let (address, zone) = try #require(Self.linkLocal)
            let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Mirror()) }
                }
                .bind(host: "::", port: 0).get()
            let port = try #require(server.localAddress?.port)
            let request = try HTTPRequest(.get, to: "http://[\(address)%25\(zone)]:\(port)/a")
            let head = try await FormClient().exchange(request, body: nil) {
                try await String(buffer: $0.body.collect(upTo: 1000).bytes)
            }
            #expect("\(head)\r\n".contains("\r\nHost: [\(address)]:\(port)\r\n"))
            try await server.close()
        }

        @Test(
            "After an early 2xx the rest is sent, and the answer is the result",
            arguments: [200, 3_000_000, 30_000_000])
        func lateReader(count: Int) async throws {
            let server = try ScriptedServer([
                { server, connection in
                    var (_, body) = connection.readHead()
                    connection.write(Self.ok())
                    usleep(100_000)
                    while body.count < count + 144 { body += connection.read() }
                    server.note(body.count)
                }
            ])
            let plan = try await form(.bytes(noise(count))).plan()
            let seen = try await self.exchange(plan, with: server, options: .init(expectationThreshold: nil))
            #expect(seen.status == 201 && seen.isBodyComplete && seen.bytesSent == count + 144)
            // The server's last read may come after the answer.
            for _ in 0..<6000 where server.counts.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(server.counts == [count + 144])
        }

        @Test("An answer that is cut is an error after 200, and not after 413, whether or not the body was read")
        func cutAnswers() async throws {
            for status in ["200 OK", "413 Content Too Large"] {
                let answer = "HTTP/1.1 \(status)\r\nContent-Length: 400\r\n\r\nhalf"
                let server = try ScriptedServer([
                    replying(answer),
                    replyingEarly(answer),
                ])
                let plan = try await form(.bytes(noise(100_000))).plan()
                let quick = FormClient.Options(expectationThreshold: nil)
                for _ in 0..<2 {
                    do {
                        let seen = try await self.exchange(plan, with: server, options: quick)
                        #expect(status.hasPrefix("413"))
                        #expect(seen.status == 413 && seen.text == "half" && seen.isCut)
                    } catch let error as TransferError {
                        #expect(status.hasPrefix("200"))
                        #expect(error.message == "the connection ended inside the answer")
                    }
                }
            }
        }

        @Test("A connection that is closed half-way, or before the answer")
        func closed() async throws {
            let server = try ScriptedServer([
                { _, connection in
                    _ = connection.readHead()
                    _ = connection.read()
                },
                { _, connection in _ = connection.readRequest() },
                replying("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"),
                replying("220 mail.example ESMTP\r\n\r\n"),
            ])
            let large = try await form(.bytes(noise(30_000_000))).plan()
            let small = try await form(.bytes(noise(10))).plan()
            let quick = FormClient.Options(expectationThreshold: nil)
            func failure(_ plan: BodyPlan) async -> TransferError? {
                await #expect(throws: TransferError.self) {
                    try await self.exchange(plan, with: server, options: quick)
                }
            }
            let cut = await failure(large)
            #expect(cut?.code == .receive && cut?.bytesSent ?? 0 > 0)
            #expect(await failure(small)?.code == .receive)
            #expect(await failure(small)?.message == "the connection ended inside the answer")
            #expect(await failure(small)?.code == .receive)
            #expect(await failure(small)?.code == .connect)
        }

        @Test(
            "A server that knows the end by the closing delimiter may answer before the last chunk, and hang up",
            arguments: [true, false])
        func delimiterEnds(hangsUp: Bool) async throws {
            let script: Script = { _, connection in
                var text = ""
                while !text.contains("\r\n--harbour--\r\n") {
                    text += String(decoding: connection.read(), as: UTF8.self)
                }
                connection.write(Self.ok())
                if !hangsUp { connection.waitForEnd() }
            }
            let server = try ScriptedServer(Array(repeating: script, count: 20))
            for _ in 0..<20 {
                let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
                source.yield(Array("sea".utf8))
                source.finish()
                let seen = try await self.exchange(
                    try form(.chunks(once: chunks)).plan(), with: server, options: .init(expectationThreshold: nil))
                #expect(seen.status == 201 && seen.isBodyComplete && (hangsUp || seen.bytesSent == 147))
            }
        }

        @Test("A connection that is given up before it is ready is closed, whether late or cancelled")
        func givenUp() async throws {
            let script: Script = { server, connection in
                connection.waitForEnd()
                server.note(1)
            }
            let server = try ScriptedServer([script, script])
            // TLS that is never answered.
            let request = try HTTPRequest(to: "https" + server.url().dropFirst(4))
            let body = ExchangeBody(try await form(.text("sea")).plan())
            let client = FormClient(options: .init(connectTimeout: .seconds(1)))
            let error = await #expect(throws: TransferError.self) {
                try await client.exchange(request, body: body) { $0.head.status.code }
            }
            #expect(error?.code == .timedOut)
            for _ in 0..<1000 where server.counts.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            #expect(server.counts == [1])
            let patient = FormClient(options: .init(connectTimeout: .seconds(300)))
            let task = Task { try await patient.exchange(request, body: body) { $0.head.status.code } }
            try await Task.sleep(for: .milliseconds(300))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            for _ in 0..<1000 where server.counts.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
            #expect(server.counts == [1, 1])
        }

        @Test("A server that reads nothing is given up, and costs little memory")
        func stall() async throws {
            let server = try ScriptedServer([
                { _, connection in
                    _ = connection.readHead()
                    usleep(1_500_000)
                }
            ])
            let folder = TemporaryFolder()
            var body = FormData()
            body.append(name: "f", file: try folder.sparseFile("large", count: 1 << 30))
            let plan = try await body.plan()
            let growth = try await peakGrowth {
                let error = await #expect(throws: TransferError.self) {
                    try await self.exchange(
                        plan, with: server,
                        options: .init(stallTimeout: .milliseconds(500), expectationThreshold: nil))
                }
                #expect(error?.code == .timedOut)
            }
            #expect(growth < 24 << 20)
            #expect(try await folder.isClosed())
        }

        @Test("Who is slow to read the answer is not waited for by a server that stalls")
        func slowReader() async throws {
            let answer = Self.ok(String(repeating: "x", count: 16_000_000))
            let server = try ScriptedServer([replying(answer)])
            let plan = try await form(.bytes(noise(10))).plan()
            let count = try await FormClient(options: .init(stallTimeout: .seconds(1))).exchange(
                HTTPRequest(to: server.url()), body: ExchangeBody(plan)
            ) { answer in
                try await Task.sleep(for: .seconds(3))
                return try await answer.body.collect(upTo: 40_000_000).bytes.readableBytes
            }
            #expect(count == 16_000_000)
        }

        @Test("A body whose file changes is not completed")
        func changed() async throws {
            let server = try ScriptedServer([
                { server, connection in server.note(connection.readRequest().body.count) }
            ])
            let folder = TemporaryFolder()
            let path = try folder.file("f", noise(1000))
            var body = FormData()
            body.append(name: "f", file: path)
            let plan = try await body.plan()
            _ = try folder.file("f", noise(500))
            let error = await #expect(throws: FormworkError.self) { try await self.exchange(plan, with: server) }
            #expect(error?.code == .sourceChanged)
        }

        @Test("A missing host, an invalid URL")
        func unreachable() async throws {
            let client = FormClient()
            func failure(_ url: String) async -> TransferError.Code? {
                do {
                    return try await client.exchange(HTTPRequest(.get, to: url)) { _ in nil }
                } catch { return (error as? TransferError)?.code }
            }
            #expect(await failure("http://nowhere.invalid/") == .resolve)
            #expect(await failure("http://127.0.0.1:1/") == .connect)
            #expect(await failure("ftp://127.0.0.1/") == .invalidRequest)
            #expect(await failure("upload") == .invalidRequest)
        }
    }

    /// The reports, in order.
    final class Told: Sendable {
        private let state = Mutex<[String]>([])
        var words: [String] { self.state.withLock { $0 } }
        func add(_ word: String) { self.state.withLock { $0.append(word) } }
    }
}
