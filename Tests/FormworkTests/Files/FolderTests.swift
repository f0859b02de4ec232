import Foundation
import Formwork
import TestSupport
import Testing

@Suite("Files in folders and files of one's own", .timeLimit(.minutes(10)))
struct FolderTests {
    private let folder = TemporaryFolder()

    private func name(_ text: String) throws -> SafeFilename { try #require(SafeFilename(text)) }

    private func permissions(of path: FilePath) throws -> Int {
        let value = try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions]
        return try #require((value as? NSNumber)?.intValue)
    }

    @Test("Nobody else may read a private file, nor the one that takes its place")
    func privateFiles() throws {
        let path = self.folder.path.appending("state")
        for bytes in [[1, 2, 3], [4]] as [[UInt8]] {
            try AtomicFile.writePrivate(bytes, to: path)
            #expect(try contents(of: path) == bytes)
            #expect(try self.permissions(of: path) == 0o600)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path.string)
        }
        AtomicFile.remove(path)
        #expect(self.folder.names.isEmpty)
    }

    @Test("A folder that was removed gets no file, also on tmpfs", arguments: ["/tmp", "/dev/shm"])
    func removed(place: String) throws {
        let path = FilePath("\(place)/formwork-\(UUID().uuidString)")
        let folder = try AtomicFolder(path)
        try FileManager.default.removeItem(atPath: path.string)
        let error = #expect(throws: FormworkError.self) { try folder.makeFile() }
        #expect(error?.cause as? Errno == .noSuchFileOrDirectory)
    }

    @Test("One at a time appends to a file, and only to one that has its name")
    func appended() throws {
        let path = self.folder.path.appending("upload")
        do {
            let file = try AppendedFile(path, creating: true)
            try file.append([1, 2, 3])
            #expect(try self.permissions(of: path) == 0o600)
            let busy = #expect(throws: FormworkError.self) { _ = try AppendedFile(path, creating: false) }
            #expect(busy?.code == .writeFailed && busy?.cause as? Errno == .wouldBlock)
            let there = #expect(throws: FormworkError.self) { _ = try AppendedFile(path, creating: true) }
            #expect(there?.cause as? Errno == .fileExists)
            try file.truncate(to: 2)
            try file.append([4])
            #expect(try file.count() == 3)
        }
        let again = try AppendedFile(path, creating: false)
        try again.append([5])
        #expect(try contents(of: path) == [1, 2, 4, 5])
        try FileManager.default.createSymbolicLink(
            atPath: self.folder.path.appending("link").string, withDestinationPath: path.string)
        let link = #expect(throws: FormworkError.self) {
            _ = try AppendedFile(self.folder.path.appending("link"), creating: false)
        }
        #expect(link?.code == .writeFailed)
        let missing = #expect(throws: FormworkError.self) {
            _ = try AppendedFile(self.folder.path.appending("none"), creating: false)
        }
        #expect(missing?.cause as? Errno == .noSuchFileOrDirectory)
    }

    @Test("What a killed process left is removed; what somebody writes stays, and so does all else")
    func leftovers() throws {
        _ = try self.folder.file(".formwork-part.left", "x")
        _ = try self.folder.file("other", "x")
        let writing = try AtomicFolder(self.folder.path, avoidsUnnamedFiles: true)
        let file = try writing.makeFile()
        try file.write([1])
        #expect(self.folder.names.count == 3)
        #expect(try AtomicFolder(self.folder.path).removeLeftovers() == 1)
        #expect(self.folder.names.count == 2 && self.folder.names.last == "other")
        let published = try file.publish(as: self.name("a"), .numbered, durably: false)
        file.close()
        #expect(published.name == "a" && self.folder.names == ["a", "other"])
    }

    @Test("A published file is withdrawn only as long as it is the same")
    func withdrawn() throws {
        let open = try AtomicFolder(self.folder.path)
        func publish() throws -> PublishedFile {
            let file = try open.makeFile()
            try file.write([1, 2, 3])
            defer { file.close() }
            return try file.publish(as: self.name("a"), .replacing, durably: false)
        }
        open.remove(try publish())
        #expect(self.folder.names.isEmpty)
        let first = try publish()
        _ = try self.folder.file("a", [9, 9, 9, 9])
        open.remove(first)
        #expect(try contents(of: self.folder.path.appending("a")) == [9, 9, 9, 9])
    }

    @Test("Staged files appear together, and nothing appears that was given up")
    func staged() throws {
        do {
            let staged = try StagedFiles(in: self.folder.path, replacing: false)
            for text in ["a", "a", "b"] { try staged.makeFile(self.name(text)).write([1, 2]) }
            #expect(self.folder.names.count == 1, "the hidden folder alone")
            #expect(try staged.publish() == ["a", "a-2", "b"])
            #expect(self.folder.names == ["a", "a-2", "b"])
        }
        let staged = try StagedFiles(in: self.folder.path, replacing: false)
        try staged.makeFile(self.name("c")).write([1])
        staged.discard()
        #expect(self.folder.names == ["a", "a-2", "b"])
        #expect(throws: FormworkError.self) { try staged.publish() }
        let new = self.folder.path.appending("new")
        try StagedFiles(in: new, replacing: false).makeFile(self.name("c")).write([1])
        #expect(self.folder.names == ["a", "a-2", "b"], "a folder that was made for nothing is gone")
    }

    @Test("A number that another file's own name has is passed over, and no file is written into twice")
    func numbers() throws {
        let staged = try StagedFiles(in: self.folder.path, replacing: false)
        for (index, text) in ["a-2", "a", "a"].enumerated() {
            try staged.makeFile(self.name(text)).write([UInt8(index)])
        }
        #expect(try staged.publish() == ["a-2", "a", "a-3"])
        #expect(try ["a-2", "a", "a-3"].map { try contents(of: self.folder.path.appending($0)) } == [[0], [1], [2]])
    }

    @Test("A file that is there is replaced only when asked, also one that came meanwhile", arguments: [true, false])
    func inTheWay(replacing: Bool) throws {
        let staged = try StagedFiles(in: self.folder.path, replacing: replacing)
        for text in ["a", "b"] { try staged.makeFile(self.name(text)).write([1]) }
        _ = try self.folder.file("b", [9])
        if replacing {
            #expect(try staged.publish() == ["a", "b"])
            #expect(try contents(of: self.folder.path.appending("b")) == [1])
        } else {
            let error = #expect(throws: FormworkError.self) { try staged.publish() }
            #expect(error?.code == .writeFailed && error?.cause as? Errno == .fileExists)
            #expect(try contents(of: self.folder.path.appending("b")) == [9])
            staged.discard()
            #expect(self.folder.names == ["b"], "nor is the file left that had its place already")
        }
        let early = try StagedFiles(in: self.folder.path, replacing: false)
        #expect(throws: FormworkError.self) { _ = try early.makeFile(self.name("b")) }
    }
}
