import Formwork
import NIOCore
import TestSupport
import Testing

@testable import FormworkReceiver

/// Messages that appear in a folder together with the files that they are about.
@Suite(.timeLimit(.minutes(10))) struct FolderRecordBoxTests {
    private let folder = TemporaryFolder()

    private func notice(_ box: FolderRecordBox) -> StoredNotice {
        StoredNotice(box: box, name: "0f-stored") { names in
            var upload = HookEvent.Upload(upload: "0f", protocol: "tus", method: "POST", path: "/", peer: "::1")
            upload.files = names.map { UploadReceipt.File(name: $0, size: 1) }
            return HookEvent(.stored, upload, timestamp: "2026-01-01T00:00:00Z")
        }
    }

    private func store(_ box: FolderRecordBox, in storage: FolderStorage, isForm: Bool) async throws -> [String] {
        let upload = try await storage.begin(IncomingFile(try #require(SafePath("a"))))
        try await upload.write(ByteBuffer(string: "1"))
        let path = try #require(SafePath("a.form.json"))
        return try await storage.publish(
            [upload], record: { _ in isForm ? FormRecord(path: path, bytes: [0x7B, 0x7D]) : nil },
            notice: self.notice(box))
    }

    private func names(_ box: FolderRecordBox) async throws -> [String] { try await box.list().map(\.name).sorted() }

    @Test(arguments: [false, true], [false, true])
    func `A message that is there already is replaced`(replacing: Bool, isForm: Bool) async throws {
        let box = try FolderRecordBox(in: self.folder.path)
        let storage = try FolderStorage(self.folder.path, replacing: replacing)
        try await box.put(Array("old".utf8), "0f-stored")
        let first = try await self.store(box, in: storage, isForm: isForm)
        #expect(first == (isForm ? ["a", "a.form.json"] : ["a"]))
        #expect(try await self.names(box) == ["0f-stored"])
        let second = try await self.store(box, in: storage, isForm: isForm)
        let name = replacing ? "a" : "a (1)"
        #expect(second == (isForm ? [name, replacing ? "a.form.json" : "a (1).form.json"] : [name]))
        #expect(try await self.names(box) == ["0f-stored"])
        let bytes = try #require(try await box.get("0f-stored"))
        let event = try #require(Notice(bytes)).event
        #expect(event.data.files?.map(\.name) == second)
    }
}
