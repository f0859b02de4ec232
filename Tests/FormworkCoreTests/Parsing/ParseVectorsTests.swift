import FormworkCore
import Foundation
import TestSupport
import Testing

/// Bodies of other parsers' tests and of browsers, cut in every way.
@Suite(.timeLimit(.minutes(10))) struct ParseVectorsTests {
    @Test("Rows are found by what they have, and one that isn't understood fails")
    func rows() throws {
        let row =
            #"{"name": "n", "profile": "default", "content_type": "a", "body_base64": "", "expected": {"error": "x"}"#
        func read(_ rows: String) throws -> [ParseVector] {
            try VectorRow.rows(of: Data("[\(rows)]".utf8), in: "f").compactMap(ParseVector.init)
        }
        #expect(try read(#"\#(row)}, {"system": "x"}"#).map(\.name) == ["n"])
        for odd in [row + #", "charset": "x"}"#, row.replacing(#""error": "x""#, with: #""warning": "x""#) + "}"] {
            #expect(throws: RowNotUnderstood.self) { try read(odd) }
        }
        let unknown = try read(row.replacing("default", with: "mail") + "}")
        #expect(throws: RowNotUnderstood.self) { try unknown[0].makeParser() }
    }

    @Test("A body gives its parts or its class of error, whole and cut", arguments: ParseVector.all)
    func vector(_ row: ParseVector) throws {
        let parser: MultipartParser
        do {
            parser = try row.makeParser()
        } catch let error as FormworkError {
            #expect(error.parsingFailure?.kind.rawValue == row.error)
            return
        }
        let body = row.body
        let whole = parser.parse(body)
        Self.compare(whole, row)

        // Every place of all but the fifteen longest, which hold the same byte again and again.
        let step = body.count < 3000 ? 1 : body.count / 200
        for cut in stride(from: 0, through: body.count, by: step) {
            #expect(parser.parse(body, cut: cut) == whole, "cut before byte \(cut)")
        }
        guard body.count < 100_000 else {
            return #expect(parser.parse(body, chunk: 4099) == whole, "in chunks of 4099 bytes")
        }
        #expect(parser.parse(body, chunk: 1) == whole, "byte by byte")
        var generator = SplitMix64(seed: row.name)
        for most in [3, 40, 400] {
            #expect(parser.parse(body, upTo: most, using: &generator) == whole, "cut at random")
        }
    }

    @Test("A body's beginning gives the parts that are whole in it, or an error", arguments: ParseVector.all)
    func prefixes(_ row: ParseVector) throws {
        guard let parser = try? row.makeParser(), row.body.count < 3000 else { return }
        let body = row.body
        let whole = parser.parse(body).parts
        for count in 0..<body.count {
            let start = parser.parse(Array(body.prefix(count)))
            #expect(start.parts.count <= whole.count, "\(count) bytes")
            for (part, other) in zip(start.parts, whole) {
                #expect(part.header == other.header, "\(count) bytes")
                let isRight = part.isWhole ? part.content == other.content : other.content.starts(with: part.content)
                #expect(isRight, "\(count) bytes")
            }
            guard start.failure == nil else { continue }
            // Only behind the close delimiter may a body end without an error, or where its profile wants none.
            #expect(start.parts.count == whole.count || row.profile == "lenient", "\(count) bytes")
            #expect(!start.parts.contains { !$0.isWhole }, "\(count) bytes")
        }
    }

    private static func compare(_ body: ParsedBody, _ row: ParseVector) {
        #expect(body.failure?.kind.rawValue == row.error)
        guard let parts = row.parts else { return }
        #expect(body.parts.count == parts.count)
        for (part, expected) in zip(body.parts, parts) {
            #expect(part.isWhole)
            #expect(part.header.name == expected.name)
            #expect(part.header.filename == expected.filename)
            #expect(part.header.contentType == Self.value(expected.contentType, row))
            if let content = expected.body { #expect(part.content == content) }
            if let length = expected.length { #expect(part.content.count == length) }
            for (name, values) in expected.headers ?? [:] {
                #expect(part.header.values(of: name) == values.compactMap { Self.value($0, row) }, "\(name)")
            }
            let count = (expected.headers ?? [:]).values.reduce(0) { $0 + $1.count }
            #expect(expected.headers == nil || part.header.fields.count == count)
        }
    }

    private static func value(_ text: String?, _ row: ParseVector) -> String? {
        // RFC 9110 §5.5: a field value does not begin with blanks, and RFC 9112 §5.2 has folds replaced before that. A row may
        // keep the blank of a fold that its value begins with: `Content-Type: CRLF SP text/plain`.
        row.body.firstRange(of: Array(": \r\n ".utf8)) == nil && row.body.firstRange(of: Array(":\r\n ".utf8)) == nil
            ? text : text.map { String($0.drop { $0 == " " || $0 == "\t" }) }
    }
}
