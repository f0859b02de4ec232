@testable import Formwork
@testable import FormworkReceiver
@testable import FormworkResumable
import FormworkSystem
import Foundation
import NIOCore
import TestSupport
import Testing

/// Complete uploads whose bytes become files without passing through this process's memory.
@Suite(.timeLimit(.minutes(10))) struct StoredFileTests {
    private static let tus = "Tus-Resumable: 1.0.0"

    private static func options() -> UploadStoreOptions {
        var options = UploadStoreOptions()
        options.digestsFiles = true
        return options
    }

    private func status(_ path: FilePath) throws -> FileStatus { try SystemCalls.status(of: path) }

    /// Sends `hello there` as a.txt in two pieces, by tus.
    /// - Parameter between: Called after the first.
    /// - Returns: The list of arrived files.
    private func sendFile(
        _ receiver: TestReceiver, type: String? = nil, between: (_ name: String) throws -> Void = { _ in }
    ) async throws -> RawAnswer {
        let metadata = "Upload-Metadata: filename YS50eHQ=" + (type.map { ",filetype \($0)" } ?? "")
        let path = try await receiver.begin(
            "POST /", [Self.tus, "Upload-Length: 11", metadata, "Content-Length: 0"])
        let append = [Self.tus, "Content-Type: application/offset+octet-stream"]
        #expect(try await receiver.status("PATCH \(path)", append + ["Upload-Offset: 0"], "hello") == 204)
        try between(String(try #require(path.split(separator: "/").last)))
        #expect(try await receiver.status("PATCH \(path)", append + ["Upload-Offset: 5"], " there") == 204)
        return try await receiver.request("GET /files.json")
    }

    @Test func `A form's files are copied from the file that has the body`() async throws {
        let folder = TemporaryFolder()
        let body =
            "--b\r\nContent-Disposition: form-data; name=n\r\n\r\nfield\r\n"
            + formBody([
                ("f;a.txt", "seen"), ("f;empty.txt", ""), ("f;b.txt", "this"),
            ])
        // Of the same form with other content: it shows where the bytes come from.
        try folder.file("stored", body.replacing("seen", with: "SEEN").replacing("this", with: "THIS"))
        let file = FinishedFile(folder.path.appending("stored"), count: Int64(body.utf8.count))
        for size in [1, 10, 1_000] {
            let out = TemporaryFolder()
            let bytes = Array(body.utf8)
            let cuts = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
            let chunks = AsyncStream { continuation in
                for cut in cuts { continuation.yield(cut) }
                continuation.finish()
            }
            var names: [String] = []
            for try await part in try ReceivedParts(chunks, contentType: "multipart/form-data; boundary=b")
            where part.isFile {
                let path = try await part.write(into: out.path, from: file, durably: false)
                names.append(path?.lastComponent?.string ?? "")
            }
            #expect(names == ["a.txt", "empty.txt", "b.txt"])
            #expect(try names.map { try out.text(of: $0) } == ["SEEN", "", "THIS"], "in pieces of \(size)")
        }
    }

    @Test(arguments: [false, true])
    func `A file that is the whole upload is not copied, and looks like any other`(isDurable: Bool) async throws {
        let folder = TemporaryFolder()
        let place = folder.path.appending(".formwork-resumable")
        let store = UploadStore(place, options: Self.options())
        let storage = try FolderStorage(folder.path, durably: isDurable)
        try await TestReceiver.run(in: folder, storage: storage, store: store) { receiver in
            #expect(try await receiver.request("PUT /a.txt", [], "plain").status == 201)
            let inode = Local(UInt64(0))
            let list = try await self.sendFile(receiver) { name in
                inode.value = try self.status(place.appending("\(name).data")).validator.inode
            }
            #expect(folder.names == [".formwork-resumable", "a (1).txt", "a.txt"])
            #expect(try folder.text(of: "a (1).txt") == "hello there")
            let (plain, linked) = (
                try self.status(folder.path.appending("a.txt")), try self.status(folder.path.appending("a (1).txt"))
            )
            #expect(linked.validator.inode == inode.value && linked.links == 1)
            #expect(linked.permissions == plain.permissions && linked.group == plain.group)
            #expect(list.body.contains("12998c017066eb0d2a70b94e6ed3192985855ce390f321bbdb832022888bd251"))
            // Its answer is kept, and not its bytes.
            let kept = try FileManager.default.contentsOfDirectory(atPath: place.string)
            #expect(kept.count == 1 && kept[0].hasSuffix(".json"))
        }
    }

    @Test(arguments: [false, true])
    func `It replaces a file, and gets its permissions`(isDurable: Bool) async throws {
        let folder = TemporaryFolder()
        let place = folder.path.appending(".formwork-resumable")
        try folder.file("a.txt", "old")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: folder.path.appending("a.txt").string)
        let storage = try FolderStorage(folder.path, replacing: true, durably: isDurable)
        let store = UploadStore(place, options: Self.options())
        try await TestReceiver.run(in: folder, storage: storage, store: store) { receiver in
            let inode = Local(UInt64(0))
            _ = try await self.sendFile(receiver) { name in
                inode.value = try self.status(place.appending("\(name).data")).validator.inode
            }
            #expect(folder.names == [".formwork-resumable", "a.txt"])
            #expect(try folder.text(of: "a.txt") == "hello there")
            let status = try self.status(folder.path.appending("a.txt"))
            #expect(status.validator.inode == inode.value && status.permissions == [.ownerReadWrite, .groupRead])
        }
    }

    @Test func `A file system of its own for unfinished uploads`() async throws {
        let shared = FilePath("/dev/shm/formwork-\(UInt64.random(in: .min ... .max))")
        defer { try? FileManager.default.removeItem(atPath: shared.string) }
        let folder = TemporaryFolder()
        try await TestReceiver.run(in: folder, store: UploadStore(shared, options: Self.options())) { receiver in
            let list = try await self.sendFile(receiver)
            #expect(try folder.text(of: "a.txt") == "hello there")
            #expect(try self.status(folder.path.appending("a.txt")).links == 1)
            #expect(list.body.contains("12998c017066eb0d2a70b94e6ed3192985855ce390f321bbdb832022888bd251"))
        }
    }

    @Test func `A file that can't get its name leaves nothing`() async throws {
        let folder = TemporaryFolder()
        let place = folder.path.appending(".formwork-resumable")
        // With --overwrite, a folder of that name is an error.
        let storage = try FolderStorage(folder.path, replacing: true)
        try FileManager.default.createDirectory(
            atPath: folder.path.appending("a.txt").string, withIntermediateDirectories: false)
        try await TestReceiver.run(in: folder, storage: storage, store: UploadStore(place, options: Self.options())) {
            receiver in
            let path = try await receiver.begin(
                "POST /", [Self.tus, "Upload-Length: 5", "Upload-Metadata: filename YS50eHQ=", "Content-Length: 0"])
            let append = [Self.tus, "Content-Type: application/offset+octet-stream", "Upload-Offset: 0"]
            #expect(try await receiver.request("PATCH \(path)", append, "hello").status == 409)
            #expect(folder.names == [".formwork-resumable", "a.txt"])
        }
    }

    @Test func `A finished file that has another name already is copied`() throws {
        let folder = TemporaryFolder()
        try folder.file("finished", "hello")
        let (open, file) = (try OpenFolder(folder.path), FinishedFile(folder.path.appending("finished"), count: 5))
        let first = try #require(open.adopt(file))
        #expect(open.adopt(file) == nil)
        first.close()
        #expect(folder.names == ["finished"])
        #expect(open.adopt(FinishedFile(file.path, count: 4)) == nil)
        #expect(folder.names == ["finished"] && open.canAdopt(from: folder.path))
        #expect(!open.canAdopt(from: "/dev/shm") && !open.sharesDisk(with: "/dev/shm"))
        #expect(open.sharesDisk(with: folder.path.appending("none")))
    }

    @Test func `Bytes that were discarded are freed, but not those of a file with a name`() throws {
        let folder = TemporaryFolder()
        let (path, open) = (folder.path.appending("a"), try OpenFolder(folder.path))
        let file = try AppendedFile(path, creating: true)
        try file.append(Array("hello".utf8))
        try SystemCalls.link(path, from: .currentFolder, as: "b", in: open.descriptor)
        AtomicFile.remove(path)
        try file.emptyIfUnnamed()
        #expect(try folder.text(of: "b") == "hello")
        #expect(try file.bytes(at: 1, upTo: 3) == Array("ell".utf8) && file.bytes(at: 5, upTo: 3) == [])
        AtomicFile.remove(folder.path.appending("b"))
        try file.emptyIfUnnamed()
        #expect(try file.count() == 0)
    }
}
