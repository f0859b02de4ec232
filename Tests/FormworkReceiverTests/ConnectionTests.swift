@testable import FormworkReceiver
import FormworkResumable
import ServiceLifecycle
import TestSupport
import Testing

/// Connections: pipelined requests, clients that don't read, and shutdown.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    private static let get = "GET /files.json HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test(arguments: ["Transfer-Encoding: chunked", "Content-Length: 11"])
    func `A body that begins after another request is read to its end`(framing: String) async throws {
        let isChunked = framing.hasPrefix("T")
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send(
                Self.get + "PUT /a HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n"
                    + (isChunked ? "5\r\nhello\r\n" : "hello"))
            #expect(await connection.receive(until: "}}").hasPrefix("HTTP/1.1 200 "))
            try await Task.sleep(for: .milliseconds(200))
            await connection.send(isChunked ? "6\r\n there\r\n0\r\n\r\n" : " there")
            #expect(await connection.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
            #expect(try receiver.folder.text(of: "a") == "hello there")
            await connection.send(Self.get)
            #expect(await connection.receive(until: "}}").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test(arguments: [true, false])
    func `A form is stored when its whole body has arrived, not with its close delimiter`(isWhole: Bool) async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            let form = formBody([("f;a", "1")])
            await connection.send(
                "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
                    + "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
                    + "\(String(form.utf8.count, radix: 16))\r\n\(form)\r\n")
            try await Task.sleep(for: .milliseconds(200))
            #expect(await connection.receiveAvailable() == "")
            await connection.send(isWhole ? "0\r\n\r\n" : "0\r\n")
            if !isWhole { await connection.finishSending() }
            #expect(await connection.receiveAll().statuses == ([isWhole ? "201" : "400"]))
            #expect(receiver.folder.names == (isWhole ? ["a"] : []))
        }
    }

    @Test func `Requests that came at once are all answered, in their order`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            let put = "PUT /b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"
            await connection.send(Self.get + put + Self.get + "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n" + put)
            await connection.finishSending()
            #expect(await connection.receiveAll().statuses == ["200", "201", "200", "404", "201"])
            #expect(receiver.folder.names == ["b", "b (1)"])
        }
    }

    @Test func `An invalid request is answered after the requests before it`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send(Self.get + Self.get + Self.get + "no request\r\n\r\n")
            #expect(await connection.receiveAll().statuses == ["200", "200", "200", "400"])
        }
    }

    @Test(arguments: ["1\r\nab\r\n0\r\n\r\n", "1\r\na\r\n"])
    func `A refused request has one answer, even if its body is invalid or cut`(body: String) async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send("PUT /.. HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            let answer = await connection.receive(until: "}")
            #expect(answer.statuses == ["400"])
            await connection.send(body)
            await connection.finishSending()
            #expect(await connection.receiveAll() == "")
        }
    }

    @Test func `A client's connection above its limit is closed, and its place is free again`() async throws {
        let metrics = MemoryMetrics()
        func change(_ options: inout ReceiverOptions) {
            options.limits.uploadsPerClient = 1  // 20 connections
            options.limits.uploads = 1  // 68 at once
        }
        try await TestReceiver.run(change, metrics: metrics) { receiver in
            var held: [RawConnection] = []
            for _ in 0..<20 { held.append(try receiver.connect()) }
            for _ in 0..<100 { #expect(await (try receiver.connect()).receiveAll() == "") }
            held.removeLast()
            #expect(try await receiver.eventually { try await receiver.request("GET /healthz").status == 200 })
            #expect(receiver.log.all.count { $0.contains("too many connections") } == 1)
        }
    }

    /// More than what the system keeps for both sides.
    private static let requests = 4_000

    @Test func `A client that reads no answers is cut`() async throws {
        try await TestReceiver.run({ $0.pace.idleTime = .milliseconds(300) }) { receiver in
            let connection = try receiver.connect()
            let request = "GET /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
            for _ in 0..<1_500 {
                await connection.send(request)
                try await Task.sleep(for: .milliseconds(1))
            }
            try await Task.sleep(for: .seconds(2))
            #expect(await connection.receiveAll().statuses.count < 1_500)
        }
    }

    @Test func `A client that reads no answers doesn't keep the receiver from stopping`() async throws {
        try await TestReceiver.run({ $0.grace = .milliseconds(200) }) { receiver in
            let connection = try receiver.connect()
            let request = "GET /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
            await connection.send(String(repeating: request, count: Self.requests))
            try await Task.sleep(for: .seconds(1))
            await receiver.group.triggerGracefulShutdown()
            #expect(try await receiver.eventually { receiver.hasEnded.value })
            await connection.cut()
        }
    }

    @Test func `Connections beyond the limit wait until one ends`() async throws {
        try await TestReceiver.run({ $0.limits.uploads = 1 }) { receiver in
            // 4 for each upload and 64, and a few that are accepted together with the last of them.
            var waiting = try (0..<90).map { _ in try receiver.connect() }
            for connection in waiting { await connection.send(Self.get) }
            var answered: [RawConnection] = []
            nonisolated(nonsending) func sort() async {
                for connection in waiting where await connection.receiveAvailable() != "" {
                    answered.append(connection)
                    waiting.removeAll { $0 === connection }
                }
            }
            let areAnswered = try await receiver.eventually {
                await sort()
                return answered.count >= 68
            }
            #expect(areAnswered)
            try await Task.sleep(for: .milliseconds(500))
            await sort()
            #expect(answered.count <= 80)
            answered = []
            for connection in waiting {
                #expect(await connection.receive(until: "}}").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `An upload that waits for its store is cancelled when the grace period ends`() async throws {
        let folder = TemporaryFolder()
        let storage = WatchedStorage(base: try FolderStorage(folder.path), isStalled: true)
        try await TestReceiver.run({ $0.grace = .milliseconds(200) }, in: folder, storage: storage) { receiver in
            let connection = try receiver.connect()
            await connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try await receiver.eventually { storage.begun.value == 1 })
            await receiver.group.triggerGracefulShutdown()
            #expect(try await receiver.eventually { receiver.hasEnded.value })
            #expect(storage.cancelled.value == 1)
            #expect(receiver.log.all.contains { $0.hasPrefix("uploads dropped") })
            #expect(folder.names == [])
        }
    }

    @Test(arguments: [false, true])
    func `So is a whole upload that is being processed, and it stays`(isCut: Bool) async throws {
        let folder = TemporaryFolder()
        let uploads = TemporaryFolder()
        let store = UploadStore(uploads.path)
        let storage = WatchedStorage(base: try FolderStorage(folder.path), isStalled: true)
        try await TestReceiver.run(
            { $0.grace = .milliseconds(isCut ? 1_000 : 200) }, in: folder, storage: storage, store: store
        ) { receiver in
            let connection = try receiver.connect()
            await connection.send(
                "PUT /a HTTP/1.1\r\nHost: localhost\r\nUpload-Draft-Interop-Version: 8\r\nUpload-Complete: ?1\r\n"
                    + "Content-Length: 5\r\n\r\nhello")
            #expect(try await receiver.eventually { storage.begun.value == 1 })
            if isCut { await connection.cut() }
            await receiver.group.triggerGracefulShutdown()
            #expect(try await receiver.eventually { receiver.hasEnded.value })
            #expect(storage.cancelled.value == 1)
            #expect(folder.names == [])
            let entries = await store.list()
            #expect(entries.map(\.offset) == [5] && entries.map(\.isFinished) == [false])
        }
    }
}

extension String {
    /// The status codes of a connection's answers.
    fileprivate var statuses: [String] {
        self.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst().map {
            String($0.prefix(3))
        }
    }
}
