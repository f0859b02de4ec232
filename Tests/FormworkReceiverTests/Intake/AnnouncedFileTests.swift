import Formwork
@testable import FormworkReceiver
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct AnnouncedFileTests {
    private func put(_ text: String, announced: Int?, in folder: TemporaryFolder) async throws -> UploadReceipt {
        var fields: HTTPFields = [:]
        fields[.contentLength] = announced.map(String.init)
        let head = HTTPRequest(
            method: .put, scheme: "http", authority: "localhost", path: "/a.txt", headerFields: fields)
        let intake = UploadIntake(storage: try FolderStorage(folder.path), limits: ReceivingLimits())
        let chunks = AsyncStream<ByteBuffer> { continuation in
            for byte in text.utf8 { continuation.yield(ByteBuffer(bytes: [byte])) }
            continuation.finish()
        }
        return try await intake.take(IncomingUpload(head), chunks)
    }

    @Test(arguments: [2, 4, 100])
    func `A file that isn't as long as was said is refused, and none is left`(announced: Int) async throws {
        let folder = TemporaryFolder()
        let error = await #expect(throws: FormworkError.self) {
            try await self.put("sea", announced: announced, in: folder)
        }
        #expect(error?.code == .truncatedBody)
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: [3, nil])
    func `One that is, and one of unknown length, is kept`(announced: Int?) async throws {
        let folder = TemporaryFolder()
        let receipt = try await self.put("sea", announced: announced, in: folder)
        #expect(receipt.files.map(\.size) == [3] && folder.names == ["a.txt"])
        #expect(try folder.text(of: "a.txt") == "sea")
    }
}
