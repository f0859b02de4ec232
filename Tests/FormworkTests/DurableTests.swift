import Formwork
import TestSupport
import Testing

@Suite("What is asked to be durable waits for the disk", .timeLimit(.minutes(10)))
struct DurableTests {
    private let folder = TemporaryFolder()

    @Test("A body's file, before it has its name, and only when asked", arguments: [true, false])
    func bodies(durably: Bool) async throws {
        var form = formB()
        form.append(name: "a", value: "1")
        let (path, copy) = (self.folder.path.appending("body"), self.folder.path.appending("copy"))
        try await form.plan().makeReader().write(toFile: path, durably: durably)
        #expect(DiskSyncs.count(ofFilesIn: self.folder.path.string) == (durably ? 1 : 0))
        try await BodySource.text("x").write(toFile: copy, durably: durably)
        #expect(DiskSyncs.count(ofFilesIn: self.folder.path.string) == (durably ? 2 : 0))
    }

    @Test("A received part's file", arguments: [true, false])
    func parts(durably: Bool) async throws {
        let path = self.folder.path.appending("part")
        let body = "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n"
        let parts = try ReceivedParts(ChunkSource(body, every: 100), contentType: "multipart/form-data; boundary=b")
        for try await part in parts { try await part.write(toFile: path, durably: durably) }
        #expect(DiskSyncs.count(ofFilesIn: self.folder.path.string) == (durably ? 1 : 0))
    }

    @Test("A private file, and then the name that it got", arguments: [true, false])
    func privateFiles(durably: Bool) throws {
        let path = self.folder.path.appending("state")
        try AtomicFile.writePrivate([1, 2], to: path, durably: durably)
        #expect(DiskSyncs.count(ofFilesIn: self.folder.path.string) == (durably ? 1 : 0))
        #expect(DiskSyncs.count(ofFolder: self.folder.path.string) == (durably ? 1 : 0))
    }

    @Test("A file of an open folder, and then its name", arguments: [true, false], [true, false])
    func openFolders(durably: Bool, named: Bool) throws {
        let open = try AtomicFolder(self.folder.path, avoidsUnnamedFiles: named)
        for replacing in [false, true] {
            let file = try open.makeFile()
            try file.write([1, 2])
            let name = try #require(SafeFilename("a\(replacing)"))
            let published = try file.publish(as: name, replacing ? .replacing : .numbered, durably: durably)
            file.close()
            #expect(published.name == "a\(replacing)")
        }
        #expect(DiskSyncs.count(ofFilesIn: self.folder.path.string) == (durably ? 2 : 0))
        #expect(DiskSyncs.count(ofFolder: self.folder.path.string) == (durably ? 2 : 0))
    }

    @Test("What is appended, when it is asked for")
    func appended() throws {
        let path = self.folder.path.appending("upload")
        let file = try AppendedFile(path, creating: true)
        try file.append([1, 2, 3])
        #expect(DiskSyncs.count(ofFilesIn: self.folder.path.string) == 0)
        try file.finishAppending(durably: true)
        #expect(DiskSyncs.count(ofFilesIn: self.folder.path.string) == 1)
    }

    @Test("A name that the disk doesn't keep is an error, and no file is left that nobody is told of")
    func refusedName() throws {
        let open = try AtomicFolder(self.folder.path)
        let file = try open.makeFile()
        try file.write([1, 2])
        let name = try #require(SafeFilename("a"))
        let error = DiskSyncs.failing(self.folder.path.string) {
            #expect(throws: FormworkError.self) { try file.publish(as: name, .numbered, durably: true) }
        }
        file.close()
        #expect(error?.code == .writeFailed && error?.cause as? Errno == .ioError)
        #expect(self.folder.names.isEmpty)
    }
}
