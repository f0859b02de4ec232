import FormworkCore
import Testing

@Suite("All header sections together", .timeLimit(.minutes(10)))
struct HeaderLimitTests {
    /// 40 bytes, and 4 of line ends.
    private let plain = "Content-Disposition: form-data; name=\"a\"\r\n\r\n"

    @Test func `The errors name their counts`() throws {
        var limits = ParsingLimits()
        let body = Array("--b\r\nX: 1\r\n\(self.plain)x\r\n--b\r\n\(self.plain)x\r\n--b--".utf8)
        func message() -> String? {
            var position = 0
            do throws(FormworkError) {
                var parser = MultipartParser(boundary: try Boundary("b"), limits: limits)
                while try parser.next(in: body, from: &position) != .needsInput {}
                return nil
            } catch { return error.message }
        }
        limits.headerCount = 1
        #expect(message() == "A part has more than 1 header field.")
        (limits.headerCount, limits.totalHeaderBytes) = (2, 60)
        #expect(message() == "The total of all header sections has more than 60 bytes.")
    }

    @Test("Sections of every kind count, and the first that doesn't fit is refused", arguments: [nil, 1, 10])
    func all(chunk: Int?) throws {
        let other = "Content-Disposition: form-data; name=a\r\n\r\n"
        for (sections, count) in [
            ([self.plain, self.plain, self.plain], 132), ([self.plain, other, self.plain], 130),
        ] {
            let body = Array((sections.map { "--b\r\n\($0)x\r\n" }.joined() + "--b--\r\n").utf8)
            var limits = ParsingLimits()
            limits.totalHeaderBytes = count
            let exact = try parser("b", .default, limits).parse(body, chunk: chunk ?? body.count)
            #expect(exact.failure == nil && exact.parts.count == 3)
            limits.totalHeaderBytes = count - 1
            let crossed = try parser("b", .default, limits).parse(body, chunk: chunk ?? body.count)
            #expect(crossed.failure == ParsingFailure(.totalHeaderBytesLimit, limit: Int64(count - 1)))
            #expect(crossed.parts.count == 2)
        }
    }
}
