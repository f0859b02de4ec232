@testable import Formwork
import Testing

@Suite("What probably happened to a body that can't be read", .timeLimit(.minutes(10)))
struct BodyDiagnosisTests {
    /// Feeds a body to a parser and an observer beside it, as a server does.
    private static func diagnosis(
        _ body: [UInt8], boundary: String = "b", length: Int64? = nil, encoding: String? = nil, chunk: Int = .max
    ) throws -> Finding? {
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=\(boundary)")
        var seen = BodyDiagnosis(for: parser, contentLength: length, contentEncoding: encoding)
        do throws(FormworkError) {
            for start in stride(from: 0, to: body.count, by: min(chunk, max(body.count, 1))) {
                let bytes = Array(body[start..<min(body.count, start + min(chunk, body.count))])
                seen.take(bytes)
                var position = 0
                while true {
                    let event = try parser.next(in: bytes, from: &position)
                    if event == .needsInput { break }
                    seen.take(event, in: bytes)
                }
            }
            try parser.finish()
            return seen.finding(for: nil)
        } catch {
            return seen.finding(for: error)
        }
    }

    private static let form = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"

    private static func file(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let head = "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"f\"\r\nContent-Type: \(type)\r\n\r\n"
        return Array(head.utf8) + content + Array("\r\n--b--\r\n".utf8)
    }

    struct Row: CustomTestStringConvertible {
        var body: String
        var cause: Oddity?
        var text: String?
        var boundary = "b"
        var length: Int64?
        var encoding: String?
        var testDescription: String { self.cause?.rawValue ?? "none" }
    }

    static let rows = [
        Row(body: form),
        Row(
            body: "", cause: .emptyBody,
            text: "the body has no bytes: something has read it before, or it was never sent"),
        Row(
            body: "", cause: .emptyBody,
            text:
                "the body has no bytes, but its Content-Length is 12: something has read it before, or it was never "
                + "sent",
            length: 12),
        Row(
            body: form, cause: .dashedBoundary,
            text: "the boundary is given with the two dashes that begin a delimiter: it is \"b\"",
            boundary: "--b"),
        Row(
            body: "pre\r\n--c \r\n\r\n", cause: .otherBoundary,
            text: "its first line is \"--c \", but the boundary is given as \"b\""),
        Row(
            body: "--\u{1B}[2J\u{202E}x\r\n", cause: .otherBoundary,
            text: "its first line is \"--\\u{1B}[2J\\u{202E}x\", but the boundary is given as \"b\""),
        Row(
            body: form.replacing("\r\n", with: "\n"), cause: .lostCarriageReturns,
            text: "its lines end with LF instead of CRLF: it went through a conversion of line ends"),
        Row(
            body: "--b\r\n" + form.dropFirst(5).replacing("\r\n", with: "\n") + "\r\n\r\n", cause: .lostCarriageReturns,
            text: "its lines end with LF instead of CRLF: it went through a conversion of line ends"),
        Row(
            body: form.replacing("\r\n", with: "\r\r\n"), cause: .doubledCarriageReturns,
            text: "its lines end with CR CR LF: LF became CRLF in a body that had CRLF already"),
        Row(
            body: String(form.prefix(52)), cause: .cut, text: "it was cut off, or its sender wrote no close delimiter"),
        Row(
            body: String(form.unicodeScalars.prefix(40).map(Character.init)), cause: .cut,
            text: "it was cut off: only 40 of 64 bytes arrived", length: 64),
        Row(body: "{\"a\":1}", cause: .notMultipart, text: "it is JSON, not multipart"),
        Row(body: " \n[1]", cause: .notMultipart, text: "it is JSON, not multipart"),
        Row(body: "<form/>", cause: .notMultipart, text: "it is XML or HTML, not multipart"),
        Row(body: "a=1&b%5B%5D=2+3", cause: .notMultipart, text: "it is url-encoded, not multipart"),
        Row(
            body: "LS1iDQpDb250ZW50LURpc3Bvc2l0aW9uOiBmb3JtLWRhdGE7IG5hbWU9ImEiDQoN",
            cause: .base64, text: "it is encoded with Base64, as API gateways pass it: decode it first"),
        Row(body: "a = 1, 2!"),
        Row(
            body: "POST /a HTTP/1.1\r\nHost: x\r\n\r\n", cause: .messageHead,
            text: "it begins with the head of an HTTP message: remove it first"),
        Row(
            body: "HTTP/1.1 200 OK\r\n\r\n", cause: .messageHead,
            text: "it begins with the head of an HTTP message: remove it first"),
        Row(
            body: "xx", cause: .contentEncoded, text: "its Content-Encoding is br: decode it first", encoding: "br"),
        Row(body: "xx", encoding: "identity"),
        Row(
            body: "3C\r\n" + form + "\r\n0\r\n\r\n", cause: .chunkedCoding,
            text: "its first line, \"3C\", is a chunk's size: decode the chunked coding first"),
        Row(
            body: "1f;x=y\r\n--c\r\n", cause: .chunkedCoding,
            text: "its first line, \"1f;x=y\", is a chunk's size: decode the chunked coding first"),
        Row(body: "fade\r\nprose"),
    ]

    @Test("The cause and the sentence, however the body is cut", arguments: rows)
    func row(_ row: Row) throws {
        for chunk in [Int.max, 1, 7] {
            let found = try Self.diagnosis(
                Array(row.body.utf8), boundary: row.boundary, length: row.length, encoding: row.encoding, chunk: chunk)
            #expect(found?.oddity == row.cause, "\(row.body)")
            #expect(found?.message == row.text)
        }
    }

    /// With `whatwg`, such a body is refused at its first byte, when only a part of the delimiter may have arrived.
    @Test func `A line that is still arriving says nothing about the boundary`() throws {
        let body = Array("\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--".utf8)
        for count in 1...body.count {
            var parser = MultipartParser(boundary: try Boundary("b"), profile: .whatwg)
            var seen = BodyDiagnosis(for: parser)
            let start = Array(body.prefix(count))
            seen.take(start)
            var position = 0
            do throws(FormworkError) {
                while try parser.next(in: start, from: &position) != .needsInput {}
                try parser.finish()
                Issue.record("a preamble was accepted")
            } catch {
                guard error.code != .truncatedBody else { continue }
                #expect(seen.finding(for: error) == nil, "\(count)")
            }
        }
    }

    @Test("Compressed bodies are known by their first bytes")
    func compressed() throws {
        let messages = try [[0x1F, 0x8B, 8, 0], [0x28, 0xB5, 0x2F, 0xFD, 0]].map { try Self.diagnosis($0)?.message }
        #expect(messages == ["gzip", "zstd"].map { "it is compressed with \($0): decompress it first" })
    }

    @Test("Bytes that were decoded as text are told, in a body that can be parsed; text and real bytes are not")
    func decodedAsText() throws {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10, 0x4A, 0x46, 0x49, 0x46, 0x80, 0x9A]
        let replaced = Array(String(decoding: jpeg, as: UTF8.self).utf8)
        let doubled = Array(String(String.UnicodeScalarView(jpeg.map { Unicode.Scalar($0) })).utf8)
        #expect(try Self.diagnosis(Self.file("image/jpeg", jpeg)) == nil)
        for chunk in [Int.max, 1] {
            let lost = try Self.diagnosis(Self.file("image/jpeg", replaced), chunk: chunk)
            #expect(lost?.oddity == .decodedAsText)
            #expect(
                lost?.message
                    == "part 1 (image/jpeg) was decoded as text on its way: its bytes were replaced by U+FFFD "
                    + "and are lost")
            let twice = try Self.diagnosis(Self.file("application/octet-stream", doubled), chunk: chunk)
            #expect(
                twice?.message
                    == "part 1 (application/octet-stream) was decoded as text on its way: its bytes from "
                    + "80 to FF were encoded as UTF-8")
            let cut = Array(Self.file("image/jpeg", replaced).prefix(110))
            #expect(try Self.diagnosis(cut, length: 130, chunk: chunk)?.oddity == .decodedAsText)
        }
        #expect(try Self.diagnosis(Self.file("text/plain", replaced)) == nil)
        #expect(try Self.diagnosis(Self.file("image/svg+xml", replaced)) == nil)
        #expect(try Self.diagnosis(Self.file("application/octet-stream", Array("Grüße, naïve Öl".utf8))) == nil)
        #expect(try Self.diagnosis(Self.file("application/octet-stream", Array("東京 文書".utf8))) == nil)
    }

    @Test("A long first line is shown in 80 characters, and what is kept stays small")
    func bounded() throws {
        let line = "--" + String(repeating: "x", count: 100_000) + "\r\n"
        let found = try Self.diagnosis(Array(line.utf8))
        #expect(
            found?.message == "its first line is \"--" + String(repeating: "x", count: 78)
                + "…\", but the boundary is given as \"b\"")
    }

    @Test("An error long before the end isn't a cut, whatever the length")
    func early() throws {
        #expect(try Self.diagnosis(Array("--b\r\nno field\r\n".utf8), length: 900_000) == nil)
    }

    @Test("A crossed limit behind the first part has no diagnosis")
    func limits() throws {
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=b")
        var seen = BodyDiagnosis(for: parser)
        let bytes = Array(Self.form.utf8)
        seen.take(bytes)
        var position = 0
        seen.take(try parser.next(in: bytes, from: &position), in: bytes)
        let error = FormworkError(.limitExceeded, "", cause: ParsingFailure(.partsLimit, limit: 1))
        #expect(seen.parts == 1)
        #expect(seen.finding(for: error) == nil)
    }
}
