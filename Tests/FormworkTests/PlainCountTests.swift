import TestSupport
import Testing

@testable import Formwork

/// The length of most fields is computed without composing them. It is the length of what is composed.
@Suite("Lengths of fields", .timeLimit(.minutes(10)))
struct PlainCountTests {
    private func form(_ parts: [BodyPart], _ escaping: ParameterEscaping = .whatwg) throws -> FormData {
        let framing = MultipartFraming(boundary: try Boundary("b"), escaping: escaping)
        var form = FormData(framing: framing)
        form.append(PartSequence(parts))
        return form
    }

    @Test("A sequence's length is the number of its bytes")
    func literal() throws {
        let plan = try self.form([BodyPart(name: "a", value: "12"), BodyPart(name: "b\"", value: "")]).plan()
        let body =
            "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n12\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"b%22\"\r\n\r\n\r\n--b--\r\n"
        #expect(plan.contentLength == 114)
        #expect(body.utf8.count == 114)
        #expect(try plan.makeReader().collect(upTo: 1000) == Array(body.utf8))
    }

    @Test("Also with every escaping, other fields and other sources", arguments: ParameterEscaping.allCases)
    func others(escaping: ParameterEscaping) throws {
        var header = PartHeader(name: "h")
        header.fields = [try HeaderField("X-A", "1")]
        var encoded = BodyPart(name: "e", value: "text=")
        encoded.header.transferEncoding = .quotedPrintable(isMeasured: true)
        let name = escaping == .refuse ? "n" : "n\\"
        let parts = [
            BodyPart(name: name, value: "1"), BodyPart(name: "typed", value: "2", contentType: "text/plain"),
            BodyPart(header: header, source: .text("3")),
            BodyPart(name: "long", value: String(repeating: "x", count: 20_000)),
            BodyPart(name: "bytes", source: .bytes([1, 2, 3])), encoded,
            BodyPart(name: "file", source: .text("5"), filename: "a.txt"),
            BodyPart(header: PartHeader(disposition: nil), source: .text("6")),
            BodyPart(name: "\u{20AC}", value: "\u{20AC}"),
        ]
        let plan = try self.form(parts, escaping).plan()
        let body = try plan.makeReader().collect(upTo: 100_000)
        #expect(plan.contentLength == Int64(body.count))
    }

    @Test("Also of uploads whose type is found from their content, on the disk and in memory")
    func typed() throws {
        let folder = TemporaryFolder()
        let path = try folder.file("a.bin", "1234567")
        var form = try self.form([
            BodyPart(name: "m", source: .text("12345"), filename: "b.bin"), BodyPart(name: "d", file: path),
        ])
        form.types = MediaTypeDetection(headCount: 1) { _, head in
            MediaTypeChoice("x/" + String(decoding: head ?? [], as: UTF8.self), by: .content, reason: "its first byte")
        }
        let plan = try form.plan()
        let body =
            "--b\r\nContent-Disposition: form-data; name=\"m\"; filename=\"b.bin\"\r\nContent-Type: x/1\r\n\r\n12345"
            + "\r\n--b\r\nContent-Disposition: form-data; name=\"d\"; filename=\"a.bin\"\r\nContent-Type: x/1\r\n\r\n"
            + "1234567\r\n--b--\r\n"
        #expect(plan.contentLength == 195)
        #expect(body.utf8.count == 195)
        #expect(try plan.makeReader().collect(upTo: 1000) == Array(body.utf8))
    }

    @Test(
        "A name that the escaping refuses is an error of the plan", arguments: ["a\u{0}", "a\"", "a\r", "a\n", "a\\"])
    func refused(name: String) throws {
        #expect(throws: FormworkError.self) {
            _ = try self.form([BodyPart(name: name, value: "1")], .refuse).plan()
        }
    }
}
