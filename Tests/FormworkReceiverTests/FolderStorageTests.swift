import Formwork
@testable import FormworkReceiver
import Foundation
import NIOCore
import TestSupport
import Testing

/// Files in a folder, whatever their names and whatever lies in the way.
@Suite(.timeLimit(.minutes(10)))
struct FolderStorageTests {
    private let folder = TemporaryFolder()

    private static func store(
        _ text: String, as name: String, in storage: FolderStorage
    ) async throws -> String {
        let name = try #require(SafeFilename(name, limit: 240))
        let upload = try await storage.begin(IncomingFile(name: name))
        try await upload.write(ByteBuffer(string: text))
        return try await storage.finish(upload)
    }

    /// A filename that a form names, and what it becomes; `nil` for a name of the receiver's own.
    static let hostile: [(String, String?)] = [
        ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), (#"..\\..\\boot.ini"#, "boot.ini"),
        (".", nil), ("..", nil), ("/", nil), ("CON", "_CON"), ("nul.txt", "_nul.txt"), (".hidden", "hidden"),
        ("a\u{202E}gpj.exe", "agpj.exe"), ("a\u{7}b", "ab"), ("a:b|c?", "a_b_c_"), ("name.txt. . ", "name.txt"),
        (".formwork-part.x", "formwork-part.x"),
        (String(repeating: "n", count: 400) + ".txt", String(repeating: "n", count: 236) + ".txt"),
    ]

    @Test(arguments: hostile)
    func `No name leads out of the folder`(name: String, expected: String?) async throws {
        try await TestReceiver.run { receiver in
            let answer = try await receiver.request(
                "POST /", ["Content-Type: multipart/form-data; boundary=b"], formBody([("f;\(name)", "x")]))
            #expect(answer.status == 201)
            let names = receiver.folder.names
            #expect(names.count == 1)
            if let expected { #expect(names == [expected]) } else { #expect(names[0].hasPrefix("upload-")) }
        }
    }

    @Test(arguments: [false, true])
    func `A link in the way is neither followed nor replaced`(avoidsUnnamedFiles: Bool) async throws {
        let (folder, outside) = (TemporaryFolder(), TemporaryFolder())
        try outside.file("target", "mine")
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: folder.path.appending("a").string, withDestinationPath: outside.path.appending("target").string)
        try manager.createSymbolicLink(
            atPath: folder.path.appending("b").string, withDestinationPath: outside.path.appending("new").string)
        let storage = try FolderStorage(folder.path, avoidsUnnamedFiles: avoidsUnnamedFiles)
        #expect(try await Self.store("x", as: "a", in: storage) == "a (1)")
        #expect(try await Self.store("x", as: "b", in: storage) == "b (1)")
        #expect(outside.names == ["target"])
        #expect(try outside.text(of: "target") == "mine")
    }

    @Test(arguments: [false, true])
    func `Overwriting replaces a file, and a link itself`(avoidsUnnamedFiles: Bool) async throws {
        let (folder, outside) = (TemporaryFolder(), TemporaryFolder())
        try outside.file("target", "mine")
        try folder.file("a", "old")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path.appending("b").string, withDestinationPath: outside.path.appending("target").string)
        let storage = try FolderStorage(
            folder.path, replacing: true, durably: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        for name in ["a", "b"] { #expect(try await Self.store("new", as: name, in: storage) == name) }
        #expect(try folder.text(of: "a") == "new" && folder.text(of: "b") == "new")
        #expect(try outside.text(of: "target") == "mine")
        #expect(folder.names == ["a", "b"])
    }

    @Test(arguments: [false, true])
    func `Abandoned files are gone`(avoidsUnnamedFiles: Bool) async throws {
        let storage = try FolderStorage(self.folder.path, avoidsUnnamedFiles: avoidsUnnamedFiles)
        let abandoned = try await storage.begin(IncomingFile(name: try #require(SafeFilename("a"))))
        try await abandoned.write(ByteBuffer(repeating: 1, count: 3 << 20))
        await abandoned.abandon()
        #expect(self.folder.names == [])
    }

    @Test(arguments: [false, true])
    func `A name that is free again is used again`(avoidsUnnamedFiles: Bool) async throws {
        let storage = try FolderStorage(self.folder.path, avoidsUnnamedFiles: avoidsUnnamedFiles)
        #expect(try await Self.store("1", as: "a.txt", in: storage) == "a.txt")
        #expect(try await Self.store("2", as: "a.txt", in: storage) == "a (1).txt")
        for name in self.folder.names {
            try FileManager.default.removeItem(atPath: self.folder.path.appending(name).string)
        }
        #expect(try await Self.store("3", as: "a.txt", in: storage) == "a.txt")
        // Numbering continues after the number that was used last.
        #expect(try await Self.store("4", as: "a.txt", in: storage) == "a (2).txt")
    }

    @Test func `A number finds room in the longest name`() async throws {
        let storage = try FolderStorage(self.folder.path)
        let name = try #require(SafeFilename(String(repeating: "n", count: 255)))
        for expected in [name.text, String(repeating: "n", count: 251) + " (1)"] {
            let upload = try await storage.begin(IncomingFile(name: name))
            #expect(try await storage.finish(upload) == expected)
        }
    }

    @Test func `While another folder has its path, nothing is stored, nor what arrived before`() async throws {
        let place = TemporaryFolder()
        let (path, moved) = (place.path.appending("in"), place.path.appending("moved"))
        let manager = FileManager.default
        let storage = try FolderStorage(path)
        #expect(await storage.isReachable())
        let upload = try await storage.begin(IncomingFile(name: try #require(SafeFilename("a"))))
        try await upload.write(ByteBuffer(string: "1"))
        try manager.moveItem(atPath: path.string, toPath: moved.string)
        try manager.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        for call in [{ try await storage.room(for: .files(1)) }, { _ = try await storage.finish(upload) }]
            as [() async throws -> Void]
        {
            let error = await #expect(throws: (any Error).self) { try await call() }
            #expect((error as? any StorageFailure)?.publicStatus == 503)
            #expect(
                error.map { "\($0)" }
                    == "\(path): was moved, removed or replaced: move it back, or restart the receiver")
        }
        #expect(await storage.isReachable() == false)
        #expect(try manager.contentsOfDirectory(atPath: path.string) == [])
        #expect(try manager.contentsOfDirectory(atPath: moved.string) == [])
        try manager.removeItem(atPath: path.string)
        try manager.moveItem(atPath: moved.string, toPath: path.string)
        #expect(await storage.isReachable())
        #expect(try await Self.store("2", as: "a", in: storage) == "a")
    }

    @Test func `A restart removes only what a killed run left`() async throws {
        try self.folder.file(".formwork-part.abc", "left")
        try self.folder.file(".formwork.keep", "mine")
        try self.folder.file("a.txt", "mine")
        // Files that another receiver is writing are locked.
        let other = try FolderStorage(self.folder.path, avoidsUnnamedFiles: true)
        let upload = try await other.begin(IncomingFile(name: try #require(SafeFilename("b"))))
        #expect(self.folder.names.count == 3)
        _ = try FolderStorage(self.folder.path)
        #expect(self.folder.names.count == 3)
        #expect(try await other.finish(upload) == "b")
        #expect(self.folder.names == [".formwork.keep", "a.txt", "b"])
    }

    @Test func `A file being written is locked under every name that it has`() async throws {
        let storage = try FolderStorage(self.folder.path, replacing: true)
        let upload = try await storage.begin(IncomingFile(name: try #require(SafeFilename("a"))))
        try await upload.write(ByteBuffer(string: "1"))
        // An unnamed file has a hidden name for a moment when it is to replace another: here for longer.
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let unnamed = descriptors.first { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target?.hasPrefix(self.folder.path.string + "/") == true
        }
        let hidden = self.folder.path.appending(".formwork-part.moment").string
        guard let unnamed, self.folder.names == [],
            linkat(AT_FDCWD, "/proc/self/fd/\(unnamed)", AT_FDCWD, hidden, AT_SYMLINK_FOLLOW) == 0
        else { return await upload.abandon() }
        _ = try FolderStorage(self.folder.path)
        #expect(self.folder.names == [".formwork-part.moment"])
        await upload.abandon()
    }

    @Test(arguments: [false, true])
    func `A self.folder that has the name is not overwritten, and nothing is left`(avoidsUnnamedFiles: Bool)
        async throws
    {
        let inner = self.folder.path.appending("a").string
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let storage = try FolderStorage(self.folder.path, replacing: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        await #expect(throws: FormworkError.self) { try await Self.store("x", as: "a", in: storage) }
        #expect(self.folder.names == ["a"])
    }

    @Test(arguments: [false, true], [false, true])
    func `A file whose name can't be written to the disk is withdrawn`(
        replacing: Bool, avoidsUnnamedFiles: Bool
    ) async throws {
        let storage = try FolderStorage(
            self.folder.path, replacing: replacing, durably: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        // Names can be created through a path-only descriptor, but nothing can be synced through it.
        let own = try #require(try OpenDescriptors.of(self.folder.path).first)
        // O_PATH, which Glibc's module leaves out.
        let place = open(self.folder.path.string, 0o10_000_000 | O_DIRECTORY | O_CLOEXEC)
        #expect(dup2(place, own) == own)
        close(place)
        let error = await #expect(throws: FormworkError.self) { try await Self.store("x", as: "a", in: storage) }
        #expect(error?.cause as? Errno == .badFileDescriptor)
        #expect(self.folder.names == [])
    }

    @Test func `Many bytes in many buffers are the same bytes`() async throws {
        let storage = try FolderStorage(self.folder.path)
        let upload = try await storage.begin(IncomingFile(name: try #require(SafeFilename("a"))))
        var expected: [UInt8] = []
        for index in 0..<100 {
            let bytes = [UInt8](repeating: UInt8(index), count: 30_001)
            expected += bytes
            try await upload.write(ByteBuffer(bytes: bytes))
        }
        _ = try await storage.finish(upload)
        let stored = try Data(contentsOf: URL(fileURLWithPath: self.folder.path.appending("a").string))
        #expect(Array(stored) == expected)
    }
}
