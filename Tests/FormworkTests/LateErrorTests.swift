#if os(Linux)
import Formwork
import TestSupport
import Testing

/// NFS and FUSE may report only at the close that writes were lost.
@Suite("An error that comes when a file is closed", .serialized, .timeLimit(.minutes(10)))
struct LateErrorTests {
    private let folder = TemporaryFolder()

    private func failing(_ body: () async throws -> Void) async {
        let error = await #expect(throws: FormworkError.self) {
            try await LateErrors.closing(filesIn: self.folder.path.string, body)
        }
        #expect(error?.code == .writeFailed && error?.cause as? Errno == .noSpace)
    }

    @Test("A body's file isn't published, and the old one stays")
    func bodies() async throws {
        let path = self.folder.path.appending("body")
        _ = try self.folder.file("body", "old")
        let plan = try await formB().plan()
        await self.failing { try await plan.write(toFile: path, replacing: true) }
        #expect(try self.folder.text(of: "body") == "old")
        await self.failing { try await BodySource.text("x").write(toFile: self.folder.path.appending("copy")) }
        #expect(self.folder.names == ["body"])
    }

    @Test("A body written to a caller's descriptor")
    func descriptors() async throws {
        let plan = try await formB().plan()
        let open = try FileDescriptor.open(
            self.folder.path.appending("open"), .writeOnly, options: .create, permissions: .ownerReadWrite)
        await self.failing { try await plan.write(to: open) }
        try open.close()
    }

    @Test("A file of an open folder", arguments: [true, false])
    func openFolders(named: Bool) async throws {
        let open = try AtomicFolder(self.folder.path, avoidsUnnamedFiles: named)
        let file = try open.makeFile()
        try file.write([1, 2])
        let name = try #require(SafeFilename("a"))
        await self.failing { _ = try file.publish(as: name, .numbered, durably: false) }
        await self.failing { try file.finish(durably: false) }
        file.close()
        #expect(self.folder.names == [])
    }

    @Test("A private file, a program's output, a staged file, and a file that is appended to")
    func others() async throws {
        let path = self.folder.path.appending("file")
        await self.failing { try AtomicFile.writePrivate([1], to: path) }
        await self.failing {
            let output = try AtomicFile(path, replacing: true, inPlace: true)
            try output.write([1])
            try output.publish()
        }
        #expect(self.folder.names == [])
        await self.failing {
            let staged = try StagedFiles(in: self.folder.path.appending("new"), replacing: false)
            let file = try staged.makeFile(try #require(SafeFilename("a")))
            try file.write([1, 2])
            try file.finish(durably: false)
        }
        await self.failing {
            let file = try AppendedFile(path, creating: true)
            try file.finishAppending(durably: false)
        }
    }
}
#endif
