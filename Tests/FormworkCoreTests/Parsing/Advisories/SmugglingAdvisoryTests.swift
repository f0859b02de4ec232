@testable import FormworkCore
import Testing

/// Bodies that one receiver reads otherwise than the next, which is how a filter in front is got around; and the
/// encoder's side of it: parts that a sender did not mean to send.
@Suite("Advisories: smuggling", .timeLimit(.minutes(10))) struct SmugglingAdvisoryTests {
    @Test(
        "CVE-2022-48279, CVE-2023-24021: what hides a part from another receiver is an error or content, never dropped")
    func hiddenParts() throws {
        let part = "\r\nContent-Disposition: form-data; name=\"admin\"\r\n\r\n1"
        for (line, isContent) in [
            ("\n--boundary", true), ("\r--boundary", true), ("\r\n--BOUNDARY", true), ("\r\n --boundary", true),
            ("\r\n--boundary\n", true), ("\r\n--boundary \n", true), ("\r\n--boundary\r", true),
            ("\r\n--boundary--x", false), ("\r\n--boundary--\n", false), ("\r\n--boundary--\r\r\n", false),
        ] {
            let parsed = try parser().parse(formBody(Array("x\(line)\(part)".utf8)))
            if isContent {
                #expect(parsed.parts.map(\.content) == [Array("x\(line)\(part)".utf8)], "\(line.debugDescription)")
            } else {
                #expect(parsed.failure?.kind == .malformedBoundaryLine, "\(line.debugDescription)")
            }
        }
    }

    @Test(
        "React2Shell's filter bypasses: of two that should be one, neither is taken",
        arguments: [
            ("name=a; name=b", .duplicateParameter), ("name=a; NAME=b", .duplicateParameter),
            ("name=a; name=a", .duplicateParameter), ("name=\"a\"; name=b", .duplicateParameter),
            ("name=a; filename=a; filename=b", .duplicateParameter),
            ("name=a; filename=a; FileName=\"b\"", .duplicateParameter),
            ("name=a; filename*=UTF-8''a; filename*=UTF-8''b", .duplicateParameter),
            ("name*=UTF-8''a; name*=UTF-8''b", .duplicateParameter),
            ("name=a\r\nContent-Disposition: form-data; name=b", .duplicateHeader),
            ("name=a\r\ncontent-disposition: form-data; name=a", .duplicateHeader),
            ("name=a\r\nContent-Type: a/b\r\ncontent-type: a/b", .duplicateHeader),
        ] as [(String, ParsingFailure.Kind)])
    func duplicates(_ disposition: String, _ kind: ParsingFailure.Kind) throws {
        let parsed = try parser("b").parse("--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n\r\n--b--")
        #expect(parsed.failure?.kind == kind && parsed.parts.isEmpty)
    }

    @Test("React2Shell's filter bypasses: of two boundaries neither is taken, and a charset changes no name")
    func boundariesAndCharsets() throws {
        for type in ["boundary=a; boundary=b", "boundary=a; Boundary=a", "boundary=\"a\"; boundary=b"] {
            let kind = failure(of: { _ = try MultipartParser(contentType: "multipart/form-data; \(type)") })?.kind
            #expect(kind == .duplicateParameter, "\(type)")
        }
        // UTF-7 and UTF-16 spell a name that a filter, reading UTF-8, doesn't see. Here it's UTF-8 whatever is claimed.
        for charset in ["utf-7", "utf-16le", "ibm037"] {
            let type = "multipart/form-data; charset=\(charset); boundary=b"
            let body = """
                --b\r\nContent-Disposition: form-data; name="_charset_"\r\n\r\n\(charset)\r\n\
                --b\r\nContent-Disposition: form-data; name="+AGE-"\r\nContent-Type: text/plain; charset=\(charset)\r\n\r\n\
                +AGE-\r\n--b--
                """
            let parsed = try MultipartParser(contentType: type).parse(body)
            #expect(parsed.parts.map(\.header.name) == ["_charset_", "+AGE-"])
            #expect(parsed.parts.map(\.content) == [Array(charset.utf8), Array("+AGE-".utf8)])
        }
    }

    @Test(
        "naxsi 527, WAFFLED: a Content-Type with a suffix or without its shape is refused",
        arguments: [
            ("multipart/form-datax; boundary=b", .invalidContentType),
            ("multipart/form-data, text/plain; boundary=b", .invalidContentType),
            ("multipart/form-data\0; boundary=b", .invalidContentType),
            ("xmultipart/form-data; boundary=b", .invalidContentType),
            ("multipart/form-data/x; boundary=b", .invalidContentType),
            ("multipart/ form-data; boundary=b", .invalidContentType),
            ("multipart/mixed; boundary=b", .invalidContentType),
            ("multipart/form-data; boundary", .invalidContentType),
            ("multipart/form-data; boundary=b\0", .invalidBoundaryParameter),
            ("multipart/form-data boundary=b", .missingBoundaryParameter),
            ("multipart/form-data; boundary*=b", .missingBoundaryParameter),
            ("multipart/form-data; xboundary=b", .missingBoundaryParameter),
        ] as [(String, ParsingFailure.Kind)])
    func contentTypes(_ type: String, _ kind: ParsingFailure.Kind) {
        #expect(failure(of: { _ = try MultipartParser(contentType: type) })?.kind == kind)
    }

    @Test(
        "naxsi 527, WAFFLED: a boundary is the same with and without quotes, and nothing is cut from it",
        arguments: [
            ("boundary=b", "b"), ("boundary=\"b\"", "b"), ("BOUNDARY=b", "b"), ("x=\"; boundary=c\"; boundary=b", "b"),
            ("boundary=b,c", "b,c"), ("boundary=\"b;c\"", "b;c"), ("boundary='b'", "'b'"), ("boundary=b ; x=y", "b"),
        ])
    func boundaries(_ parameter: String, _ boundary: String) throws {
        let parsed = try MultipartParser(contentType: "multipart/form-data; \(parameter)")
            .parse("--\(boundary)\r\nContent-Disposition: form-data; name=a\r\n\r\nv\r\n--\(boundary)--")
        #expect(parsed.failure == nil && parsed.parts.map(\.content) == [[0x76]])
    }

    @Test(
        "naxsi 527, WAFFLED: a header line has one reading, whatever its case and its line ends",
        arguments: [
            ("CONTENT-DISPOSITION: FORM-DATA; NAME=a\r\n\r\n", nil),
            ("Content-Disposition: form-data; name=a\n\n", .malformedHeader),
            ("Content-Disposition: form-data; name=a\r\r", .malformedHeader),
            ("Content-Disposition: form-data; name=a\r\n\n", .malformedHeader),
            ("Content-Disposition : form-data; name=a\r\n\r\n", .malformedHeader),
            ("Content-Disposition\0: form-data; name=a\r\n\r\n", .malformedHeader),
            ("X\r\nContent-Disposition: form-data; name=a\r\n\r\n", .malformedHeader),
            ("\r\nContent-Disposition: form-data; name=a\r\n\r\n", .missingContentDisposition),
        ] as [(String, ParsingFailure.Kind?)])
    func headerLines(_ header: String, _ kind: ParsingFailure.Kind?) throws {
        let parsed = try parser("b").parse("--b\r\n\(header)v\r\n--b\r\n\r\n--b--")
        guard let kind else { return #expect(parsed.parts.map(\.header.name) == ["a"]) }
        #expect(parsed.failure?.kind == kind && parsed.parts.isEmpty)
    }

    @Test(
        "CVE-2025-22150, CVE-2025-7783: a boundary of ours has 128 bits that nobody can foretell")
    func boundaryBits() {
        var (ones, last) = ([Int](repeating: 0, count: 128), "")
        for _ in 0..<400 {
            let text = Boundary.random().text
            #expect(text != last)
            last = text
            let digits = text.utf8.dropFirst("formwork-".utf8.count)
            #expect(digits.count == 32)
            for (place, digit) in digits.enumerated() {
                let value = digit < 0x3A ? digit - 0x30 : digit - 0x57
                for bit in 0..<4 where value >> bit & 1 == 1 { ones[place * 4 + bit] += 1 }
            }
        }
        // Each bit is set about half the time: ten standard deviations are 100 of 400, which chance doesn't reach.
        #expect(ones.allSatisfy { (100...300).contains($0) })
    }

    @Test(
        "CVE-2026-50269, GHSA-2vrm-gr82-f7m5: no header of ours can end its line, by name, value, filename or type",
        arguments: [("\r\nX: 1", "%0D%0AX: 1"), ("\n", "%0A"), ("\r", "%0D"), ("\0", nil)] as [(String, String?)])
    func injection(_ end: String, _ escaped: String?) throws {
        #expect(throws: FormworkError.self) { try HeaderField("X", "a\(end)b") }
        #expect(throws: FormworkError.self) { try HeaderField("X\(end)", "a") }
        var bytes: [UInt8] = []
        #expect(throws: FormworkError.self) {
            try PartHeader(name: "a", contentType: "text/plain\(end)").append(to: &bytes, escaping: .whatwg)
        }
        let header = PartHeader(name: "a\(end)b", filename: "f\(end)g")
        bytes = []
        guard let escaped else {
            #expect(throws: FormworkError.self) { try header.append(to: &bytes, escaping: .whatwg) }
            return
        }
        try header.append(to: &bytes, escaping: .whatwg)
        let line = "Content-Disposition: form-data; name=\"a\(escaped)b\"; filename=\"f\(escaped)g\"\r\n"
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix(line))
        #expect(bytes.count { $0 == 0x0A } == bytes.count { $0 == 0x0D })
    }
}
