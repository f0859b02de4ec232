@testable import Formwork
import FormworkSystem
import TestSupport
import Testing

/// Arriving bytes in one file, which is kept only if somebody says so.
@Suite(.timeLimit(.minutes(10))) struct AtomicFileTests {
    private let folder = TemporaryFolder()

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private func writer(at path: FilePath, replacing: Bool = false) async throws -> FileWriter {
        try await FileWriter { () throws(FormworkError) in try AtomicFile(path, replacing: replacing) }
    }

    private func writer(in folder: FilePath) async throws -> FileWriter {
        try await FileWriter { () throws(FormworkError) in try AtomicFolder(folder).makeFile() }
    }

    @Test("At a path that is taken: an error, and nothing else is left")
    func takenPath() async throws {
        let path = self.folder.path.appending("a")
        do {
            var writer = try await self.writer(at: path)
            try await writer.write(self.bytes("new"))
            // The name is checked when the file is begun, and again when it gets its name.
            try self.folder.file("a", "old")
            await #expect(throws: FormworkError.self) { try await self.writer(at: path) }
            await #expect(throws: FormworkError.self) {
                try await writer.run { file throws(FormworkError) in try file.publish() }
            }
            #expect(self.folder.names == ["a"])
        }
        // The last reference may be released on the writer's own thread.
        for _ in 0..<500 where try self.folder.traces != ["a"] { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try self.folder.traces == ["a"] && self.folder.text(of: "a") == "old")
    }

    @Test("A path with bytes that are not text")
    func unusualPaths() throws {
        let name = unsafe [0x61, CChar(bitPattern: 0xFF), 0].withUnsafeBufferPointer { bytes in
            unsafe FilePath(platformString: bytes.baseAddress!)
        }
        for replacing in [false, true] {
            let path = self.folder.path.pushing(name)
            let file = try AtomicFile(path, replacing: replacing)
            try file.write(self.bytes("new"))
            try file.publish()
            #expect(try SystemCalls.status(of: path).validator.size == 3)
        }
    }

    @Test("Nothing is left of a writer that is dropped", arguments: ["path", "folder", "unnamed"])
    func dropped(kind: String) async throws {
        do {
            var writer =
                switch kind {
                case "path": try await self.writer(at: self.folder.path.appending("a"), replacing: true)
                case "folder": try await self.writer(in: self.folder.path)
                default: try await FileWriter(temporaryIn: self.folder.path)
                }
            try await writer.write(self.bytes("new"))
        }
        // The last reference may be released on the writer's own thread.
        for _ in 0..<500 where try self.folder.traces != [] { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try self.folder.traces == [])
    }
}
