@testable import FormworkResumable
import Foundation
import Logging
import TestSupport
import Testing

@testable import FormworkReceiver

/// Unfinished uploads that are removed without a request of their client's, which a hook hears of.
@Suite(.timeLimit(.minutes(10)))
struct RemovalHookTests {
    private static let tus = "Tus-Resumable: 1.0.0"
    private static let version = "Upload-Draft-Interop-Version: 8"

    private struct Fixture: Sendable {
        let receiver: TestReceiver
        let server: HookServer
        let store: UploadStore
        let box: FolderRecordBox

        func failure() async throws -> HookServer.Message {
            #expect(try await self.receiver.eventually { !self.server.messages("upload.failed").isEmpty })
            return try #require(self.server.messages("upload.failed").first)
        }

        func create(_ length: Int = 5) async throws -> String {
            let answer = try await self.receiver.request("POST /", [RemovalHookTests.tus, "Upload-Length: \(length)"])
            return try #require(answer.field("Location"))
        }

        /// What a receiver that is killed while it removes an upload leaves.
        func leave(_ id: String, removing name: String = "0123456789abcdef0123456789abcdef") async throws {
            let notice = Notice(HookEvent(.failed, .test(id)), removing: name)
            try await self.box.put(notice.bytes, notice.event.id)
        }
    }

    private static func run(
        maximumSize: Int64? = nil, maximumCount: Int = 1_000, intentAge: Double = 900,
        _ test: @escaping @Sendable (Fixture) async throws -> Void
    ) async throws {
        let (folder, uploads, server) = (TemporaryFolder(), TemporaryFolder(), try HookServer())
        var kept = UploadStoreOptions()
        (kept.limits.maxSize, kept.maximumCount, kept.idleTime) = (maximumSize, maximumCount, 0)
        let store = UploadStore(uploads.path, options: kept)
        let storage = try FolderStorage(folder.path)
        let box = try FolderRecordBox(in: folder.path)
        try await Hooks.with(server, box: box, { $0.intentAge = intentAge }) { hooks in
            try await TestReceiver.run(in: folder, storage: storage, store: store, hooks: hooks) { receiver in
                try await test(Fixture(receiver: receiver, server: server, store: store, box: box))
            }
        }
        withExtendedLifetime(uploads) {}
    }

    @Test func `An upload that expires is reported as failed`() async throws {
        try await Self.run { fixture in
            let path = try await fixture.create()
            let id = try #require(fixture.server.messages("upload.asked").first?.data["upload"] as? String)
            #expect(await fixture.store.removeExpired() == 0)
            #expect(await fixture.store.removeExpired(now: Date(timeIntervalSinceNow: 90_000)) == 1)
            let failed = try await fixture.failure()
            #expect(failed.head["webhook-id"] == "\(id)-failed")
            #expect(failed.data["status"] as? Int == 410)
            #expect(failed.data["detail"] as? String == "The upload expired before it was complete.")
            #expect(try await fixture.receiver.request("HEAD \(path)", [Self.tus]).status == 404)
            #expect(try await fixture.receiver.eventually { try await fixture.box.list().isEmpty })
        }
    }

    @Test func `An upload that was stored isn't reported when its answer expires`() async throws {
        try await Self.run { fixture in
            let path = try await fixture.create(1)
            let fields = [Self.tus, "Content-Type: application/offset+octet-stream", "Upload-Offset: 0"]
            #expect(try await fixture.receiver.request("PATCH \(path)", fields, "1").status == 204)
            #expect(await fixture.store.removeExpired(now: Date(timeIntervalSinceNow: 90_000)) == 1)
            #expect(
                try await fixture.receiver.eventually {
                    guard fixture.server.messages("upload.stored").count == 1 else { return false }
                    return try await fixture.box.list().isEmpty
                })
            #expect(fixture.server.messages("upload.failed").isEmpty)
        }
    }

    @Test func `An upload that others displace is reported as failed`() async throws {
        try await Self.run(maximumCount: 1) { fixture in
            _ = try await fixture.create()
            _ = try await fixture.create()
            let failed = try await fixture.failure()
            #expect(failed.data["status"] as? Int == 507)
            let first = fixture.server.messages("upload.asked").first?.data["upload"] as? String
            #expect(first != nil && failed.data["upload"] as? String == first)
        }
    }

    @Test func `An upload that is refused for good is reported as failed`() async throws {
        try await Self.run { fixture in
            let path = try await fixture.receiver.begin(
                "POST /", [Self.version, "Upload-Complete: ?0", "Upload-Length: 2"])
            let fields = [
                Self.version, "Content-Type: application/partial-upload", "Upload-Offset: 0", "Upload-Complete: ?0",
                "Transfer-Encoding: chunked",
            ]
            // More than was announced.
            #expect(try await fixture.receiver.status("PATCH \(path)", fields, "3\r\nabc\r\n0\r\n\r\n") == 400)
            let failed = try await fixture.failure()
            #expect(failed.data["status"] as? Int == 400)
            #expect(try await fixture.receiver.request("HEAD \(path)", [Self.version]).status == 404)
        }
    }

    @Test func `What a killed receiver was removing is looked for once its message is old`() async throws {
        try await Self.run { fixture in
            try await fixture.leave("gone")
            try await Task.sleep(for: .milliseconds(200))
            #expect(fixture.server.messages("upload.failed").isEmpty, "its receiver may be at it still")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -1_000)],
                ofItemAtPath: "\(fixture.receiver.folder.path)/.formwork-hooks/gone-failed.json")
            #expect(try await fixture.failure().head["webhook-id"] == "gone-failed")
        }
    }

    @Test func `What a killed receiver was removing is looked for`() async throws {
        try await Self.run(intentAge: 0) { fixture in
            let path = try await fixture.create()
            let name = String(path.split(separator: "/").last ?? "")
            try await fixture.leave("there", removing: name)
            try await fixture.leave("gone")
            #expect(try await fixture.receiver.eventually { try await fixture.box.list().isEmpty })
            // The one that is still there will expire.
            #expect(fixture.server.messages("upload.failed").map { $0.head["webhook-id"] } == ["gone-failed"])
        }
    }
}
