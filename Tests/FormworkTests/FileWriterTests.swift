@testable import Formwork
import TestSupport
import Testing

/// Arriving bytes in one file, which is kept only if somebody says so.
@Suite(.timeLimit(.minutes(10))) struct FileWriterTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("At a path: visible once published, with the number of bytes")
    func path() async throws {
        let folder = TemporaryFolder()
        let writer = FileWriter()
        try await writer.open(folder.path.appending("a"), replacing: false)
        try await writer.write(self.bytes("one "))
        try await writer.write(self.bytes("two"))
        #expect(!folder.names.contains("a"))
        #expect(try await writer.publish(durably: false) == 7)
        #expect(try folder.names == ["a"] && folder.text(of: "a") == "one two")
        #expect(try await writer.publish(durably: false) == 0, "once")
    }

    @Test("At a path that is taken: an error, and nothing else is left")
    func takenPath() async throws {
        let folder = TemporaryFolder()
        let path = folder.path.appending("a")
        let writer = FileWriter()
        try await writer.open(path, replacing: false)
        try await writer.write(self.bytes("new"))
        // The name is checked when the file is begun, and again when it gets its name.
        try folder.file("a", "old")
        await #expect(throws: FormworkError.self) { try await FileWriter().open(path, replacing: false) }
        await #expect(throws: FormworkError.self) { try await writer.publish(durably: false) }
        #expect(try folder.traces == ["a"] && folder.text(of: "a") == "old")
    }

    @Test("In a folder: a free name is given at the end")
    func folder() async throws {
        let folder = TemporaryFolder()
        try folder.file("a.txt", "old")
        let writer = FileWriter()
        try await writer.open(in: folder.path)
        try await writer.write(self.bytes("new"))
        let name = try #require(SafeFilename("a.txt"))
        let path = try await writer.publish(as: name, durably: false)
        #expect(path == folder.path.appending("a (1).txt"))
        #expect(try folder.names == ["a (1).txt", "a.txt"] && folder.text(of: "a (1).txt") == "new")
        await #expect(throws: FormworkError.self) { try await writer.publish(as: name, durably: false) }
    }

    @Test("Without a name: the descriptor is the caller's, once")
    func unnamed() async throws {
        let folder = TemporaryFolder()
        let writer = FileWriter()
        try await writer.openTemporary(in: folder.path)
        try await writer.write(self.bytes("new"))
        let (descriptor, count) = try await writer.closeTemporary()
        defer { try? descriptor.close() }
        #expect(count == 3 && folder.names == [])
        let text = try withUnsafeTemporaryAllocation(byteCount: 10, alignment: 1) { buffer in
            String(decoding: buffer.prefix(try descriptor.read(fromAbsoluteOffset: 0, into: buffer)), as: UTF8.self)
        }
        #expect(text == "new")
        await #expect(throws: FormworkError.self) { try await writer.closeTemporary() }
    }

    @Test("Nothing is left of a writer that is dropped", arguments: ["path", "folder", "unnamed"])
    func dropped(kind: String) async throws {
        let folder = TemporaryFolder()
        do {
            let writer = FileWriter()
            switch kind {
            case "path": try await writer.open(folder.path.appending("a"), replacing: true)
            case "folder": try await writer.open(in: folder.path)
            default: try await writer.openTemporary(in: folder.path)
            }
            try await writer.write(self.bytes("new"))
        }
        // The actor's last reference may be released on its own thread.
        for _ in 0..<500 where try folder.traces != [] { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try folder.traces == [])
    }
}
