import Formwork
@testable import FormworkReceiver
import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

/// The files of a form appear together or not at all, and what they replace is there until all of them are.
@Suite(.timeLimit(.minutes(10)))
struct FormPublicationTests {
    private let folder = TemporaryFolder()

    private func begin(_ files: [(String, String)], in storage: FolderStorage) async throws -> [any StorageUpload] {
        var uploads: [any StorageUpload] = []
        for (name, text) in files {
            let path = try #require(SafePath(name))
            let upload = try await storage.begin(IncomingFile(path))
            try await upload.write(ByteBuffer(string: text))
            uploads.append(upload)
        }
        return uploads
    }

    private func mode(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: self.folder.path.appending(name).string)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(arguments: [false, true])
    func `A form that fails puts back what it replaced`(avoidsUnnamedFiles: Bool) async throws {
        try self.folder.file("one.bin", "PRECIOUS")
        try FileManager.default.createSymbolicLink(
            atPath: self.folder.path.appending("link").string, withDestinationPath: "one.bin")
        let inner = self.folder.path.appending("two.bin").string
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let storage = try FolderStorage(self.folder.path, replacing: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        try await TestReceiver.run(in: self.folder, storage: storage) { receiver in
            let answer = try await receiver.request(
                "POST /", ["Content-Type: multipart/form-data; boundary=b"],
                formBody([("f;one.bin", "x"), ("f;link", "x"), ("f;new.bin", "x"), ("f;two.bin", "x"), ("f;z", "x")]))
            #expect(answer.status == 409)
            #expect(answer.body.contains("A folder already has the file's name."))
            #expect(receiver.folder.names == ["link", "one.bin", "two.bin"])
            #expect(try receiver.folder.text(of: "one.bin") == "PRECIOUS")
            #expect(try receiver.folder.text(of: "link") == "PRECIOUS")
            #expect(try FileManager.default.contentsOfDirectory(atPath: inner) == [])
        }
    }

    @Test(arguments: [false, true], [false, true])
    func `A folder that can't be brought to the disk puts back what was replaced`(
        avoidsUnnamedFiles: Bool, isForm: Bool
    ) async throws {
        try self.folder.file("a", "PRECIOUS")
        let storage = try FolderStorage(
            self.folder.path, replacing: true, durably: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        let uploads = try await self.begin(isForm ? [("a", "x"), ("b", "y")] : [("a", "x")], in: storage)
        let own = try #require(try OpenDescriptors.of(self.folder.path).first)
        // O_PATH, which Glibc's module leaves out: names can be made by it, but nothing can be synced.
        let place = open(self.folder.path.string, 0o10_000_000 | O_DIRECTORY | O_CLOEXEC)
        #expect(dup2(place, own) == own)
        close(place)
        await #expect(throws: FormworkError.self) { try await storage.publish(uploads, record: nil) }
        #expect(self.folder.names == ["a"])
        #expect(try self.folder.text(of: "a") == "PRECIOUS")
    }

    @Test(arguments: [1, 3])
    func `A client that goes away while its form is published doesn't stop it`(count: Int) async throws {
        for index in 0..<count { try self.folder.file("\(index)", "old") }
        let storage = try FolderStorage(self.folder.path, replacing: true)
        let uploads = try await self.begin((0..<count).map { ("\($0)", "new") }, in: storage)
        let task = Mutex<Task<[String], any Error>?>(nil)
        let publishing = Task {
            while task.withLock({ $0 == nil }) { await Task.yield() }
            return try await storage.publish(uploads) { names in
                // When the names are there, and before it is known that all of it will be.
                task.withLock { $0?.cancel() }
                return FormRecord(path: SafePath(SafeFilename("r")!), bytes: [0x78])
            }
        }
        task.withLock { $0 = publishing }
        let names = (0..<count).map { "\($0)" } + ["r"]
        #expect(try await publishing.value == names)
        #expect(publishing.isCancelled)
        #expect(self.folder.names == names)
        for index in 0..<count { #expect(try self.folder.text(of: "\(index)") == "new") }
    }

    @Test func `A client that disconnected before leaves nothing`() async throws {
        let storage = try FolderStorage(self.folder.path, avoidsUnnamedFiles: true)
        let uploads = try await self.begin([("a", "1"), ("b", "2")], in: storage)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await storage.publish(uploads, record: nil)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(self.folder.names == [])
    }

    @Test(arguments: [false, true])
    func `Another receiver that starts in the meantime leaves a form alone`(avoidsUnnamedFiles: Bool) async throws {
        for name in ["a", "b"] { try self.folder.file(name, "old") }
        let storage = try FolderStorage(self.folder.path, replacing: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        let uploads = try await self.begin([("a", "new"), ("b", "new"), ("c", "new")], in: storage)
        let path = self.folder.path
        let names = try await storage.publish(uploads) { _ in
            _ = try? FolderStorage(path)
            return FormRecord(path: SafePath(SafeFilename("r")!), bytes: [0x78])
        }
        #expect(names == ["a", "b", "c", "r"])
        #expect(self.folder.names == names)
        for name in ["a", "b", "c"] { #expect(try self.folder.text(of: name) == "new") }
    }

    /// A second name of the first file stands in for a file system that doesn't distinguish `A` from `a`.
    @Test(arguments: [false, true])
    func `A file doesn't replace an earlier one of its form, whatever the file system takes for one name`(
        avoidsUnnamedFiles: Bool
    ) async throws {
        try self.folder.file("A", "old")
        let storage = try FolderStorage(self.folder.path, replacing: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        let uploads = try await self.begin([("A", "new")], in: storage)
        let path = self.folder.path
        let names = try await storage.publish(uploads) { _ in
            #expect(link(path.appending("A").string, path.appending("a").string) == 0)
            return FormRecord(path: SafePath(SafeFilename("a")!), bytes: [0x78])
        }
        #expect(names == ["A", "a (1)"])
        #expect(self.folder.names == ["A", "a", "a (1)"])
        #expect(try self.folder.text(of: "a") == "new")
        #expect(try self.folder.text(of: "a (1)") == "x")
    }

    @Test(arguments: [1, 2], [0o600, 0o444, 0o664])
    func `A file that is replaced keeps its permissions`(count: Int, mode: Int) async throws {
        for name in ["a", "b"].prefix(count) {
            try self.folder.file(name, "old")
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: self.folder.path.appending(name).string)
        }
        let storage = try FolderStorage(self.folder.path, replacing: true)
        let uploads = try await self.begin(["a", "b"].prefix(count).map { ($0, "new") }, in: storage)
        _ = try await storage.publish(uploads, record: nil)
        for name in ["a", "b"].prefix(count) {
            #expect(try self.mode(of: name) == mode)
            #expect(try self.folder.text(of: name) == "new")
        }
    }

    @Test func `A program's own bits aren't given to what replaces it`() async throws {
        try self.folder.file("a", "old")
        #expect(chmod(self.folder.path.appending("a").string, 0o4755) == 0)
        let storage = try FolderStorage(self.folder.path, replacing: true)
        _ = try await storage.publish(try await self.begin([("a", "new")], in: storage), record: nil)
        #expect(try self.mode(of: "a") == 0o755)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"), arguments: [1, 2])
    func `A file that is replaced keeps its owner`(count: Int) async throws {
        for name in ["a", "b"].prefix(count) {
            try self.folder.file(name, "old")
            #expect(chown(self.folder.path.appending(name).string, 12, 34) == 0)
        }
        let storage = try FolderStorage(self.folder.path, replacing: true)
        let uploads = try await self.begin(["a", "b"].prefix(count).map { ($0, "new") }, in: storage)
        _ = try await storage.publish(uploads, record: nil)
        for name in ["a", "b"].prefix(count) {
            let path = self.folder.path.appending(name).string
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.ownerAccountID] as? Int == 12 && attributes[.groupOwnerAccountID] as? Int == 34)
        }
    }
}
