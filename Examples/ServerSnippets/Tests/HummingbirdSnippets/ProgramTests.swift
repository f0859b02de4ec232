import AsyncHTTPClient
import FormworkClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// The servers of the articles, at the address that Hummingbird has by default, and the clients that send to them.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct ProgramTests {
    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(repeating: 65, count: 100_000).write(to: folder.appending(path: "harbour.jpg"))
        #expect(FileManager.default.changeCurrentDirectoryPath(folder.path))
    }

    private func content(_ path: String) -> Int? { FileManager.default.contents(atPath: path)?.count }

    /// Runs a client when the server listens.
    private func run(
        _ server: @escaping @Sendable () async throws -> Void, _ client: () async throws -> Void
    ) async throws {
        let task = Task { try await server() }
        let request = HTTPClientRequest(url: "http://127.0.0.1:8080/")
        while (try? await HTTPClient.shared.execute(request, timeout: .seconds(1))) == nil {
            try await Task.sleep(for: .milliseconds(50))
        }
        try await client()
        task.cancel()
        _ = await task.result
    }

    @Test func filesAreStored() async throws {
        try await run(readmeServer) {
            let form = FormData().appending(name: "photo", file: "harbour.jpg")
            let request = HTTPClientRequest(url: "http://127.0.0.1:8080/photos")
            let answer = try await HTTPClient.shared.upload(form, with: request)
            #expect(answer.status == .created)
            #expect(content("uploads/harbour.jpg") == 100_000)
        }
    }

    @Test func uploadsAreResumable() async throws {
        try await run(receivingPieces) {
            try await resuming()
            #expect(content("inbox/harbour.jpg") == 100_000)
        }
    }
}
