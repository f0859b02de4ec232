@testable import Formwork
@testable import FormworkReceiver
@testable import FormworkResumable
import Synchronization
import Foundation
import TestSupport
import Testing

/// Room on the disk for uploads that are stored before they become files.
@Suite(.timeLimit(.minutes(10))) struct StoredRoomTests {
    private static let tus = "Tus-Resumable: 1.0.0"
    /// `text/plain`, and `multipart/form-data; boundary=b`.
    private static let (text, form) = ("dGV4dC9wbGFpbg==", "bXVsdGlwYXJ0L2Zvcm0tZGF0YTsgYm91bmRhcnk9Yg==")

    /// Runs a test against a receiver that uses half of the free disk.
    /// - Parameter length: Given to the test: more than a third of the free disk.
    private func withHalf(
        _ test: @escaping @Sendable (TestReceiver, _ length: Int64) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        let room = try #require(DiskSpace.available(at: folder.path))
        let storage = try FolderStorage(folder.path, freeBytes: room / 2)
        let store = UploadStore(folder.path.appending(".formwork-resumable"))
        try await TestReceiver.run(in: folder, storage: storage, store: store) { receiver in
            try await test(receiver, room / 20 * 7)
        }
    }

    @Test func `A form needs room for its files too, a file only for itself`() async throws {
        try await self.withHalf { receiver, length in
            for (type, expected) in [(Self.form, 507), (Self.text, 201)] {
                let metadata = "Upload-Metadata: filename YS50eHQ=,filetype \(type)"
                let answer = try await receiver.request(
                    "POST /", [Self.tus, "Upload-Length: \(length)", metadata, "Content-Length: 0"])
                #expect(answer.status == expected, "\(type)")
                #expect((answer.field("Location") != nil) == (expected == 201))
            }
        }
    }

    @Test func `A length that is announced late is checked then`() async throws {
        try await self.withHalf { receiver, length in
            for (type, expected) in [(Self.form, 507), (Self.text, 204)] {
                let metadata = "Upload-Metadata: filename YS50eHQ=,filetype \(type)"
                let path = try await receiver.begin(
                    "POST /", [Self.tus, "Upload-Defer-Length: 1", metadata, "Content-Length: 0"])
                let append = [
                    Self.tus, "Content-Type: application/offset+octet-stream", "Upload-Offset: 0",
                    "Upload-Length: \(length)",
                ]
                #expect(try await receiver.request("PATCH \(path)", append, "hello").status == expected, "\(type)")
            }
        }
    }

    @Test func `A body without a length takes nothing of what must stay free`() async throws {
        let bench = HandlerBench()
        var handler = try bench.handler()
        // Room for three bytes.
        handler.hasRoom = { $0.missing <= 3 }
        let fields: HTTPFields = [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"]
        for (text, status) in [("abcd", 507), ("abc", 201)] {
            let answer = try await bench.answer(.post, "/files", fields, TestBody(text), by: handler)
            #expect(answer.response.status.code == status, "\(text)")
            // It is kept, so that it can continue when there is room.
            #expect(answer.response.headerFields[.uploadOffset] == (status == 507 ? "0" : "3"))
            #expect(answer.response.headerFields[.location]?.hasPrefix("/.uploads/") == true)
        }
        #expect(await UploadStore(bench.folder).list().count == 2)
    }

    @Test func `An upload that runs out of room is released, for other receivers and for removal`() async throws {
        let bench = HandlerBench()
        let tus: HTTPFields = [.tusResumable: "1.0.0"]
        var create = tus
        (create[.uploadLength], create[.contentLength]) = ("5", "0")
        let location = try await bench.begin(create)
        var append = tus
        (append[.uploadOffset], append[.contentType]) = ("0", "application/offset+octet-stream")
        // Others take the room while the bytes arrive, and give it back later.
        let asked = Mutex(0)
        var handler = try bench.handler()
        handler.hasRoom = { room in
            asked.withLock { count in
                count += 1
                return count == 1 || room.length > 0
            }
        }
        let answer = try await bench.answer(.patch, location, append, TestBody("hello"), by: handler)
        #expect(answer.response.status.code == 507)
        // Another receiver, while this one lives.
        #expect(try await bench.answer(.patch, location, append, TestBody("hello")).response.status == .noContent)
        #expect(bench.contents == ["hello"])
        withExtendedLifetime(handler) {}
    }

    /// Another client may have filled the disk for a moment only.
    @Test(arguments: [true, false])
    func `An upload for which there is no more room is kept, and continues when there is`(
        announces: Bool
    ) async throws {
        let bench = HandlerBench()
        var create: HTTPFields = [.tusResumable: "1.0.0", .contentLength: "0"]
        create[announces ? .uploadLength : .uploadDeferLength] = announces ? "5" : "1"
        let location = try await bench.begin(create)
        var append: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "0", .contentType: "application/offset+octet-stream",
        ]
        #expect(try await bench.answer(.patch, location, append, TestBody("he")).response.status == .noContent)
        var handler = try bench.handler()
        handler.hasRoom = { $0.missing <= 1 }
        append[.uploadOffset] = "2"
        let answer = try await bench.answer(.patch, location, append, TestBody("llo"), by: handler)
        #expect(answer.response.status.code == 507)
        #expect(answer.response.headerFields[.uploadOffset] == "2")
        #expect(answer.response.headerFields[.retryAfter] == "60")
        append[.uploadLength] = "5"
        #expect(try await bench.answer(.patch, location, append, TestBody("llo")).response.status == .noContent)
        #expect(bench.contents == ["hello"])
    }

    @Test func `What an upload needs, by where it is and what it is`() throws {
        let folder = TemporaryFolder()
        let open = try OpenFolder(folder.path)
        let all = try #require(DiskSpace.available(at: folder.path))
        let (third, most) = (all / 3, all / 20 * 13)
        let (own, other) = (folder.path, FilePath("/dev/shm"))
        func fits(_ length: Int64, missing: Int64, isForm: Bool, _ place: FilePath?) -> Bool {
            UploadRoom(length: length, missing: missing, isForm: isForm, place: place).fits(in: open, keeping: 0)
        }
        #expect(fits(most, missing: most, isForm: false, own))
        #expect(!fits(most, missing: most, isForm: true, own))
        #expect(fits(third, missing: third, isForm: true, own))
        // The rest of one that is almost there.
        #expect(fits(most, missing: 1, isForm: true, own))
        // Elsewhere nothing is stored first, and nothing can be linked.
        #expect(fits(most, missing: most, isForm: true, other) && fits(most, missing: most, isForm: false, nil))
        #expect(!fits(2 * all, missing: 0, isForm: false, other) && fits(2 * all, missing: 0, isForm: false, own))
        #expect(!fits(.max, missing: .max, isForm: true, own))
    }
}
