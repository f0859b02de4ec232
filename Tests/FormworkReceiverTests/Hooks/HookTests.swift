import FormworkResumable
import Foundation
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import FormworkReceiver

/// A receiver that asks a hook, and reports to it.
@Suite(.timeLimit(.minutes(10)))
struct HookTests {
    private static let form = ["Content-Type: multipart/form-data; boundary=b"]
    private static let version = "Upload-Draft-Interop-Version: 8"
    private static let partial = [
        version, "Content-Type: application/partial-upload", "Upload-Offset: 0", "Upload-Complete: ?1",
    ]
    private static let octets = [
        "Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream", "Upload-Offset: 0",
    ]

    /// A receiver in a folder with a hook.
    struct Fixture: Sendable {
        let receiver: TestReceiver
        let server: HookServer

        /// The messages of a type, once there are that many.
        func messages(_ type: String, _ count: Int = 1) async throws -> [HookServer.Message] {
            #expect(try await self.receiver.eventually { self.server.messages(type).count >= count })
            return self.server.messages(type)
        }

        /// The files, without hidden ones.
        var names: [String] {
            let root = self.receiver.folder.path.string
            let found = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
            return found.filter { name in
                var isFolder: ObjCBool = false
                return !name.hasPrefix(".")
                    && FileManager.default.fileExists(
                        atPath: "\(root)/\(name)", isDirectory: &isFolder)
                    && !isFolder.boolValue
            }.sorted()
        }

        /// Messages that wait.
        var waiting: [String] {
            (try? FileManager.default.contentsOfDirectory(
                atPath: self.receiver.folder.path.appending(".formwork-hooks").string)) ?? []
        }
    }

    @Test func `A report that gets no answer keeps no memory of its upload`() async throws {
        let memory = ReceiverMemory(limit: 64 << 20, least: 1 << 20)
        let server = try HookServer { type, _ in type == "upload.stored" ? .hold : .answer(204) }
        try await Self.run(server, receiver: { $0.memory = memory }) { fixture in
            #expect(try await fixture.receiver.status("PUT /a", [], "1") == 201)
            _ = try await fixture.messages("upload.stored")
            #expect(try await fixture.receiver.eventually { memory.used == 0 })
        }
    }

    private static func run(
        _ server: HookServer, in folder: TemporaryFolder = TemporaryFolder(),
        uploads: TemporaryFolder = TemporaryFolder(),
        options change: (inout Hooks.Options) -> Void = { _ in },
        receiver: (inout ReceiverOptions) throws -> Void = { _ in },
        _ test: @escaping @Sendable (Fixture) async throws -> Void
    ) async throws {
        let (storage, box) = (try FolderStorage(folder.path), try FolderRecordBox(in: folder.path))
        try await Hooks.with(server, box: box, change) { hooks in
            try await TestReceiver.run(
                receiver, in: folder, storage: storage, store: UploadStore(uploads.path), hooks: hooks
            ) { receiver in try await test(Fixture(receiver: receiver, server: server)) }
        }
        withExtendedLifetime(uploads) {}
    }

    @Test(arguments: [[], [version, "Upload-Complete: ?1"]])
    func `An upload that is dropped while the hook is asked has a plain reason`(fields: [String]) async throws {
        let server = try HookServer { _, _ in .hold }
        try await Self.run(server, receiver: { $0.grace = .milliseconds(200) }) { fixture in
            let receiver = fixture.receiver
            let connection = try receiver.connect()
            let head = ["PUT /a HTTP/1.1", "Host: localhost", "Content-Length: 5"] + fields
            await connection.send(head.joined(separator: "\r\n") + "\r\n\r\nhel")
            _ = try await fixture.messages("upload.asked")
            await receiver.group.triggerGracefulShutdown()
            #expect(await connection.receiveAll().isEmpty)
            let reason = "reason=the upload was dropped: the receiver is stopping"
            let isLogged = try await receiver.eventually { receiver.log.all.contains { $0.contains(reason) } }
            #expect(isLogged, "\(receiver.log.all)")
            #expect(!receiver.log.all.contains { $0.contains("status=") || $0.contains("CancellationError") })
        }
    }

    @Test func `An accepted file is asked about before, and reported after`() async throws {
        try await Self.run(try HookServer()) { fixture in
            let fields = ["Content-Type: text/plain", "Authorization: Bearer secret"]
            #expect(try await fixture.receiver.request("PUT /a%20b.txt?order=17", fields, "hello").status == 201)
            let asked = try #require(try await fixture.messages("upload.asked").first)
            let id = try #require(asked.data["upload"] as? String)
            let words = asked.text.components(separatedBy: #""peer":"127.0.0.1:"#)
            #expect(
                words[0] == #"{"data":{"fields":[],"length":5,"method":"PUT","name":"a b.txt","path":"/a%20b.txt","#)
            #expect(
                words.last?.drop { $0.isNumber }.hasPrefix(
                    #"","protocol":"http","query":"order=17","type":"text/plain","upload":"\#(id)"},"timestamp":"2"#)
                    == true)
            #expect(asked.head["webhook-id"] == "\(id)-asked" && asked.head["content-type"] == "application/json")
            #expect(!asked.text.contains("secret"))
            #expect(asked.head["traceparent"] == nil)
            let stored = try #require(try await fixture.messages("upload.stored").first)
            #expect(stored.head["webhook-id"] == "\(id)-stored" && stored.data["upload"] as? String == id)
            let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            #expect(
                stored.text.contains(
                    #""files":[{"name":"a b.txt","sha256":"\#(digest)","size":5,"type":"text/plain"}]"#),
                "\(stored.text)")
            #expect(try await fixture.receiver.eventually { fixture.waiting.isEmpty })
            #expect(fixture.names == ["a b.txt"])
        }
    }

    @Test func `Messages have the traceparent of the request`() async throws {
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try await Self.run(try HookServer()) { fixture in
            #expect(try await fixture.receiver.request("PUT /a", ["Traceparent: \(parent)"], "1").status == 201)
            for type in ["upload.asked", "upload.stored"] {
                let message = try #require(try await fixture.messages(type).first)
                #expect(message.head["traceparent"] == parent && message.data["traceparent"] as? String == parent)
            }
        }
    }

    private static var terms: UploadTerms {
        var terms = UploadTerms()
        terms.asked = .test()
        return terms
    }

    /// Keeps a message, and returns when `isDone`.
    private struct SlowBox: RecordBox {
        let box: FolderRecordBox
        let isDone: @Sendable () -> Bool

        var leastAge: Double { self.box.leastAge }
        func put(_ bytes: [UInt8], _ name: String) async throws {
            try await self.box.put(bytes, name)
            while !self.isDone() { try await Task.sleep(for: .milliseconds(5)) }
        }
        func add(_ bytes: [UInt8], _ name: String) async throws -> Bool { try await self.box.add(bytes, name) }
        func get(_ name: String) async throws -> [UInt8]? { try await self.box.get(name) }
        func remove(_ name: String) async throws { try await self.box.remove(name) }
        func list() async throws -> [(name: String, age: Double)] { try await self.box.list() }
    }

    @Test func `A message that a sweep finds while it is being kept is sent once`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try HookServer { _, _ in
            gate.wait()
            gate.signal()
            return .answer(204)
        }
        let folder = TemporaryFolder()
        let box = SlowBox(box: try FolderRecordBox(in: folder.path)) { !server.messages.isEmpty }
        try await Hooks.with(server, box: box, { $0.sweepPause = .milliseconds(20) }) { hooks in
            await hooks.failed(Self.terms, status: 500, nil)
            // A second request would come now.
            try await Task.sleep(for: .milliseconds(200))
            gate.signal()
            while try await !box.list().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            #expect(server.messages.count == 1)
        }
    }

    @Test func `A damaged message stays, is logged once, and doesn't delay others`() async throws {
        let server = try HookServer()
        let folder = TemporaryFolder()
        let box = try FolderRecordBox(in: folder.path)
        try await box.put([], "empty-stored")
        let log = LogLines()
        try await Hooks.with(server, box: box, log: log) { hooks in
            await hooks.failed(Self.terms, status: 500, nil)
            while server.messages.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            await hooks.sweep()
            await hooks.sweep()
            #expect(log.all == ["a message to the hook can't be sent message=empty-stored reason=it is damaged"])
            #expect(try await box.list().map(\.name).contains("empty-stored"))
        }
    }

    @Test func `Messages are signed`() async throws {
        try await Self.run(try HookServer()) { fixture in
            _ = try await fixture.receiver.request("PUT /a", [], "1")
            let secret = try HookSecret(Hooks.secret)
            for message in [
                try await fixture.messages("upload.asked")[0], try await fixture.messages("upload.stored")[0],
            ] {
                let time = try #require(message.head["webhook-timestamp"].flatMap { Int64($0) })
                let id = try #require(message.head["webhook-id"])
                #expect(
                    message.head["webhook-signature"] == secret.signature(id: id, time: time, body: message.body))
            }
        }
    }

    @Test func `The answer sets name, limit and metadata`() async throws {
        let server = try HookServer { type, _ in
            type == "upload.asked"
                ? .answer(200, #"{"name":"orders/17/photo.jpg","maxSize":5,"metadata":{"order":"17"},"later":true}"#)
                : .answer(200)
        }
        try await Self.run(server) { fixture in
            let answer = try await fixture.receiver.request("PUT /a", [], "12345")
            #expect(answer.status == 201 && answer.body.contains(#""name":"orders/17/photo.jpg""#))
            #expect(
                try await fixture.messages("upload.stored")[0].data["metadata"] as? [String: String] == ["order": "17"])
            let refused = try await fixture.receiver.request("PUT /a", [], "123456")
            #expect(refused.status == 413)
            let failed = try await fixture.messages("upload.failed")[0]
            let detail = try #require(failed.data["detail"] as? String)
            #expect(failed.data["status"] as? Int == 413 && refused.body.contains(detail))
            #expect(failed.data["metadata"] as? [String: String] == ["order": "17"])
            #expect(fixture.names == ["orders/17/photo.jpg"])
        }
    }

    @Test(arguments: [
        (403, #"{"title":"No","detail":"Not yours."}"#, "application/problem+json", 403, "No", "Not yours."),
        (422, "Only photos.\n", "text/plain", 422, "Unprocessable Content", "Only photos."),
        (401, "", "text/plain", 403, "Forbidden", "The upload was refused."),
        (409, "<html>", "text/html", 409, "Conflict", "The upload was refused."),
    ])
    func `A refusal is passed on`(
        status: Int, body: String, type: String, passed: Int, title: String, detail: String
    ) async throws {
        let server = try HookServer { _, _ in .answer(status, body, type: type) }
        try await Self.run(server) { fixture in
            for line in ["PUT /a", "POST /"] {
                let fields = line == "PUT /a" ? [] : Self.form
                let content = line == "PUT /a" ? "1" : formBody([("f;a", "1")])
                let answer = try await fixture.receiver.request(line, fields, content)
                #expect(answer.status == passed)
                #expect(
                    answer.body.contains(#""detail":"\#(detail)""#) && answer.body.contains(#""title":"\#(title)""#))
            }
            let creations = [
                ["Tus-Resumable: 1.0.0", "Upload-Length: 5"], [Self.version, "Upload-Complete: ?0"],
            ]
            for fields in creations {
                let answer = try await fixture.receiver.request("POST /", fields)
                #expect(answer.status == passed && answer.field("Location") == nil)
            }
            #expect(fixture.names == [] && fixture.waiting.isEmpty)
            #expect(fixture.server.messages.allSatisfy { $0.type == "upload.asked" })
        }
    }

    @Test func `A client that waits for 100 sends nothing that is refused`() async throws {
        let server = try HookServer { _, _ in .answer(403) }
        try await Self.run(server) { fixture in
            let connection = try fixture.receiver.connect()
            await connection.send(
                "PUT /a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(await connection.receiveAll().hasPrefix("HTTP/1.1 403 "))
        }
    }

    @Test(arguments: [
        HookServer.Reply.answer(500), .answer(302), .close, .hold,
        .stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"),
        .answer(200, "nonsense"), .answer(200, "[]"),
        .answer(200, #"{"name":"../../x"}"#), .answer(200, #"{"name":".x"}"#), .answer(200, #"{"folder":"/x"}"#),
        .answer(200, #"{"maxSize":-1}"#), .answer(200, #"{"metadata":{"a b":"1"}}"#),
        .answer(200, #"{"metadata":{"a":"\u00e9"}}"#), .answer(200, #"{"metadata":{"formwork-upload":"x"}}"#),
        // With the receiver's own mark it would be more than the 2 KiB that S3 stores.
        .answer(200, #"{"metadata":{"a":"\#(String(repeating: "x", count: 1_997))"}}"#),
    ])
    func `Without an answer that can be used, the client is asked to come back`(reply: HookServer.Reply) async throws {
        try await Self.run(try HookServer { _, _ in reply }, options: { $0.limit = .milliseconds(300) }) { fixture in
            let answer = try await fixture.receiver.request("PUT /a", [], "1")
            #expect(answer.status == 503 && answer.field("Retry-After") == "5")
            #expect(answer.body.contains("The upload can't be checked at the moment: try again later."))
            #expect(fixture.names == [] && fixture.waiting.isEmpty)
        }
    }

    @Test func `Without an answer, uploads may be accepted, but not against one`() async throws {
        let server = try HookServer { type, count in
            guard type == "upload.asked" else { return .answer(200) }
            return count == 1 ? .answer(500) : count == 2 ? .hold : count == 3 ? .answer(200, "nonsense") : .answer(403)
        }
        try await Self.run(
            server, options: { ($0.limit, $0.acceptsWithoutAnswer) = (.milliseconds(500), true) }
        ) { fixture in
            var statuses: [Int] = []
            for name in ["a", "b", "c", "d"] {
                statuses.append(try await fixture.receiver.request("PUT /\(name)", [], "1").status)
            }
            #expect(statuses == [201, 201, 503, 403] && fixture.names == ["a", "b"])
            #expect(try await fixture.messages("upload.stored", 2).count == 2)
        }
    }

    @Test func `A form is asked about once, and its files and fields are reported`() async throws {
        let server = try HookServer { type, count in
            type != "upload.asked" ? .answer(200) : .answer(200, count == 1 ? #"{"folder":"in"}"# : #"{"name":"x"}"#)
        }
        try await Self.run(server) { fixture in
            let body = formBody([("title", "x"), ("f;a.txt", "1"), ("g;b.txt", "2")])
            #expect(try await fixture.receiver.request("POST /", Self.form, body).status == 201)
            let asked = try await fixture.messages("upload.asked")[0]
            #expect(asked.data["name"] == nil && asked.data["length"] as? Int == body.utf8.count)
            let stored = try await fixture.messages("upload.stored")[0]
            #expect(
                stored.text.contains(
                    #""fields":[{"name":"title","value":"x"}],"fieldsIn":"in/a.txt.form.json","files":["#))
            #expect(fixture.names == ["in/a.txt", "in/a.txt.form.json", "in/b.txt"])
            // A form's files have their own names.
            #expect(try await fixture.receiver.request("POST /", Self.form, body).status == 503)
        }
    }

    @Test func `A resumable upload is asked about when it begins, and keeps the answer`() async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        let answer = HookServer.Reply.answer(200, #"{"name":"n/x.txt","metadata":{"order":"17"}}"#)
        let places = Local([String]())
        let first = try HookServer { _, _ in answer }
        try await Self.run(first, in: folder, uploads: uploads) { fixture in
            let metadata = "Upload-Metadata: filename YS50eHQ=,order MTc="
            let tus = try await fixture.receiver.request(
                "POST /", ["Tus-Resumable: 1.0.0", "Upload-Length: 2", metadata])
            let draft = [Self.version, "Upload-Complete: ?0", "Content-Disposition: attachment; filename=b.txt"]
            let ietf = try await fixture.receiver.request("POST /", draft)
            places.value = [try #require(tus.field("Location")), try #require(ietf.field("Location"))]
            let asked = try await fixture.messages("upload.asked", 2)
            #expect(asked[0].data["protocol"] as? String == "tus" && asked[0].data["name"] as? String == "a.txt")
            #expect(asked[0].text.contains(#"{"name":"order","value":"17"}"#) && asked[0].data["length"] as? Int == 2)
            #expect(asked[1].data["protocol"] as? String == "ietf" && asked[1].data["name"] as? String == "b.txt")
        }
        // In another process, which asks no more.
        let second = try HookServer()
        try await Self.run(second, in: folder, uploads: uploads) { fixture in
            #expect(try await fixture.receiver.request("PATCH \(places.value[0])", Self.octets, "12").status == 204)
            #expect(try await fixture.receiver.request("PATCH \(places.value[1])", Self.partial, "34").status == 201)
            let stored = try await fixture.messages("upload.stored", 2)
            #expect(stored.allSatisfy { $0.data["metadata"] as? [String: String] == ["order": "17"] })
            #expect(fixture.server.messages("upload.asked").isEmpty)
            // The metadata of tus is kept beside its file.
            #expect(fixture.names == ["n/x (1).txt", "n/x.txt", "n/x.txt.form.json"])
        }
    }

    @Test func `A resumable upload in one request is asked about once`() async throws {
        try await Self.run(try HookServer()) { fixture in
            let fields = [Self.version, "Upload-Complete: ?1", "Content-Disposition: attachment; filename=b.txt"]
            let given = try await fixture.receiver.status("POST /", fields, "1")
            #expect(given == 201)
            #expect(try await fixture.messages("upload.stored").count == 1)
            #expect(fixture.server.messages.count == 2)
        }
    }

    @Test func `A cancelled upload, and one that can't begin, are reported`() async throws {
        try await Self.run(try HookServer(), receiver: { $0.limits.bodyBytes = 10 }) { fixture in
            let draft = [Self.version, "Upload-Complete: ?0"]
            let place = try await fixture.receiver.begin("POST /", draft)
            #expect(try await fixture.receiver.request("DELETE \(place)", [Self.version]).status == 204)
            let failed = try await fixture.messages("upload.failed")[0]
            #expect(failed.data["detail"] as? String == "The client cancelled the upload.")
            let id = try #require(fixture.server.messages("upload.asked")[0].data["upload"] as? String)
            #expect(failed.head["webhook-id"] == "\(id)-failed")
            #expect(failed.data["status"] as? Int == 499)
        }
    }

    @Test func `An upload that tus cancels by another method's name is reported`() async throws {
        try await Self.run(try HookServer()) { fixture in
            let tus = ["Tus-Resumable: 1.0.0"]
            let place = try await fixture.receiver.begin("POST /", tus + ["Upload-Length: 5"])
            let delete = ["X-HTTP-Method-Override: DELETE", "Content-Length: 0"]
            #expect(try await fixture.receiver.request("POST \(place)", tus + delete).status == 204)
            #expect(try await fixture.messages("upload.failed")[0].data["status"] as? Int == 499)
        }
    }

    @Test func `A client that goes away is reported`() async throws {
        try await Self.run(try HookServer()) { fixture in
            let connection = try fixture.receiver.connect()
            await connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n1")
            _ = try await fixture.messages("upload.asked")
            await connection.cut()
            let failed = try await fixture.messages("upload.failed")[0]
            #expect(failed.data["status"] as? Int == 400 && fixture.names == [])
        }
    }

    @Test func `A report is sent until it is accepted, with the same id and bytes`() async throws {
        let server = try HookServer { type, count in type == "upload.asked" || count > 3 ? .answer(200) : .answer(500) }
        try await Self.run(server) { fixture in
            _ = try await fixture.receiver.request("PUT /a", [], "1")
            let stored = try await fixture.messages("upload.stored", 4)
            #expect(stored.count == 4 && Set(stored.map(\.body)).count == 1)
            #expect(Set(stored.compactMap { $0.head["webhook-id"] }).count == 1)
            #expect(try await fixture.receiver.eventually { fixture.waiting.isEmpty })
        }
    }

    @Test func `Reports whose answers stall are sent again, and keep no upload from being asked about`() async throws {
        let server = try HookServer { type, count in
            type == "upload.stored" && count <= 20
                ? .stall("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{") : .answer(204)
        }
        try await Self.run(server, options: { $0.limit = .seconds(2) }) { fixture in
            for index in 0..<20 {
                #expect(try await fixture.receiver.status("PUT /a\(index).txt", [], "hello") == 201)
            }
            let areSentAgain = try await fixture.receiver.eventually {
                let reports = server.messages("upload.stored")
                return reports.count >= 40 && Set(reports.compactMap { $0.head["webhook-id"] }).count == 20
            }
            #expect(areSentAgain)
        }
    }

    @Test(arguments: [true, false])
    func `The next receiver sends what is left, or gives up what is too old`(isYoung: Bool) async throws {
        let folder = TemporaryFolder()
        let server = try HookServer { type, _ in type == "upload.asked" ? .answer(200) : .answer(503) }
        try await Self.run(server, in: folder, options: { $0.firstDelay = .seconds(600) }) { fixture in
            _ = try await fixture.receiver.request("PUT /a", [], "1")
            _ = try await fixture.messages("upload.stored")
            #expect(fixture.waiting.count == 1)
        }
        let next = try HookServer()
        try await Self.run(next, in: folder, options: { if !isYoung { $0.keepTime = .seconds(-1) } }) { fixture in
            let isSo = try await fixture.receiver.eventually { fixture.waiting.isEmpty }
            #expect(isSo)
        }
        #expect(next.messages.map(\.type) == (isYoung ? ["upload.stored"] : []))
        #expect(next.messages.allSatisfy { $0.text.contains(#""name":"a""#) })
    }

    @Test func `A receiver gives up its own reports, too`() async throws {
        let server = try HookServer { type, _ in type == "upload.asked" ? .answer(200) : .answer(410) }
        try await Self.run(server, options: { $0.keepTime = .seconds(-1) }) { fixture in
            #expect(try await fixture.receiver.status("PUT /a", [], "1") == 201)
            let isGone = try await fixture.receiver.eventually { fixture.waiting.isEmpty }
            #expect(isGone && fixture.server.messages("upload.stored").isEmpty)
        }
    }
}
