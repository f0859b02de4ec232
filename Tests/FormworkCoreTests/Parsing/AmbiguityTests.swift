@testable import FormworkCore
import Foundation
import TestSupport
import Testing

/// What receivers read differently is one list: the parser reports it, strict refuses it, and the lint has a finding for it.
@Suite(.timeLimit(.minutes(10))) struct AmbiguityTests {
    private static func names(_ body: [UInt8], _ type: String) throws -> [String]? {
        guard let parser = try? MultipartParser(contentType: type) else { return nil }
        let parsed = parser.parse(body)
        guard parsed.failure == nil else { return nil }
        return parsed.parts.flatMap { $0.header.ambiguities.map(\.name) } + parsed.ambiguities
    }

    /// Whether a profile reads all of a body.
    private static func reads(_ body: [UInt8], _ type: String, _ profile: ParsingProfile) -> Bool {
        (try? MultipartParser(contentType: type, profile: profile).parse(body).failure == nil) ?? false
    }

    @Test(
        "Strict refuses a body of which the lint has a finding that is ambiguous, and no other",
        arguments: FormLintTests.Row.all)
    func strict(row: FormLintTests.Row) {
        let body = Array(row.body.utf8)
        let isAmbiguous = lint(body, row.type).contains { $0.oddity.isAmbiguous }
        guard let parser = try? MultipartParser(contentType: row.type, profile: .strict) else {
            #expect(isAmbiguous)
            return
        }
        let whole = parser.parse(body)
        #expect((whole.failure == nil) == !isAmbiguous)
        for size in [1, 2, 3, 5] { #expect(parser.parse(body, chunk: size) == whole, "chunks of \(size)") }
    }

    @Test("What was read leniently is reported by the default profile, too")
    func reported() throws {
        func form(_ disposition: String, _ content: String = "1") -> [UInt8] {
            Array("--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n\(content)\r\n--b--\r\n".utf8)
        }
        let type = "multipart/form-data; boundary=b"
        #expect(try Self.names(form("name=\"a\""), type) == [])
        #expect(try Self.names(form("name=a"), type) == ["unquotedName"])
        #expect(try Self.names(form("name=\"a\"; name*=utf-8''b"), type) == ["extendedParameter"])
        #expect(try Self.names(form("name=\"a\"; filename*0=\"f\""), type) == ["extendedParameter"])
        #expect(try Self.names(form("name=\"a\\\\b\""), type) == ["backslash"])
        #expect(try Self.names(form("name=\"a\"", "1\r\n--bX"), type) == ["longerLine"])
        #expect(try Self.names(form("name=\"a\"", "1\r\n--b\nx"), type) == ["delimiterBesideLineFeed"])
        #expect(try Self.names(form("name=\"a\"; filename=\"\"", "x"), type) == ["emptyFilename"])
        #expect(try Self.names(form("name=\"a\"; filename=\"\"", ""), type) == [])
        #expect(try Self.names(form("name=\"a\""), "multipart/form-data; boundary = b") == ["parameterSyntax"])
        #expect(
            try Self.names(form("name=\"a\""), "multipart/form-data; boundary=b; boundary*0=c")
                == ["extendedParameter", "boundaryWord"])
    }

    /// Bodies that were reported for other parsers, with a blank line between their head and the body.
    private static let files = [
        "f1a-blank-around-equals", "f1b-blank-before-semicolon", "f1c-boundary-star", "f1d-boundary-continued",
        "f1e-boundary-comma", "f1f-boundary-71", "f1g-name-star", "f1h-filename-continued", "f1i-unquoted-blank",
        "f2a-only-name-star", "f2b-blank-in-type", "f3-empty-filename", "d-lf-after-close",
    ]

    @Test("Strict refuses each report, and the lint has a finding", arguments: files)
    func reports(name: String) throws {
        let file = Checkout.url("Fixtures/reports/\(name).http")
        let message = try [UInt8](Data(contentsOf: file))
        let end = try #require(message.indices.first { message[$0...].starts(with: "\r\n\r\n".utf8) })
        let head = String(decoding: message[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        let line = try #require(head.first { $0.lowercased().hasPrefix("content-type:") })
        let type = line.dropFirst(13).trimmingCharacters(in: .whitespaces)
        let body = Array(message[(end + 4)...])
        #expect(!Self.reads(body, type, .strict))
        #expect(lint(body, type).contains { $0.oddity.isAmbiguous })
    }

    @Test("A stray delimiter is found however the bytes are cut", arguments: [1, 2, 3, 5, 1_000])
    func cuts(size: Int) {
        for (text, wanted, end) in [
            ("xx--XX\r\nyy", 2, ""), ("xx--XXy--XX\nz", 7, ""), ("--XX--", 0, "CRLF"), ("xx--XX", nil, ""),
            ("----XX--", 2, ""), ("a\n--XX\n", 2, "LF"), ("\n--XX\r\n", 1, "LF"), ("a\r\n--XX\n", 3, "CRLF"),
            ("aaaaaaaaaaaa\r\n--XX\nb", 14, "CRLF"),
        ] as [(String, Int64?, String)] {
            var search = StrayDelimiter(boundary: Array("XX".utf8))
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(bytes.count, start + size)])
                piece.withRawSpan { search.take($0, 0..<$0.byteCount, at: Int64(start)) }
            }
            #expect(search.offset == wanted, "\(text)")
            #expect(search.followsLF == (end == "LF") && search.followsCRLF == (end == "CRLF"), "\(text)")
        }
    }
}
