import Formwork
import Foundation
import Testing

/// The program that each article begins with, in a folder that has the files it names, and with the server of scripts/examples
/// at the address it names.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramTests {
    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["harbour.jpg", "data.bin", "app.sqlite"] {
            try Data(repeating: 65, count: 100_000).write(to: folder.appending(path: name))
        }
        #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
    }

    @Test func formsAreWrittenAndChecked() async throws {
        try await overview()
        try await changingFiles()
        try await snapshot()
        try await checkingWhileSent()
        #expect(try FileManager.default.attributesOfItem(atPath: "body.bin")[.size] as? Int ?? 0 > 100_000)
        try await mediaTypes()
        #expect(try await retrying().collect(upTo: 200_000).count > 100_000)
    }

    @Test func aFormIsReceived() async throws {
        try await receivingParts()
        #expect(FileManager.default.contents(atPath: "received-harbour.jpg")?.count == 100_000)
    }

    @Test func progressIsShown() async throws {
        #expect(try await String(decoding: closure().0, as: UTF8.self).contains("harbour.jpg"))
    }
}
