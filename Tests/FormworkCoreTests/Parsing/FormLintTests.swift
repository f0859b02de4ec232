@testable import FormworkCore
import Foundation
import TestSupport
import Testing

/// Lints a body in chunks of at most `size` bytes.
func lint(_ body: String, _ type: String = "multipart/form-data; boundary=b", by size: Int = .max) -> [Finding] {
    lint(Array(body.utf8), type, by: size)
}

func lint(_ body: [UInt8], _ type: String = "multipart/form-data; boundary=b", by size: Int = .max) -> [Finding] {
    let starts = stride(from: 0, to: body.count, by: min(size, max(1, body.count)))
    return lint(starts.map { Array(body[$0..<min(body.count - $0, size) + $0]) }, type)
}

@Suite("What a form is told by the lint", .timeLimit(.minutes(10)))
struct FormLintTests {
    /// A body of one part with these header lines, and content `1`.
    private static func part(_ lines: String..., content: String = "1") -> String {
        "--b\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n\(content)\r\n--b--\r\n"
    }

    private static let disposition = "Content-Disposition: form-data; name=\"a\""
    private static let file = "Content-Disposition: form-data; name=\"a\"; filename=\"f\""

    /// A row of `Fixtures/lint.json`: a body, and the descriptions of its findings.
    struct Row: Decodable, CustomTestStringConvertible, Sendable {
        /// Why the row is there, where its findings don't say so.
        var note: String?
        /// The value of `Content-Type`.
        var type: String
        var body: String
        var findings: [String]
        var testDescription: String { self.findings.joined(separator: " | ") }

        static let all: [Row] = {
            let file = Checkout.url("Fixtures/lint.json")
            // A file that can't be read gives a row that fails.
            return (try? JSONDecoder().decode([Row].self, from: Data(contentsOf: file))) ?? [
                Row(type: "", body: "", findings: ["\(file.path) can't be read"])
            ]
        }()
    }

    @Test("Each rule finds what it looks for, says where and what to do", arguments: Row.all)
    func rule(row: Row) {
        #expect(lint(row.body, row.type).map(\.description) == row.findings)
    }

    @Test("Any cut of the body gives the same findings", arguments: Row.all)
    func cuts(row: Row) {
        let body = Array(row.body.utf8)
        let whole = lint(body, row.type)
        for size in 1...min(80, max(1, body.count)) {
            #expect(lint(body, row.type, by: size) == whole, "chunks of \(size)")
        }
        for cut in 0...body.count {
            #expect(lint([Array(body[..<cut]), [], Array(body[cut...])], row.type) == whole, "cut at \(cut)")
        }
    }

    @Test("Names that are not UTF-8")
    func invalidText() {
        let head = Array("--b\r\nContent-Disposition: form-data; name=\"".utf8)
        let findings = lint(head + [0xE9] + Array("\"\r\n\r\n1\r\n--b--\r\n".utf8))
        #expect(
            findings.map(\.description) == [
                "ambiguity invalidText (RFC 7578 §5.1): part 1 \"\u{FFFD}\": The name is not UTF-8: write it in UTF-8. "
                    + "[body offset 5]"
            ])
    }

    @Test("Every rule is looked for above")
    func complete() {
        let told = Row.all.flatMap { lint($0.body, $0.type) }.map(\.oddity)
        let missing = Set(Oddity.allCases.filter { $0.severity != .damage }).subtracting(told)
        // Bytes that aren't UTF-8 have a test of their own. A message's head is read by the command. The lint takes LF for a
        // line end, so it sees the delimiter there.
        #expect(missing == [.invalidText, .messageFraming, .delimiterBesideLineFeed])
    }

    @Test("Strict refuses no advice, and what it refuses has another severity", arguments: Oddity.allCases)
    func severities(oddity: Oddity) {
        let isRefused =
            [.departure, .ambiguity].contains(oddity.severity) && oddity != .noParts && oddity != .otherHeader
        #expect(oddity.isAmbiguous == isRefused)
    }

    @Test("A finding carries its rule's weight, section and part")
    func values() throws {
        let finding = try #require(lint(Self.part("Content-Disposition: form-data")).first)
        #expect(finding.oddity == .missingName)
        #expect(finding.oddity.rawValue == "missingName")
        #expect(finding.oddity.severity == .departure)
        #expect(finding.oddity.section == "RFC 7578 §4.2")
        #expect(finding.part == PartReference(index: 0, name: nil))
        #expect(finding.offset == 5)
    }

    @Test(
        "Bodies of random tokens: the same findings for every cut, and none brings the lint down",
        arguments: UInt64(0)..<40)
    func tokens(seed: UInt64) {
        let tokens = [
            "--b", "--b\r\n", "\r\n--b", "\r\n--b\r\n", "\n--b\n", "\r\n--b--", "--", "\r\n", "\r\n\r\n", "\n", "\r",
            " ", "\t",
            "x", "--bx", "X: 1", "Content-Type: text/plain", Self.disposition, Self.file + "\r\n\r\n",
        ]
        var generator = SplitMix64(seed: seed)
        for _ in 0..<60 {
            let count = Int.random(in: 0...14, using: &generator)
            let body = Array((0..<count).map { _ in tokens.randomElement(using: &generator) ?? "" }.joined().utf8)
            let whole = lint(body)
            for size in [1, 2, 3, 7, 50] {
                #expect(lint(body, by: size) == whole, "\(String(decoding: body, as: UTF8.self).debugDescription)")
            }
        }
    }

    @Test("Findings are kept up to a number, the others counted")
    func many() throws {
        var parser = try MultipartParser(linting: "multipart/form-data; boundary=b")
        for _ in 0..<1200 { try parser.skim(Array("--b\r\n\r\n1\r\n".utf8)) }
        try parser.skim(Array("--b\r\n\r\n1\r\n--bX\r\n--b--".utf8))
        try parser.finish()
        // The first of a kind is kept in any case.
        #expect(parser.findings().count == 1001)
        #expect(parser.findings().last?.oddity == .longerLine)
        #expect(parser.leftOutFindings == 201)
    }

    @Test("Blanks without end behind the close delimiter, and a preamble without end, take no time and no memory")
    func endless() throws {
        for head in ["--b--", "--b\r\n\(Self.disposition)\r\n\r\n1\r\n--b--", "x"] {
            var parser = try MultipartParser(linting: "multipart/form-data; boundary=b")
            try parser.skim(Array(head.utf8))
            for _ in 0..<2_000 { try parser.skim([UInt8](repeating: 0x20, count: 1000)) }
            #expect(parser.retainedBytes < 1000)
        }
    }

    @Test("A delimiter where no part can begin is a departure", arguments: [1, 7, 1000])
    func misplaced(size: Int) {
        let body = Self.part(Self.disposition)
        let after = lint(body + body, by: size).filter { $0.oddity == .partAfterEnd }
        #expect(after.map(\.offset) == [Int64(body.utf8.count)])
        #expect(lint(body + "--b--\r\n", by: size).allSatisfy { $0.oddity != .partAfterEnd })
        let mark = lint("\u{FEFF}" + body.replacing("--b--\r\n", with: "") + body, by: size)
        #expect(Set(mark.map(\.oddity)) == [.preamble, .byteOrderMark, .delimiterInPreamble])
        #expect(mark.map(\.offset) == [0, 0, 3])
    }
}
