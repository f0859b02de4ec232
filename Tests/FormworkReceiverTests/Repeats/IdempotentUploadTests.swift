import FormworkHTTP
@testable import FormworkReceiver
import FormworkResumable
import NIOCore
import Synchronization
import TestSupport
import Testing

/// Uploads that a client repeats under a key.
@Suite(.timeLimit(.minutes(10)))
struct IdempotentUploadTests {
    private static let form = "Content-Type: multipart/form-data; boundary=b"
    private static func key(_ text: String) -> String { "Idempotency-Key: \"\(text)\"" }
    private static let hello = """
        {"fields":[],"files":[{"name":"a.txt",\
        "sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","size":5}]}
        """

    @Test func `An upload that is repeated is stored once, and gets the same answer`() async throws {
        try await TestReceiver.run { receiver in
            for _ in 0..<3 {
                let answer = try await receiver.request("PUT /a.txt", [Self.key("k1")], "hello")
                #expect(answer.status == 201)
                #expect(answer.body == Self.hello)
            }
            #expect(receiver.folder.names == ["a.txt"])
            #expect(receiver.log.all.filter { $0.hasPrefix("answer repeated") }.count == 2)
            // Another key is another upload, and so is a request without one.
            for fields in [[Self.key("k2")], [], []] {
                #expect(try await receiver.request("PUT /a.txt", fields, "hello").status == 201)
            }
            #expect(receiver.folder.names.count == 4)
        }
    }

    @Test func `A form that is repeated with another boundary is stored once`() async throws {
        try await TestReceiver.run { receiver in
            var answers: Set<String> = []
            for boundary in ["b", "another"] {
                let answer = try await receiver.request(
                    "POST /", [Self.key("k"), "Content-Type: multipart/form-data; boundary=\(boundary)"],
                    formBody([("title", "x"), ("f;a.txt", "hello")], boundary: boundary))
                #expect(answer.status == 201)
                answers.insert(answer.body)
            }
            #expect(answers.count == 1)
            #expect(receiver.folder.names == ["a.txt", "a.txt.form.json"])
        }
    }

    @Test func `A connection goes on behind an answer that was repeated`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            let request = "PUT /a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\(Self.key("k"))\r\n\r\nhello"
            for _ in 0..<3 {
                await connection.send(request)
                let answer = await connection.receive(until: Self.hello)
                #expect(answer.hasPrefix("HTTP/1.1 201"))
            }
            #expect(receiver.folder.names == ["a.txt"])
        }
    }

    @Test(arguments: [
        ("PUT /b.txt", [], "hello"), ("POST /a.txt", [], "hello"),
        ("PUT /a.txt", ["Content-Type: text/plain"], "hello"),
        ("PUT /a.txt", [], "hello, world"),
        ("PUT /a.txt", ["Content-Disposition: attachment; filename=c.txt"], "hello"),
    ])
    func `A key that was used for another upload is refused`(
        _ line: String, _ fields: [String], _ body: String
    ) async throws {
        try await TestReceiver.run { receiver in
            #expect(try await receiver.request("PUT /a.txt", [Self.key("k")], "hello").status == 201)
            let answer = try await receiver.request(line, fields + [Self.key("k")], body)
            #expect(answer.status == 422)
            #expect(answer.body.contains("This Idempotency-Key was used for another upload"))
            #expect(receiver.folder.names == ["a.txt"])
        }
    }

    @Test(arguments: [
        ["Idempotency-Key:"], ["Idempotency-Key: \(String(repeating: "k", count: 256))"],
        ["Idempotency-Key: a", "Idempotency-Key: a"],
    ])
    func `A key that is none is refused`(_ fields: [String]) async throws {
        try await TestReceiver.run { receiver in
            let answer = try await receiver.request("PUT /a.txt", fields, "hello")
            #expect(answer.status == 400)
            #expect(answer.body.contains("Idempotency-Key: give one key of 1 to 255 bytes."))
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `An upload that failed is taken when it is repeated`() async throws {
        let digest = "Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
        try await TestReceiver.run { receiver in
            let given = try await receiver.status("PUT /a.txt", [Self.key("k"), digest], "jello")
            #expect(given == 400)
            #expect(try await receiver.status("PUT /a.txt", [Self.key("k"), digest], "hello") == 201)
            #expect(try receiver.folder.text(of: "a.txt") == "hello")
        }
    }

    @Test func `An upload whose connection hangs gives way to the same one on another`() async throws {
        try await TestReceiver.run { receiver in
            let first = try receiver.connect()
            await first.send(
                "PUT /a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\(Self.key("k"))\r\n\r\nhel")
            #expect(
                try await receiver.eventually { try await receiver.request("GET /files.json").body.contains("a.txt") })
            let answer = try await receiver.request("PUT /a.txt", [Self.key("k")], "hello")
            #expect(answer.status == 201)
            #expect(answer.body == Self.hello)
            let refused = RawAnswer(await first.receiveAll())
            #expect(refused.status == 409)
            #expect(refused.body.contains("The same upload, with the same Idempotency-Key, began again"))
            #expect(receiver.folder.names == ["a.txt"])
        }
    }

    @Test func `Of the same uploads at once one is stored`() async throws {
        try await TestReceiver.run { receiver in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<12 {
                    tasks.addTask { try await receiver.request("PUT /a.txt", [Self.key("k")], "hello").status }
                }
                return try await tasks.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses[201] != nil && Set(statuses.keys).isSubset(of: [201, 409]))
            #expect(receiver.folder.names == ["a.txt"])
        }
    }

    @Test func `A form with another file, field or content is refused under its key`() async throws {
        let parts = [("title", "x"), ("f;a.txt", "hello")]
        let others = [
            [("title", "y"), ("f;a.txt", "hello")], [("title", "x"), ("f;b.txt", "hello")],
            [("title", "x"), ("g;a.txt", "hello")], [("title", "x"), ("f;a.txt", "jello")], [("f;a.txt", "hello")],
            [("title", "x"), ("f;a.txt", "hello"), ("f;c.txt", "")],
            [("title", "x"), ("more", ""), ("f;a.txt", "hello")],
        ]
        try await TestReceiver.run({ $0.keeping.isDigesting = false }) { receiver in
            #expect(try await receiver.request("POST /", [Self.key("k"), Self.form], formBody(parts)).status == 201)
            for other in others {
                let answer = try await receiver.request("POST /", [Self.key("k"), Self.form], formBody(other))
                #expect(answer.status == 422, "\(other)")
            }
            #expect(try await receiver.request("POST /", [Self.key("k"), Self.form], formBody(parts)).status == 201)
            #expect(receiver.folder.names == ["a.txt", "a.txt.form.json"])
        }
    }

    @Test func `An answer is repeated that has a field of megabytes`() async throws {
        // Each byte takes six in the answer.
        let long = String(repeating: "\u{1}", count: 700_000)
        try await TestReceiver.run { receiver in
            for key in ["a", "b", "a"] {
                let answer = try await receiver.request(
                    "POST /", [Self.key(key), Self.form],
                    formBody([("t", long), ("u", long), ("f;\(key).txt", "hello")]))
                #expect(answer.status == 201)
                #expect(answer.body.utf8.count > 8_400_000 && answer.body.contains(#""name":"\#(key).txt""#))
            }
            #expect(receiver.folder.names == ["a.txt", "a.txt.form.json", "b.txt", "b.txt.form.json"])
        }
    }

    @Test func `An upload that is cut when it is repeated isn't taken for the stored one`() async throws {
        try await TestReceiver.run { receiver in
            let given = try await receiver.status("PUT /a.txt", [Self.key("k")], "hello")
            #expect(given == 201)
            let chunks = ["Transfer-Encoding: chunked", Self.key("k")]
            #expect(try await receiver.request("PUT /a.txt", chunks, "5\r\nhello\r\n0\r\n\r\n").body == Self.hello)
            #expect(try await receiver.request("PUT /a.txt", chunks, "3\r\nhel\r\n0\r\n\r\n").status == 422)
            let digest = "Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
            #expect(try await receiver.request("PUT /a.txt", [Self.key("k"), digest], "jello").status == 400)
            #expect(receiver.folder.names == ["a.txt"])
        }
    }

    private static let draft = [
        "Upload-Draft-Interop-Version: 8", "Upload-Complete: ?1", "Content-Disposition: attachment; filename=a.txt",
    ]

    @Test func `A whole upload that could be resumed is stored once, too`() async throws {
        try await TestReceiver.resuming { receiver, _ in
            for _ in 0..<3 {
                let answer = try await receiver.request("POST /", Self.draft + [Self.key("k")], "hello")
                #expect(answer.status == 201 && answer.field("Upload-Complete") == "?1")
                #expect(answer.body == Self.hello)
            }
            #expect(try await receiver.status("POST /", Self.draft + [Self.key("k")], "jello") == 422)
            #expect(receiver.folder.names == ["a.txt"])
        }
    }

    @Test func `A whole upload for which there is no room to resume is stored once`() async throws {
        var options = UploadStoreOptions()
        options.maximumCount = 0
        try await TestReceiver.resuming(options: options) { receiver, _ in
            for _ in 0..<3 {
                let answer = try await receiver.request("POST /", Self.draft + [Self.key("k")], "hello")
                #expect(answer.status == 201 && answer.body == Self.hello, "\(answer)")
            }
            #expect(receiver.folder.names == ["a.txt"])
        }
    }

    @Test func `Of requests that wait the newest is taken, and none whose client has gone`() async throws {
        let uploads = IdempotentUploads()
        let key = try #require(try IdempotencyKey([.idempotencyKey: "k"], owner: "a"))
        let head = HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/")
        let (isReleased, begun) = (Local(false), Local([Int]()))
        let run = Local<IdempotentUploads.Arrival?>(nil)
        @Sendable func request(_ number: Int) -> Task<HTTPResponse.Status, any Error> {
            Task {
                try await uploads.once(uploads.arrived(key, head)) { _ in
                    ServiceResponse(.ok)
                } _: { current in
                    begun.value.append(number)
                    guard number == 1 else { return ServiceResponse(.created) }
                    run.value = current
                    // Its cleanup takes long, and can't be cancelled.
                    while !isReleased.value { await Task.yield() }
                    return ServiceResponse(.conflict)
                }.status
            }
        }
        let first = request(1)
        while begun.value.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        let second = request(2)
        while run.value?.isReplaced != true { try await Task.sleep(for: .milliseconds(1)) }
        second.cancel()
        let third = request(3)
        try await Task.sleep(for: .milliseconds(20))
        isReleased.value = true
        #expect(try await first.value == .conflict)
        let refusal = await #expect(throws: ProblemDetails.self) { try await second.value }
        #expect(refusal?.status == 409)
        #expect(try await third.value == .created)
        #expect(begun.value == [1, 3])
    }

    @Test func `A repetition needs no slot and no memory besides those of the upload that hangs`() async throws {
        let memory = ReceiverMemory(limit: 5 << 20, least: 1 << 20)
        try await TestReceiver.run({
            ($0.limits.uploadsPerClient, $0.limits.uploads, $0.memory) = (1, 1, memory)
        }) { receiver in
            let first = try receiver.connect()
            await first.send(
                "PUT /a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\(Self.key("k"))\r\n\r\nhel")
            #expect(
                try await receiver.eventually { try await receiver.request("GET /files.json").body.contains("a.txt") })
            // Another upload gets none.
            #expect(try await receiver.request("PUT /b.txt", [Self.key("other")], "hello").status == 429)
            #expect(try await receiver.status("PUT /a.txt", [Self.key("k")], "hello") == 201)
            #expect(receiver.folder.names == ["a.txt"])
            #expect(RawAnswer(await first.receiveAll()).status == 409)
            #expect(try await receiver.eventually { memory.used == 0 })
        }
    }

    @Test func `A repetition that fails is counted`() async throws {
        try await TestReceiver.run(metrics: MemoryMetrics()) { receiver in
            let digest = "Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:"
            #expect(try await receiver.request("PUT /a.txt", [Self.key("k")], "hello").status == 201)
            #expect(try await receiver.request("PUT /a.txt", [Self.key("k"), digest], "jello").status == 400)
            #expect(try await receiver.request("PUT /a.txt", [Self.key("k")], "jello").status == 422)
            let lines = try await receiver.request("GET /metrics").body.split(separator: "\n")
            #expect(lines.contains("formwork_upload_failures_total{code=\"400\"} 1"))
            #expect(lines.contains("formwork_upload_failures_total{code=\"422\"} 1"))
            #expect(lines.contains("formwork_uploads_total{code=\"201\"} 1"))
        }
    }

    @Test func `A client with many keys pushes out its own, and no other client's`() async throws {
        let uploads = IdempotentUploads(countLimit: 3)
        let texts = try await uploads.texts(
            ("a", "1"), ("b", "1"), ("b", "2"), ("b", "3"), ("b", "4"), ("a", "1"), ("b", "4"), ("b", "1"))
        #expect(texts == ["1", "2", "3", "4", "5", "1", "5", "6"])
        // The same of bytes: each upload has ten, as below.
        let small = IdempotentUploads(byteLimit: 30)
        let kept = try await small.texts(
            ("a", "1"), ("b", "1"), ("b", "2"), ("b", "3"), ("a", "1"), ("b", "3"), ("b", "1"))
        #expect(kept == ["1", "2", "3", "4", "1", "4", "5"])
    }

    @Test func `A repetition whose client leaves doesn't wait for an upload that hangs`() async throws {
        let uploads = IdempotentUploads()
        let head = HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/")
        let key = try #require(try IdempotencyKey([.idempotencyKey: "k"], owner: "a"))
        let (calls, call) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let first = uploads.arrived(key, head)
        let running = Task {
            try await uploads.once(first) { _ in
                ServiceResponse(.created)
            } _: { _ in
                // A call that can't be cancelled.
                await Task {
                    call.yield()
                    for await _ in answers {}
                }.value
                return ServiceResponse(.created)
            }
        }
        for await _ in calls { break }
        let repetition = Task { await uploads.endOlder(uploads.arrived(key, head)) }
        try await Task.sleep(for: .milliseconds(50))
        repetition.cancel()
        await repetition.value
        answer.finish()
        first.leave()
        _ = try await running.value
    }

    @Test func `Of many clients with one key each, the oldest is forgotten`() async throws {
        let uploads = IdempotentUploads(countLimit: 3)
        let texts = try await uploads.texts(
            ("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"), ("d", "1"), ("c", "1"), ("b", "1"), ("a", "1"))
        #expect(texts == ["1", "2", "3", "4", "4", "3", "2", "5"])
    }

    @Test func `Clients don't get each other's answers`() async throws {
        let uploads = IdempotentUploads()
        #expect(try await uploads.texts(("a", "k"), ("b", "k"), ("a", "k")) == ["1", "2", "1"])
    }

    @Test func `The oldest uploads are forgotten beyond the limits`() async throws {
        let few = IdempotentUploads(countLimit: 2)
        #expect(
            try await few.texts(("a", "1"), ("a", "2"), ("a", "1"), ("a", "3"), ("a", "1"), ("a", "3"))
                == ["1", "2", "1", "3", "4", "3"])
        // A name of one byte and its key count 10 bytes: 1 + 1 for the key, 7 for the request, 1 for the name.
        let small = IdempotentUploads(byteLimit: 29)
        #expect(
            try await small.texts(("a", "1"), ("a", "2"), ("a", "1"), ("a", "3"), ("a", "1"), ("a", "3"))
                == ["1", "2", "1", "3", "4", "3"])
    }
}

extension IdempotentUploads {
    /// The names under which the files of one request under these keys are stored: the number of the upload.
    fileprivate func texts(_ keys: (String, String)...) async throws -> [String] {
        let head = HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/")
        let count = Local(0)
        var texts: [String] = []
        for (owner, text) in keys {
            guard let key = try IdempotencyKey([.idempotencyKey: text], owner: owner) else { continue }
            let answer = try await self.once(self.arrived(key, head)) { stored in
                ServiceResponse(.created, body: ByteBuffer(string: stored.names.joined()))
            } _: { _ in
                count.value += 1
                var receipt = UploadReceipt()
                receipt.files = [UploadReceipt.File(name: "\(count.value)", size: 0)]
                receipt.fingerprint = "f"
                var answer = ServiceResponse(.created, body: ByteBuffer(string: "\(count.value)"))
                answer.receipt = receipt
                return answer
            }
            texts.append(String(buffer: answer.body))
        }
        return texts
    }
}
