@testable import Formwork
@testable import FormworkCore
import Testing

@Suite("A check compares what a receiver reads with what was meant", .timeLimit(.minutes(10)))
struct FramingBytesTests {
    /// Checks a body of one part, without content.
    private func check(_ disposition: String, meant header: PartHeader) throws {
        let head = Array("--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n".utf8)
        var check = FramingValidator(MultipartFraming(boundary: try Boundary("b")))
        try check.expect(PartReference(index: 0, name: "a"), header, from: 0, contentFrom: Int64(head.count))
        check.expectEnd(from: Int64(head.count))
        try check.take(head + Array("\r\n--b--\r\n".utf8))
        try check.finish()
    }

    @Test(
        "Another name, another filename, one too many and one too few are errors that say what is read",
        arguments: [
            ("name=\"a\"; filename=\"c.txt\"", "the filename of part 1 is read as \"c.txt\""),
            ("name=\"a\"; filename=\"b.tx\"", "the filename of part 1 is read as \"b.tx\""),
            ("name=\"a\"", "the filename of part 1 is read as none"),
            ("name=\"b\"; filename=\"b.txt\"", "the name of part 1 is read as \"b\""),
            ("filename=\"b.txt\"", "the name of part 1 is read as none"),
        ])
    func names(disposition: String, message: String) throws {
        let error = #expect(throws: FormworkError.self) {
            try self.check(disposition, meant: PartHeader(name: "a", filename: "b.txt"))
        }
        #expect(error?.code == .framingBroken && error?.message == message)
        #expect(error?.part?.name == "a")
    }

    @Test("A filename that nobody meant is one")
    func unmeant() throws {
        try self.check("name=\"a\"; filename=\"b.txt\"", meant: PartHeader(name: "a", filename: "b.txt"))
        let error = #expect(throws: FormworkError.self) {
            try self.check("name=\"a\"; filename=\"\"", meant: PartHeader(name: "a"))
        }
        #expect(error?.message == "the filename of part 1 is read as \"\"")
    }

    @Test("A header field with an empty line in it ends the section before its content")
    func emptyLine() throws {
        let section = "Content-Disposition: form-data; name=\"a\"\r\nX-A: 1\r\n\r\nX-B: 2\r\n\r\n"
        let head = Array("--b\r\n\(section)".utf8)
        var check = FramingValidator(MultipartFraming(boundary: try Boundary("b")))
        let part = PartReference(index: 0, name: "a")
        try check.expect(part, PartHeader(name: "a"), from: 0, contentFrom: Int64(head.count))
        let error = #expect(throws: FormworkError.self) { try check.take(head) }
        #expect(error?.code == .framingBroken && error?.part == part)
        // 5 bytes of delimiter, 40 and 8 of two fields, each with its CRLF, and an empty line.
        #expect(
            error?.message
                == "the header fields of part 1 end at offset 57 instead of 67: one of them contains an empty line")
    }
}
