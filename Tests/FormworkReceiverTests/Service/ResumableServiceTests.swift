import Foundation
@testable import FormworkReceiver
import FormworkResumable
import TestSupport
import Testing

/// Uploads that come in pieces, over real connections.
@Suite(.timeLimit(.minutes(10)))
struct ResumableServiceTests {
    private static let version = "Upload-Draft-Interop-Version: 8"
    private static let form = "Content-Type: multipart/form-data; boundary=b"
    private static let partial = "Content-Type: application/partial-upload"

    /// A form with one file of a million bytes.
    private static let body = formBody([
        ("title", "x"), ("f;a.txt", String(repeating: "0123456789", count: 100_000)),
    ])

    private func head(_ receiver: TestReceiver, _ line: String, _ fields: [String]) -> String {
        (["\(line) HTTP/1.1", "Host: localhost:\(receiver.port)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Begins an upload, has some of it arrive, and is cut; gives the upload's path.
    private func cutUpload(
        _ receiver: TestReceiver, _ store: UploadStore, _ fields: [String] = [], sending count: Int
    ) async throws -> String {
        let connection = try receiver.connect()
        let length = "Content-Length: \(Self.body.utf8.count)"
        await connection.send(
            self.head(receiver, "POST /up", [Self.version, "Upload-Complete: ?1", Self.form, length] + fields))
        let offer = RawAnswer(await connection.receive(until: "\r\n\r\n"))
        #expect(offer.status == 104)
        #expect(offer.field("Upload-Draft-Interop-Version") == "8")
        await connection.send(Array(Self.body.utf8.prefix(count)))
        #expect(try await receiver.eventually { await store.list().last?.offset == Int64(count) })
        await connection.cut()
        return try #require(offer.field("Location"))
    }

    @Test(arguments: [
        ["Upload-Length: 5", "Upload-Defer-Length: 1"], ["Upload-Length: 5", "Upload-Defer-Length: 2"],
        ["Upload-Defer-Length: 2"],
    ])
    func `Contradicting lengths are refused`(fields: [String]) async throws {
        try await TestReceiver.resuming { receiver, store in
            let given = try await receiver.status("POST /up", ["Tus-Resumable: 1.0.0"] + fields, "")
            #expect(given == 400)
            #expect(await store.list().isEmpty)
        }
    }

    @Test func `A file that is too large is refused before its bytes arrive, and a form may be larger`() async throws {
        try await TestReceiver.resuming({ ($0.limits.fileBytes, $0.limits.bodyBytes) = (10, 1000) }) {
            receiver, store in
            let (tus, name) = ("Tus-Resumable: 1.0.0", "Upload-Metadata: filename YQ==")
            #expect(try await receiver.request("POST /", [tus, "Upload-Length: 11", name]).status == 413)
            let begin = [Self.version, "Upload-Complete: ?0"]
            #expect(try await receiver.request("PUT /a", begin + ["Upload-Length: 11"]).status == 413)
            // A PUT's body isn't read as a form.
            #expect(try await receiver.request("PUT /a", begin + [Self.form, "Upload-Length: 11"]).status == 413)
            #expect(await store.list().isEmpty)
            let form = try await receiver.request("POST /", begin + [Self.form, "Upload-Length: 11"])
            #expect(form.status == 201 && form.field("Upload-Limit")?.contains("max-size=1000") == true)
            #expect(try await receiver.request("OPTIONS /", [tus]).field("Tus-Max-Size") == "1000")

            let file = try await receiver.request("PUT /a", begin, "hello")
            #expect(file.status == 201 && file.field("Upload-Limit")?.contains("max-size=10,") == true)
            let append = [Self.version, Self.partial, "Upload-Offset: 5", "Upload-Complete: ?0"]
            let path = try #require(file.field("Location"))
            let connection = try receiver.connect()
            // The chunk's end never arrives.
            await connection.send(
                self.head(receiver, "PATCH \(path)", append + ["Transfer-Encoding: chunked"]) + "ff\r\n there")
            #expect(RawAnswer(await connection.receiveAll()).final.status == 413)
            #expect(await store.list().count == 1)
        }
    }

    @Test func `A field that can't be read isn't called missing`() async throws {
        try await TestReceiver.resuming { receiver, _ in
            let path = try await receiver.begin("PUT /a", [Self.version, "Upload-Complete: ?0"], "a")
            for (fields, words) in [
                (["Upload-Offset: -5", "Upload-Complete: ?1"], "Upload-Offset is not a number of bytes"),
                (["Upload-Offset: 1", "Upload-Complete: yes"], "Upload-Complete is not ?0 or ?1."),
                (["Upload-Complete: ?1"], "Upload-Offset is missing."),
                (["Upload-Offset: 1"], "Upload-Complete is missing."),
            ] {
                let answer = try await receiver.request("PATCH \(path)", [Self.version, Self.partial] + fields, "x")
                #expect(answer.status == 400 && answer.body.contains(words), "\(answer.body)")
            }
        }
    }

    @Test func `A folder that was moved gets no uploads in another at its path, and those begun continue in it`()
        async throws
    {
        let (place, other) = (TemporaryFolder(), TemporaryFolder())
        let (folder, moved) = (place.path.appending("in"), place.path.appending("moved"))
        let manager = FileManager.default
        let storage = try FolderStorage(folder)
        let uploads = folder.appending(".formwork-resumable")
        let store = try UploadStore(uploads, makesFolder: false, mayBeLink: false)
        try await TestReceiver.run(storage: storage, store: store) { receiver in
            let begin = [Self.version, "Upload-Complete: ?0"]
            let path = try await receiver.begin("PUT /a", begin, "hel")
            let append = [Self.version, Self.partial, "Upload-Offset: 3", "Upload-Complete: ?1"]
            try manager.moveItem(atPath: folder.string, toPath: moved.string)
            try manager.createSymbolicLink(atPath: folder.string, withDestinationPath: other.path.string)
            for makesFolder in [false, true] {
                if makesFolder {
                    try manager.createDirectory(
                        atPath: other.path.appending(".formwork-resumable").string, withIntermediateDirectories: false)
                }
                #expect(try await receiver.request("PUT /b", begin, "b").status == 503)
                #expect(try await receiver.request("PATCH \(path)", append, "lo").status == 503)
                #expect(try await receiver.request("DELETE \(path)", [Self.version]).status == 503)
            }
            #expect(other.names == [".formwork-resumable"])
            #expect(try manager.contentsOfDirectory(atPath: uploads.string) == [])
            #expect(try await receiver.request("PUT /c", [], "c").status == 503)
            try manager.removeItem(atPath: folder.string)
            try manager.moveItem(atPath: moved.string, toPath: folder.string)
            #expect(try await receiver.request("PATCH \(path)", append, "lo").status == 201)
            #expect(try contents(of: folder.appending("a")) == Array("hello".utf8))
            #expect(try await receiver.request("PUT /c", [], "c").status == 201)
        }
    }

    @Test func `A cut upload continues in a new process, and is answered like a whole one`() async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        let path = Local("")
        let first = UploadStore(uploads.path)
        try await TestReceiver.run(in: folder, store: first) { receiver in
            path.value = try await self.cutUpload(receiver, first, sending: 300_000)
        }
        #expect(folder.names == [])
        let second = UploadStore(uploads.path)
        try await TestReceiver.run(in: folder, store: second) { receiver in
            let told = try await receiver.request("HEAD \(path.value)", [Self.version])
            #expect(told.status == 204 || told.status == 200)
            #expect(told.field("Upload-Offset") == "300000" && told.field("Upload-Complete") == "?0")
            #expect(told.field("Cache-Control") == "no-store")
            let wrong = try await receiver.request(
                "PATCH \(path.value)",
                [Self.version, Self.partial, "Upload-Offset: 299999", "Upload-Complete: ?1"],
                "x")
            #expect(wrong.status == 409 && wrong.field("Upload-Offset") == "300000")
            #expect(receiver.log.all.count { $0.hasPrefix("refused ") && $0.contains("status=409") } == 1)
            let rest = String(decoding: Self.body.utf8.dropFirst(300_000), as: UTF8.self)
            let fields = [Self.version, Self.partial, "Upload-Offset: 300000", "Upload-Complete: ?1"]
            let answer = try await receiver.request("PATCH \(path.value)", fields, rest)
            #expect(answer.status == 201)
            #expect(
                answer.body.hasPrefix(
                    #"{"fields":[{"name":"title","value":"x"}],"fieldsIn":"a.txt.form.json","files":[{"field":"f","name":"a.txt""#
                ))
            #expect(answer.body.contains(#""size":1000000"#))
            // A client that lost the answer gets it again, and nothing is stored twice.
            let again = try await receiver.request(
                "PATCH \(path.value)",
                [
                    Self.version, Self.partial, "Upload-Offset: \(Self.body.utf8.count)", "Upload-Complete: ?1",
                    "Content-Length: 0",
                ])
            #expect(again.status == 201 && again.body == answer.body)
            #expect(folder.names == ["a.txt", "a.txt.form.json"])
            let text = try folder.text(of: "a.txt")
            #expect(text.utf8.count == 1_000_000 && text.hasPrefix("01234") && text.hasSuffix("56789"))
        }
    }

    @Test func `The log says what happens to an upload before it is complete`() async throws {
        var options = UploadStoreOptions()
        options.lifetime = 1
        try await TestReceiver.resuming(options: options) { receiver, store in
            let begin = [Self.version, "Upload-Complete: ?0"]
            func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
            func has(_ event: String, _ path: String) -> Bool {
                receiver.log.all.contains { $0.hasPrefix("upload \(event) ") && $0.contains("upload=\(name(path))") }
            }
            let cut = try await self.cutUpload(receiver, store, sending: 1_000)
            #expect(try await receiver.eventually { has("cut", cut) })
            let path = try await receiver.begin("PUT /a", begin, "hel")
            let append = [Self.version, Self.partial, "Upload-Offset: 3", "Upload-Complete: ?0"]
            #expect(try await receiver.request("PATCH \(path)", append, "l").status == 204)
            #expect(has("begun", cut) && has("begun", path) && has("continues", path))
            let other = try await receiver.begin("PUT /a", begin, "hel")
            #expect(try await receiver.request("DELETE \(other)", [Self.version]).status == 204)
            #expect(has("cancelled", other))
            #expect(
                try await receiver.eventually {
                    await store.removeExpired()
                    return has("expired", path) && has("expired", cut)
                })
        }
    }

    @Test func `A client that asks first is offered to resume, and gets its 100 too`() async throws {
        try await TestReceiver.resuming { receiver, _ in
            let connection = try receiver.connect()
            await connection.send(
                self.head(
                    receiver, "POST /up",
                    [
                        Self.version, "Upload-Complete: ?1", Self.form, "Content-Length: \(Self.body.utf8.count)",
                        "Expect: 100-continue", "Connection: close",
                    ]))
            #expect(RawAnswer(await connection.receive(until: "\r\n\r\n")).status == 104)
            #expect(RawAnswer(await connection.receive(until: "\r\n\r\n")).status == 100)
            await connection.send(Self.body)
            // On a slow machine there may be a 104 of progress before.
            let answer = RawAnswer(await connection.receiveAll()).final
            #expect(answer.status == 201 && answer.field("Upload-Complete") == "?1")
            #expect(receiver.folder.names == ["a.txt", "a.txt.form.json"])
        }
    }

    @Test func `A body in chunks that is cut doesn't count as complete`() async throws {
        try await TestReceiver.resuming { receiver, store in
            for resets in [false, true] {
                let connection = try receiver.connect()
                await connection.send(
                    self.head(
                        receiver, "POST /up",
                        [
                            Self.version, "Upload-Complete: ?1", "Content-Type: text/plain",
                            "Transfer-Encoding: chunked",
                        ]))
                let offer = RawAnswer(await connection.receive(until: "\r\n\r\n"))
                await connection.send("5\r\nhello\r\n")
                #expect(try await receiver.eventually { await store.list().last?.offset == 5 })
                if resets { await connection.cut() } else { await connection.finishSending() }
                _ = await connection.receiveAll()
                let path = try #require(offer.field("Location"))
                let told = try await receiver.request("HEAD \(path)", [Self.version])
                #expect(told.field("Upload-Offset") == "5" && told.field("Upload-Complete") == "?0")
                #expect(receiver.folder.names == [])
                let answer = try await receiver.request(
                    "PATCH \(path)", [Self.version, Self.partial, "Upload-Offset: 5", "Upload-Complete: ?1"],
                    " there")
                #expect(answer.status == 201 && answer.body.contains(#""size":11"#))
                try receiver.folder.empty()
            }
        }
    }

    @Test func `Without the token, a client can neither begin nor resume an upload`() async throws {
        try await TestReceiver.resuming({ $0.token = try AccessToken("secret") }) { receiver, store in
            let begin = [Self.version, "Upload-Complete: ?1", Self.form]
            #expect(try await receiver.request("POST /up", begin, Self.body).status == 401)
            #expect(await store.list() == [])
            let path = try await self.cutUpload(
                receiver, store, ["Authorization: Bearer secret"], sending: 1000)
            #expect(try await receiver.request("HEAD \(path)", [Self.version]).status == 401)
            let append = [Self.version, Self.partial, "Upload-Offset: 1000", "Upload-Complete: ?0"]
            #expect(try await receiver.request("PATCH \(path)", append, "x").status == 401)
            #expect(try await receiver.request("DELETE \(path)", [Self.version]).status == 401)
            let known = [Self.version, "Authorization: Bearer secret"]
            #expect(try await receiver.request("HEAD \(path)", known).field("Upload-Offset") == "1000")
            #expect(try await receiver.request("DELETE \(path)", known).status == 204)
            #expect(try await receiver.request("HEAD \(path)", known).status == 404)
        }
    }

    @Test func `A file comes by tus in two pieces, under the name that it was given`() async throws {
        try await TestReceiver.resuming { receiver, _ in
            let tus = "Tus-Resumable: 1.0.0"
            let abilities = try await receiver.request("OPTIONS /", [tus])
            #expect(abilities.field("Tus-Version") == "1.0.0")
            let path = try await receiver.begin(
                "POST /", [tus, "Upload-Length: 11", "Upload-Metadata: filename YS50eHQ=", "Content-Length: 0"])
            let type = "Content-Type: application/offset+octet-stream"
            let first = try await receiver.request("PATCH \(path)", [tus, type, "Upload-Offset: 0"], "hello")
            #expect(first.status == 204 && first.field("Upload-Offset") == "5")
            let last = try await receiver.request("PATCH \(path)", [tus, type, "Upload-Offset: 5"], " there")
            #expect(last.status == 204 && last.field("Upload-Offset") == "11")
            #expect(receiver.folder.names == ["a.txt"])
            #expect(try receiver.folder.text(of: "a.txt") == "hello there")
        }
    }

    @Test func `Every request with bytes needs a slot`() async throws {
        try await TestReceiver.resuming({ $0.limits.uploads = 1 }) { receiver, store in
            let tus = "Tus-Resumable: 1.0.0"
            let path = try await receiver.begin("POST /", [tus, "Upload-Length: 5", "Content-Length: 0"])
            let first = try receiver.connect()
            await first.send(self.head(receiver, "PUT /a", ["Content-Length: 2"]) + "1")
            #expect(try await receiver.isReceiving())
            let append = [
                tus, "Upload-Offset: 0", "X-HTTP-Method-Override: PATCH",
                "Content-Type: application/offset+octet-stream",
            ]
            #expect(try await receiver.request("POST \(path)", append, "hello").status == 503)
            // tusd reads the field with POST alone too.
            #expect(try await receiver.request("GET \(path)", append, "hello").status == 405)
            let begin = [Self.version, "Upload-Complete: ?0"]
            #expect(try await receiver.request("REPORT /b", begin, "hello").status == 503)
            #expect(await store.list().map(\.offset) == [0])
            #expect(try await receiver.request("HEAD \(path)", [tus]).field("Upload-Offset") == "0")
            await first.send("2")
            #expect(await first.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
            #expect(try await receiver.request("POST \(path)", append, "hello").status == 204)
        }
    }

    @Test func `An invalid form fails like a whole upload, and can't be completed twice`() async throws {
        try await TestReceiver.resuming { receiver, _ in
            let fields = [Self.version, "Upload-Complete: ?1", Self.form]
            let given = try await receiver.status("POST /up", fields, "no form at all")
            #expect(given == 400)
            #expect(receiver.log.all.count { $0.contains("status=400") } == 1, "\(receiver.log.all)")
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `Without a store uploads can't be resumed, and whole ones are accepted`() async throws {
        try await TestReceiver.run { receiver in
            #expect(try await receiver.request("HEAD /.uploads/x", [Self.version]).status == 404)
            let fields = [Self.version, "Upload-Complete: ?1", Self.form]
            let answer = try await receiver.request("POST /up", fields, Self.body)
            #expect(answer.status == 201 && answer.field("Upload-Complete") == nil)
        }
    }
}
