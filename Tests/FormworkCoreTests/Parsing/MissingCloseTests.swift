import FormworkCore
import Testing

@Suite("A body that ends without a close delimiter", .timeLimit(.minutes(10)))
struct MissingCloseTests {
    private let section = "Content-Disposition: form-data; name=\"b\"\r\nX-A: b\r\n\r\n"
    private let first = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b\r\n"

    private func parse(_ body: String, _ profile: ParsingProfile, chunk: Int?) throws -> ParsingFailure.Kind? {
        try parser("b", profile).parse(Array(body.utf8), chunk: chunk ?? body.utf8.count).failure?.kind
    }

    @Test("`lenient` takes one that ends behind a delimiter's line; the default doesn't", arguments: [nil, 1, 7])
    func behindDelimiter(chunk: Int?) throws {
        #expect(try self.parse(self.first, .lenient, chunk: chunk) == nil)
        #expect(try self.parse(self.first, .default, chunk: chunk) == .unexpectedEnd)
    }

    @Test("One that is cut anywhere in a header section is truncated for `lenient` too", arguments: [nil, 1, 7])
    func inHeaders(chunk: Int?) throws {
        for count in 1..<self.section.utf8.count {
            let body = self.first + self.section.prefix(count)
            #expect(try self.parse(body, .lenient, chunk: chunk) == .unexpectedEnd, "\(count) bytes of the section")
        }
    }
}
