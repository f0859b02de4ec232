import Foundation
import FormworkFoundation
import FoundationNetworking
import TestSupport
import Testing

@Suite("Uploads from a file, as background sessions need them", .timeLimit(.minutes(10)))
struct FileUploadTests {
    @Test("The task sends the body's bytes with its type, and leaves the file")
    func upload() async throws {
        let server = try UploadServer(["/up": [.status(201)]])
        let folder = TemporaryFolder()
        let plan = try await form(.bytes(noise(300_000))).plan()
        let bytes = try await plan.bytes(upTo: 400_000)
        var request = URLRequest(url: server.url("/up"))
        request.setValue("1", forHTTPHeaderField: "X-Kept")
        request.httpBody = Data([1])
        let session = URLSession(configuration: .ephemeral)
        let file = folder.path.appending("body")
        let task = try await session.uploadTask(plan, with: request, writtenTo: file)
        #expect(try contents(of: file) == bytes)
        task.resume()
        for _ in 0..<3_000 where task.state != .completed { try await Task.sleep(for: .milliseconds(10)) }
        #expect((task.response as? HTTPURLResponse)?.statusCode == 201)
        let sent = try #require(server.requests.first)
        #expect(sent.line == "POST /up HTTP/1.1" && sent.body == bytes)
        #expect(sent.fields("Content-Type") == [plan.contentType] && sent.fields("X-Kept") == ["1"])
        #expect(sent.fields("Content-Length") == ["\(bytes.count)"])
        #expect(folder.names == ["body"])
    }

    @Test("A body that can't be read leaves no file and makes no task")
    func failure() async throws {
        let folder = TemporaryFolder()
        let plan = try await form(.stream(length: 5) { _ in DripStream([1, 2]) }).plan()
        let error = await #expect(throws: FormworkError.self) {
            _ = try await URLSession.shared.uploadTask(
                plan, with: URLRequest(url: URL(string: "http://localhost/")!), writtenTo: folder.path.appending("body")
            )
        }
        #expect(error?.code == .lengthMismatch)
        #expect(folder.names.isEmpty)
    }
}
