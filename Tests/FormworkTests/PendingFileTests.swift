import Foundation
import Formwork
import FormworkSystem
import TestSupport
import Testing

/// A file appears at its path whole, or not at all.
@Suite(.timeLimit(.minutes(10))) struct PendingFileTests {
    private func begin(_ text: String, at path: FilePath, _ permissions: FilePermissions? = nil) throws -> PendingFile {
        let file = try PendingFile(at: path, permissions)
        try file.descriptor.writeAll(text.utf8)
        return file
    }

    @Test("It has no name before it is published", arguments: [false, true])
    func published(durably: Bool) throws {
        let folder = TemporaryFolder()
        var file = try self.begin("new", at: folder.path.appending("a"))
        #expect(!folder.names.contains("a"))
        try file.publish(durably: durably)
        file.close()
        #expect(try folder.names == ["a"] && folder.text(of: "a") == "new")
    }

    @Test("It replaces a file in one step, with that file's permissions")
    func replacing() throws {
        let folder = TemporaryFolder()
        let path = try folder.file("a", "old")
        var file = try self.begin("new", at: path, [.ownerReadWrite, .groupRead])
        #expect(try folder.text(of: "a") == "old")
        try file.publish(durably: false)
        file.close()
        #expect(try folder.names == ["a"] && folder.text(of: "a") == "new")
        let modes = try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? NSNumber
        #expect(modes?.intValue == 0o640)
    }

    @Test("A file that may not be replaced stays")
    func notReplacing() throws {
        let folder = TemporaryFolder()
        let path = try folder.file("a", "old")
        var file = try self.begin("new", at: path)
        let error = #expect(throws: FormworkError.self) { try file.publish(durably: false, replacing: false) }
        #expect(error?.code == .writeFailed && error?.cause as? Errno == .fileExists)
        file.discard()
        #expect(try folder.names == ["a"] && folder.text(of: "a") == "old")
    }

    @Test("Nothing of a discarded file is left")
    func discarded() throws {
        let folder = TemporaryFolder()
        try self.begin("new", at: folder.path.appending("a")).discard()
        #expect(try folder.traces == [])
    }

    @Test("Without its folder it is an error")
    func noFolder() throws {
        let folder = TemporaryFolder()
        let error = #expect(throws: FormworkError.self) { try PendingFile(at: folder.path.appending("b/a"), nil) }
        #expect(error?.code == .writeFailed && error?.cause as? Errno == .noSuchFileOrDirectory)
    }
}
