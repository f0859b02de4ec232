@testable import FormworkURLEncoded
import Foundation
import FormworkFoundation
import FormworkMigration
import TestSupport
import Testing

@Suite("Vectors: escaping, and WHATWG's parser", .timeLimit(.minutes(10)))
struct EscapeVectorsTests {
    /// The tables that a row speaks of.
    private static func encoders(_ row: VectorRows.Row) throws -> [PercentEncoder] {
        switch row.json["system"] as? String {
        case "afnetworking.escape":
            let isKey = try row.choice("role", "value", "key") == "key"
            return try row.releases().map(isKey ? PercentEncoder.afnetworkingKey : PercentEncoder.afnetworkingValue)
        // Both write keys as they are.
        case "fbsdk.escape": return try row.choice("role", "value", "key") == "key" ? [.raw] : [.facebook]
        default:
            if try row.choice("role", "value", "key") == "key" { return [.raw] }
            return try row.choice("space", "percent", "plus") == "plus" ? [.recipes.space(.plus)] : [.recipes]
        }
    }

    @Test(
        "A text is escaped",
        arguments: try ["afnetworking", "fbsdk", "prp"].flatMap { try VectorRows.rows(of: "\($0).escape") })
    func escape(row: VectorRows.Row) throws { try Self.checkEscape(row) }

    static func checkEscape(_ row: VectorRows.Row) throws {
        let options = row.json["system"] as? String == "prp.escape" ? ["role", "space", "repeat"] : ["role", "repeat"]
        try row.understand("expected", "expectedLinux", options: options)
        let times = row.options["repeat"] == nil ? 1 : row.options["repeat"] as? Int ?? 0
        guard times > 0 else { throw RowNotUnderstood("repeat \(row.options["repeat"] ?? "")") }
        let expected = String(repeating: try #require(row.expected as? String), count: times)
        let encoders = try Self.encoders(row)
        #expect(!encoders.isEmpty)
        for encoder in encoders {
            if let text = row.json["input"] as? String {
                #expect(encoder.encode(String(repeating: text, count: times)) == expected)
            } else {
                guard let units = (row.json["input"] as? [String: Any])?["units"] as? [String] else {
                    throw RowNotUnderstood("the input")
                }
                let text = String(validating: units.compactMap { UInt16($0, radix: 16) }, as: UTF16.self)
                #expect(encoder.encode(try #require(text)) == expected)
            }
        }
    }

    @Test("A form is read as WHATWG has it", arguments: try VectorRows.rows(of: "whatwg.urlencoded.parse"))
    func parse(row: VectorRows.Row) throws {
        try row.understand("expected")
        let pairs = try URLEncodedPairs(try #require(row.json["input"] as? String)).pairs
        let expected = try #require(row.expected as? [[String]])
        #expect(pairs.map { [$0.name, $0.value ?? ""] } == expected)
    }
}
