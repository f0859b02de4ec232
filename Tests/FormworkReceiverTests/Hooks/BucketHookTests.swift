import Formwork
import Logging
import NIOCore
import TestSupport
import Testing

@testable import FormworkReceiver

/// A receiver of a bucket that asks a hook, and reports to it.
@Suite(.timeLimit(.minutes(10)))
struct BucketHookTests {
    private static func storage(_ store: FakeStore) throws -> S3Storage {
        var options = S3Storage.Options()
        options.patience.attempts = 1
        return try S3Storage(testing: store.endpoint, options)
    }

    /// Runs a receiver with a hook.
    private static func run(
        _ store: FakeStore, _ server: HookServer, closes: Bool = true,
        options change: (inout Hooks.Options) -> Void = { _ in },
        _ test: @escaping @Sendable (TestReceiver) async throws -> Void
    ) async throws {
        let storage = try Self.storage(store)
        try await Hooks.with(server, box: BucketRecordBox(storage), change) { hooks in
            try await TestReceiver.run(storage: storage, hooks: hooks, test)
        }
        await storage.close()
        if closes { store.close() }
    }

    private static func waiting(_ store: FakeStore) -> [String] {
        store.objects.keys.filter { $0.hasPrefix("in/.formwork-hooks/") }
    }

    @Test func `An object gets the metadata of the answer, and is reported`() async throws {
        let store = try FakeStore()
        let server = try HookServer { type, _ in
            .answer(200, type == "upload.asked" ? #"{"folder":"x","metadata":{"Order":"17"}}"# : "")
        }
        try await Self.run(store, server) { receiver in
            let given = try await receiver.status("PUT /a", [], "1")
            #expect(given == 201)
            #expect(store.objects["in/x/a"]?.metadata == ["x-amz-meta-order": "17"])
            #expect(try await receiver.eventually { server.messages("upload.stored").count == 1 })
            #expect(server.messages("upload.stored")[0].text.contains(#""files":[{"name":"x/a","sha256""#))
            #expect(try await receiver.eventually { Self.waiting(store).isEmpty })
        }
    }

    @Test func `An object that can't be stored is reported as failed`() async throws {
        // The message, and then the object.
        let store = try FakeStore { operation, count in
            operation == "Put" && count == 2 ? .answer(403, "AccessDenied") : nil
        }
        let server = try HookServer()
        try await Self.run(store, server) { receiver in
            let given = try await receiver.status("PUT /a", [], "1")
            #expect(given == 502)
            #expect(try await receiver.eventually { server.messages("upload.failed").count == 1 })
            #expect(server.messages("upload.failed")[0].data["status"] as? Int == 502)
            #expect(server.messages("upload.stored").isEmpty && store.objects["in/a"] == nil)
            #expect(try await receiver.eventually { Self.waiting(store).isEmpty })
        }
    }

    @Test func `If the message can't be kept, nothing is stored and the name stays free`() async throws {
        let store = try FakeStore { operation, count in
            operation == "Put" && count == 1 ? .answer(403, "AccessDenied") : nil
        }
        let server = try HookServer()
        try await Self.run(store, server) { receiver in
            let given = try await receiver.status("PUT /a", [], "1")
            #expect(given == 502)
            #expect(try await receiver.status("PUT /a", [], "2") == 201)
            #expect(store.objects["in/a"]?.bytes == Array("2".utf8))
        }
    }

    @Test func `If the message with the names can't be kept, the names are looked for`() async throws {
        // The message, the object, and the message with the object's name.
        let store = try FakeStore { operation, count in
            operation == "Put" && count == 3 ? .answer(403, "AccessDenied") : nil
        }
        store.put("in/a.txt")
        let server = try HookServer()
        try await Self.run(store, server) { receiver in
            let given = try await receiver.status("PUT /a.txt", [], "2")
            #expect(given == 201)
            #expect(try await receiver.eventually { server.messages("upload.stored").count == 1 })
            #expect(server.messages("upload.stored")[0].text.contains(#""files":[{"name":"a (1).txt","sha256""#))
            #expect(try await receiver.eventually { Self.waiting(store).isEmpty })
        }
        #expect(server.messages("upload.stored").count == 1 && server.messages("upload.failed").isEmpty)
    }

    @Test func `Another receiver sends what is left`() async throws {
        let store = try FakeStore()
        let deaf = try HookServer { type, _ in type == "upload.asked" ? .answer(200) : .answer(500) }
        try await Self.run(store, deaf, closes: false, options: { $0.firstDelay = .seconds(600) }) { receiver in
            let given = try await receiver.status("PUT /a", [], "1")
            #expect(given == 201)
            #expect(try await receiver.eventually { deaf.messages("upload.stored").count == 1 })
        }
        #expect(Self.waiting(store).count == 1)
        let server = try HookServer()
        try await Self.run(store, server) { receiver in
            let isSo = try await receiver.eventually { Self.waiting(store).isEmpty }
            #expect(isSo)
            #expect(server.messages("upload.stored").map(\.body) == deaf.messages("upload.stored").map(\.body))
        }
    }

    /// What a receiver that is killed while it stores an upload of two files leaves.
    private static func leave(_ id: String, in storage: S3Storage) async throws {
        var upload = HookEvent.Upload(upload: id, protocol: "http", method: "POST", path: "/", peer: "192.0.2.1")
        upload.files = [UploadReceipt.File(name: "a", size: 1), UploadReceipt.File(name: "b", size: 2)]
        let notice = Notice(
            HookEvent(.stored, upload),
            traces: [Notice.Trace(path: "a", mark: "mark-\(id)-a"), Notice.Trace(path: "b", mark: "mark-\(id)-b")])
        try await BucketRecordBox(storage).put(notice.bytes, notice.event.id)
    }

    @Test func `What a killed receiver was storing is looked for`() async throws {
        let store = try FakeStore()
        let storage = try Self.storage(store)
        for id in ["1", "2", "3"] { try await Self.leave(id, in: storage) }
        // All of the first, under other names; one of the second; nothing of the third.
        let client = storage.client
        for (name, mark) in [("a", "other"), ("a (1)", "mark-1-a"), ("b", "mark-1-b"), ("a (2)", "mark-2-a")] {
            _ = try await client.put(ByteBuffer(bytes: [1]), key: "in/\(name)", contentType: nil, marker: mark)
        }
        let server = try HookServer()
        try await Hooks.with(server, box: BucketRecordBox(storage), sweeps: false) { hooks in
            await hooks.sweep()
            for _ in 0..<500 where server.messages.count < 3 || !Self.waiting(store).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        let stored = server.messages("upload.stored")
        #expect(stored.count == 1 && stored[0].data["upload"] as? String == "1")
        #expect(stored[0].text.contains(#""files":[{"name":"a (1)","size":1},{"name":"b","size":2}]"#))
        let failed = server.messages("upload.failed").sorted { $0.text < $1.text }
        #expect(Set(failed.compactMap { $0.data["upload"] as? String }) == ["2", "3"])
        #expect(failed.contains { $0.text.contains(#""files":[{"name":"a (2)","size":1}]"#) })
        #expect(
            failed.allSatisfy {
                $0.data["detail"] as? String == "The receiver was stopped before the files were stored."
            })
        #expect(Self.waiting(store).isEmpty)
        await storage.close()
        store.close()
    }

    @Test func `What another receiver may still be storing is left alone`() async throws {
        let store = try FakeStore()
        let storage = try Self.storage(store)
        try await Self.leave("1", in: storage)
        let server = try HookServer()
        // The store's messages are two days old.
        let change = { (options: inout Hooks.Options) in options.intentAge = 200_000 }
        try await Hooks.with(server, box: BucketRecordBox(storage), sweeps: false, change) { hooks in
            await hooks.sweep()
            #expect(server.messages.isEmpty && Self.waiting(store).count == 1)
        }
        await storage.close()
        store.close()
    }
}
