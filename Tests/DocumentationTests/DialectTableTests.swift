import FormworkURLEncoded
import FormworkFoundation
import Foundation
import Testing

/// The table of types in the article Url-encoding.
@Suite("Types in each dialect", .timeLimit(.minutes(10)))
struct DialectTableTests {
    struct Address: Codable, Equatable, Sendable { var town: String, code: Int }
    enum Plan: String, Codable { case free, paid }
    enum Choice: Codable, Equatable, Sendable { case colour(String), size(width: Int, height: Int) }

    struct Row: Sendable {
        var type: String
        var value: String
        /// The text in a dialect.
        var text: @Sendable (URLEncodedDialect) -> String

        init<Value: Codable & Equatable & Sendable>(_ type: String, _ value: Value, _ shown: String) {
            (self.type, self.value) = (type, shown)
            self.text = { dialect in
                guard let text = try? dialect.encode(value) else { return "refused" }
                let read = try? dialect.decode(Value.self, from: text)
                return read == value
                    ? text.removingPercentEncoding?.replacingOccurrences(of: "+", with: " ") ?? text : "lost: \(text)"
            }
        }
    }

    static let rows = [
        Row("text, numbers, Bool", Flat(a: "x y", n: 7, r: 0.5, on: true), "a: \"x y\", n: 7, r: 0.5, on: true"),
        Row("a struct in a struct", ["at": Address(town: "Kiel", code: 1)], "at: Address(town: \"Kiel\", code: 1)"),
        Row("an array", ["t": ["x", "y"]], "t: [\"x\", \"y\"]"),
        Row(
            "an array of structs", ["p": [Address(town: "A", code: 1), Address(town: "B", code: 2)]],
            "p: [Address(town: \"A\", code: 1), Address(town: \"B\", code: 2)]"),
        Row("an array of arrays", ["m": [[1, 2], [3]]], "m: [[1, 2], [3]]"),
        Row("a dictionary", ["d": ["k": 1]], "d: [\"k\": 1]"),
        Row("an optional", Maybe(a: nil, b: 2), "a: nil, b: 2"),
        Row("an empty array", Empty(l: [], n: 1), "l: [], n: 1"),
        Row("`Date`", ["at": Date(timeIntervalSince1970: 1_795_362_704)], "at: 2026-11-22 15:51:44 UTC"),
        Row(
            "`Decimal`, `URL`",
            Links(price: Decimal(string: "12.50") ?? 0, url: URL(string: "https://a.b/c") ?? URL(filePath: "/")),
            "price: 12.5, url: https://a.b/c"),
        Row("an enumeration with raw values", ["p": Plan.paid], "p: .paid"),
        Row("an enumeration with values", ["c": Choice.size(width: 2, height: 3)], "c: .size(width: 2, height: 3)"),
    ]

    struct Flat: Codable, Equatable, Sendable { var a: String, n: Int, r: Double, on: Bool }
    struct Maybe: Codable, Equatable, Sendable { var a: Int?, b: Int? }
    struct Empty: Codable, Equatable, Sendable { var l: [Int], n: Int }
    struct Links: Codable, Equatable, Sendable { var price: Decimal, url: URL }

    private static var table: [String] {
        let dialects: [URLEncodedDialect] = [.php, .rails, .alamofire, .whatwg]
        return ["| type | value | `php` | `rails` | `alamofire` | `whatwg` |", "|---|---|---|---|---|---|"]
            + self.rows.map { row in
                let texts = dialects.map { dialect in
                    let text = row.text(dialect)
                    return text == "refused" ? text : "`\(text)`"
                }
                return "| \(([row.type, "`\(row.value)`"] + texts).joined(separator: " | ")) |"
            }
    }

    @Test("The article has the texts that are written, and they are read back equal")
    func table() throws {
        let article = checkout.appending(path: "Sources/Formwork/Formwork.docc/Url-encoding.md")
        let lines = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
        for row in Self.table where !lines.contains(row) { Issue.record("\(row)") }
    }
}
