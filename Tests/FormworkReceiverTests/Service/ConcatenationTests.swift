import FormworkResumable
import Foundation
import TestSupport
import Testing

@testable import FormworkReceiver

/// Files that arrive as several tus uploads at once, which the client then has joined.
@Suite(.timeLimit(.minutes(10)))
struct ConcatenationTests {
    private static let tus = "Tus-Resumable: 1.0.0"
    private static let octets = "Content-Type: application/offset+octet-stream"
    private static let name = "Upload-Metadata: filename YS50eHQ=,author Qm9i"

    /// Begins a part, and sends its first bytes.
    private static func part(
        _ receiver: TestReceiver, _ text: String, of length: Int? = nil, at path: String = "/"
    ) async throws -> String {
        let fields = [Self.tus, "Upload-Concat: partial", "Upload-Length: \(length ?? text.utf8.count)", Self.octets]
        return try await receiver.begin("POST \(path)", fields, text)
    }

    private static func join(
        _ receiver: TestReceiver, _ parts: [String], _ fields: [String] = [name], at path: String = "/"
    ) async throws -> RawAnswer {
        let list = "Upload-Concat: final;\(parts.joined(separator: " "))"
        return try await receiver.request("POST \(path)", [Self.tus, list] + fields)
    }

    @Test func `Parts become one file, once, with the metadata of the whole`() async throws {
        try await TestReceiver.resuming { receiver, store in
            let options = try await receiver.request("OPTIONS /", [Self.tus])
            #expect(options.field("Tus-Extension")?.split(separator: ",").contains("concatenation") == true)
            let first = try await Self.part(receiver, "hel", of: 5)
            let second = try await Self.part(receiver, " there")
            let append = [Self.tus, Self.octets, "Upload-Offset: 3"]
            #expect(try await receiver.request("PATCH \(first)", append, "lo").status == 204)
            let part = try await receiver.request("HEAD \(first)", [Self.tus])
            #expect(part.status == 200 && part.field("Upload-Concat") == "partial")
            #expect(part.field("Upload-Offset") == "5" && part.field("Upload-Length") == "5")
            #expect(receiver.folder.names == [])

            let absolute = "http://localhost:\(receiver.port)\(second)"
            let joined = try await Self.join(receiver, [first, absolute])
            #expect(joined.status == 201, "\(joined)")
            let path = try #require(joined.field("Location"))
            #expect(try receiver.folder.text(of: "a.txt") == "hello there")
            #expect(try receiver.folder.text(of: "a.txt.form.json").contains(#"{"name":"author","value":"Bob"}"#))
            let whole = try await receiver.request("HEAD \(path)", [Self.tus])
            #expect(whole.status == 200 && whole.field("Upload-Offset") == "11" && whole.field("Upload-Length") == "11")
            #expect(whole.field("Upload-Concat") == "final;\(first) \(second)")
            for offset in [0, 11] {
                let append = [Self.tus, Self.octets, "Upload-Offset: \(offset)"]
                #expect(try await receiver.request("PATCH \(path)", append, "x").status == 403)
            }
            // The client lost the answer.
            let again = try await Self.join(receiver, [first, second])
            #expect(again.status == 201 && again.field("Location") == path)
            #expect(receiver.folder.names == ["a.txt", "a.txt.form.json"])
            #expect(try await receiver.request("HEAD \(first)", [Self.tus]).status == 404)
            #expect(await store.list().count == 1)
        }
    }

    @Test func `Parts that can't be joined are refused, and stay`() async throws {
        try await TestReceiver.resuming({ $0.limits.fileBytes = 10 }) { receiver, store in
            let whole = try await Self.part(receiver, "12345")
            let open = try await Self.part(receiver, "123", of: 5)
            let long = try await Self.part(receiver, "1234567")
            let usual = try await receiver.begin("POST /", [Self.tus, "Upload-Length: 5", Self.octets], "123")
            for (parts, reason) in [
                ([whole, open], "aren't all complete"), ([whole, usual], "aren't all complete"),
                ([whole, "/.uploads/0"], "not all there"), ([], "Upload-Concat"), ([whole, whole], "Upload-Concat"),
            ] {
                let refused = try await Self.join(receiver, parts)
                #expect(refused.status == 400 && refused.body.contains(reason), "\(refused)")
            }
            #expect(try await Self.join(receiver, [whole, long]).status == 413)
            let content = [Self.tus, "Upload-Concat: final;\(whole)", Self.octets]
            #expect(try await receiver.request("POST /", content, "x").status == 403)
            for value in ["", "Final;\(whole)", "final", "partial;\(whole)"] {
                let fields = [Self.tus, "Upload-Concat: \(value)", "Upload-Length: 5"]
                #expect(try await receiver.request("POST /", fields).status == 400, "\(value)")
            }
            #expect(await store.list().map(\.offset).sorted() == [3, 3, 5, 7])
            #expect(receiver.folder.names == [])
            #expect(try await Self.join(receiver, [whole]).status == 201)
        }
    }

    @Test func `The parts count as unfinished uploads, and their whole not again`() async throws {
        var options = UploadStoreOptions()
        options.maximumTotalSize = 12
        try await TestReceiver.resuming(options: options) { receiver, _ in
            let parts = [try await Self.part(receiver, "12345"), try await Self.part(receiver, "678901")]
            let fields = [Self.tus, "Upload-Concat: partial", "Upload-Length: 2"]
            #expect(try await receiver.request("POST /", fields).status == 503)
            #expect(try await Self.join(receiver, parts).status == 201)
            #expect(try receiver.folder.text(of: "a.txt") == "12345678901")
        }
    }

    @Test func `A form may arrive in parts`() async throws {
        try await TestReceiver.resuming { receiver, _ in
            let body = formBody([("title", "x"), ("f;b.txt", String(repeating: "0123456789", count: 200_000))])
            let (first, second) = (body.prefix(1_000_000), body.dropFirst(1_000_000))
            let parts = [
                try await Self.part(receiver, String(first)), try await Self.part(receiver, String(second)),
            ]
            let type = Data("multipart/form-data; boundary=b".utf8).base64EncodedString()
            let joined = try await Self.join(receiver, parts, ["Upload-Metadata: content-type \(type)"])
            #expect(joined.status == 201, "\(joined)")
            #expect(receiver.folder.names == ["b.txt", "b.txt.form.json"])
            #expect(try receiver.folder.text(of: "b.txt").utf8.count == 2_000_000)
        }
    }

    @Test func `Parts whose storing fails are joined when the client asks again`() async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        let parts = Local([String]())
        let failing = FailingStorage(base: try FolderStorage(folder.path), fault: .committing("a.txt"))
        try await TestReceiver.run(in: folder, storage: failing, store: UploadStore(uploads.path)) { receiver in
            let both = [try await Self.part(receiver, "hello"), try await Self.part(receiver, " there")]
            parts.value = both
            for _ in 0..<2 { #expect(try await Self.join(receiver, both).status == 500) }
        }
        #expect(folder.names == [])
        try await TestReceiver.run(in: folder, store: UploadStore(uploads.path)) { receiver in
            let joined = try await Self.join(receiver, parts.value)
            #expect(joined.status == 201)
            #expect(folder.names == ["a.txt", "a.txt.form.json"])
        }
        withExtendedLifetime(uploads) {}
    }

    @Test func `A receiver joins the parts that others received into a bucket`() async throws {
        let store = try FakeStore()
        try await BucketUploadsTests.with(store, receivers: 3) { storages in
            let stores = storages.map { UploadStore(storage: BucketUploads($0)) }
            let parts = Local([String]())
            for (number, text) in ["hello", String(repeating: " there", count: 50)].enumerated() {
                try await TestReceiver.run(storage: storages[number], store: stores[number]) { receiver in
                    let part = try await Self.part(receiver, text)
                    parts.value.append(part)
                }
            }
            try await TestReceiver.run(storage: storages[2], store: stores[2]) { receiver in
                for _ in 0..<2 {
                    let joined = try await Self.join(receiver, parts.value)
                    #expect(joined.status == 201)
                }
            }
        }
        #expect(store.objects["in/a.txt"]?.bytes == Array(("hello" + String(repeating: " there", count: 50)).utf8))
        // Of all uploads only the record of the whole is left.
        #expect(store.objects.keys.count { $0.hasPrefix(BucketUploadsTests.folder) } == 1)
        #expect(store.objects.count == 3 && store.uploads.isEmpty)
    }

    @Test func `A hook is asked about the whole, once`() async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        let server = try HookServer { _, _ in .answer(204) }
        let box = try FolderRecordBox(in: folder.path)
        try await Hooks.with(server, box: box) { hooks in
            try await TestReceiver.run(in: folder, store: UploadStore(uploads.path), hooks: hooks) { receiver in
                let parts = [try await Self.part(receiver, "hello"), try await Self.part(receiver, " there")]
                #expect(server.messages.isEmpty)
                #expect(try await Self.join(receiver, parts).status == 201)
                #expect(server.messages("upload.asked").map { $0.data["length"] as? Int } == [11])
                #expect(try await receiver.eventually { server.messages("upload.stored").count == 1 })
            }
        }
        withExtendedLifetime(uploads) {}
    }
}
