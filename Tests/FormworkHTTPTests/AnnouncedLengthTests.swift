import FormworkHTTP
import FormworkResumable
import Synchronization
import TestSupport
import Testing

@Suite("A body that says itself that it is too large", .timeLimit(.minutes(10)))
struct AnnouncedLengthTests {
    static let part = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"

    @Test(
        "is refused before any of it is read, and one of exactly the limit is read",
        arguments: [
            ("application/x-www-form-urlencoded", "a=1"), ("multipart/form-data; boundary=b", Self.part),
        ])
    func tooLong(type: String, text: String) async throws {
        func collect(_ body: ChunkSource, announced: Int, limit: Int) async throws -> ReceivedForm {
            var limits = ParsingLimits()
            limits.totalBytes = Int64(limit)
            return try await ReceivedForm(
                collecting: body, contentType: type, contentLength: Int64(announced), limits: limits)
        }
        let count = text.utf8.count
        let refused = ChunkSource(texts: [text])
        let error = await #expect(throws: FormworkError.self) {
            try await collect(refused, announced: count, limit: count - 1)
        }
        #expect(error?.parsingFailure == ParsingFailure(.totalBytesLimit, limit: Int64(count - 1)))
        #expect(error?.message == "Content-Length is \(count): the limit is \(count - 1).")
        #expect(refused.log.pulled == 0)
        #expect(try await collect(ChunkSource(texts: [text]), announced: count, limit: count)["a"] == "1")
    }
}
