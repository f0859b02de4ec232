import FormworkHTTP
import FormworkResumable
import Testing

@Suite(.timeLimit(.minutes(10))) struct IncomingFormTests {
    private func collect(_ text: String, _ fields: HTTPFields) async throws -> ReceivedForm {
        var fields = fields
        fields[.contentType] = "application/x-www-form-urlencoded"
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array(text.utf8))
            continuation.finish()
        }
        let head = FormHead(fields)
        return try await ReceivedForm(
            collecting: chunks, contentType: head.contentType, contentLength: try head.ownLength(.default))
    }

    /// Hummingbird treats the end of an HTTP/2 connection as the end of its streams.
    @Test("Url-encoded text that is shorter than announced is refused")
    func cut() async throws {
        let error = await #expect(throws: FormworkError.self) {
            _ = try await self.collect("title=Harb", [.contentLength: "13"])
        }
        #expect(error?.code == .truncatedBody)
        #expect(try await self.collect("title=Harbour", [.contentLength: "13"])["title"] == "Harbour")
        // Its length is that of other bytes.
        let packed: HTTPFields = [.contentLength: "33", .contentEncoding: "gzip"]
        #expect(try await self.collect("title=Harbour", packed)["title"] == "Harbour")
        #expect(try await self.collect("title=Harbour", [:])["title"] == "Harbour")
    }
}
