import AsyncHTTPClient
import Foundation
import NIOCore
import Testing

/// The server of Forms on NIO, and the program of Upload with AsyncHTTPClient, which sends to it.
@Suite(.timeLimit(.minutes(10))) struct NIOProgramTests {
    @Test func filesAreStored() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "programs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        try Data(repeating: 65, count: 100_000).write(to: path.appending(path: "harbour.jpg"))
        #expect(FileManager.default.changeCurrentDirectoryPath(path.path))
        let server = Task { try await receivingAlone(port: port, into: folder) }
        let request = HTTPClientRequest(url: "http://127.0.0.1:8080/")
        while (try? await HTTPClient.shared.execute(request, timeout: .seconds(1))) == nil {
            try await Task.sleep(for: .milliseconds(50))
        }
        try await uploading()
        #expect(FileManager.default.contents(atPath: "inbox/harbour.jpg")?.count == 100_000)
        server.cancel()
    }
}
