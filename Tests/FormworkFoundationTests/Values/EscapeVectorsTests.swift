import Foundation
import FormworkFoundation
import Testing

@Suite("Vectors: escaping, and WHATWG's parser")
struct EscapeVectorsTests {
    /// The tables that a row speaks of.
    private static func encoders(_ row: VectorRows.Row) throws -> [PercentEncoder] {
        switch row.json["system"] as? String {
        case "afnetworking.escape":
            switch row.options["role"] as? String {
            case "key": return try row.releases().map(PercentEncoder.afnetworkingKey)
            case "value": return try row.releases().map(PercentEncoder.afnetworkingValue)
            case let role: throw RowNotUnderstood("the role \(role ?? "none")")
            }
        case "fbsdk.escape": return [.facebook]
        default:
            switch row.options["space"] as? String ?? "percent" {
            case "percent": return [.recipes]
            case "plus": return [.recipes.space(.plus)]
            case let space: throw RowNotUnderstood("the space \(space)")
            }
        }
    }

    @Test(
        "A text is escaped",
        arguments: try ["afnetworking", "fbsdk", "prp"].flatMap { try VectorRows.rows(of: "\($0).escape") })
    func escape(row: VectorRows.Row) throws {
        try row.understand("expected", options: ["role", "space", "repeat"])
        let times = row.options["repeat"] as? Int ?? 1
        let expected = String(repeating: try #require(row.expected as? String), count: times)
        let encoders = try Self.encoders(row)
        #expect(!encoders.isEmpty)
        for encoder in encoders {
            if let text = row.json["input"] as? String {
                #expect(encoder.encode(String(repeating: text, count: times)) == expected)
            } else {
                let units = try #require((row.json["input"] as? [String: Any])?["units"] as? [String])
                #expect(encoder.encode(utf16: units.compactMap { UInt16($0, radix: 16) }) == expected)
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
