import Foundation
import FormworkFoundation
import FormworkMigration
import TestSupport
import Testing

@Suite("Vectors: Facebook's query strings and bodies", .timeLimit(.minutes(10)))
struct FacebookVectorsTests {
    @Test("A dictionary is written", arguments: try VectorRows.rows(of: "fbsdk.queryStringWithDictionary"))
    func write(row: VectorRows.Row) throws { try Self.checkWrite(row) }

    static func checkWrite(_ row: VectorRows.Row) throws {
        try row.understand(
            "expected", "expectedLinux", "expectedNil", "expectedNote", options: ["invalidObjectHandler"])
        guard let pairs = try row.input() as? [(String, Any)] else { throw RowNotUnderstood("the input") }
        let dictionary = RowInputValue.dictionary(pairs)
        let handler: FacebookQuery.InvalidObjectHandler? =
            switch row.options["invalidObjectHandler"] as? String {
            case nil: nil
            case "returns nil": { _, _ in nil }
            case "sets stop on non-string":
                { _, stop in
                    stop = true
                    return "x"
                }
            case let name?: throw RowNotUnderstood("the handler \(name)")
            }
        let exact = { try FacebookQuery.query(of: dictionary, compatibility: .exact, invalidObjectHandler: handler) }
        let safe = { try FacebookQuery.query(of: dictionary, invalidObjectHandler: handler) }
        // The default escapes names, and refuses values that the system prints as they describe themselves.
        let isEscaped = pairs.contains { FacebookQuery.encode($0.0) != $0.0 }
        let isDescribed =
            handler == nil
            && pairs.contains { !(FacebookQuery.requestValue($0.1) is String) && !($0.1 is Substring) }
        if let note = row.json["expectedNote"] as? String {
            guard note == "value printed with its description, unescaped" else { throw RowNotUnderstood(note) }
            #expect(try exact() == pairs.map { "\($0)=\($1)" }.joined(separator: "&"))
        } else {
            #expect(try exact() == row.expected as? String)
            #expect((row.expected == nil) == (row.json["expectedNil"] as? Bool ?? false))
        }
        if isDescribed {
            #expect(throws: FormworkError.self) { try safe() }
        } else if !isEscaped {
            #expect(try safe() == row.expected as? String)
        }
    }

    @Test("A query is read", arguments: try VectorRows.rows(of: "fbsdk.dictionaryWithQueryString"))
    func read(row: VectorRows.Row) throws { try Self.checkRead(row) }

    static func checkRead(_ row: VectorRows.Row) throws {
        try row.understand("expected", "expectedLinux")
        guard let expected = row.expected as? [[String]], expected.allSatisfy({ $0.count == 2 }),
            let text = row.json["input"] as? String
        else { throw RowNotUnderstood("the input or what is expected") }
        let dictionary = try FacebookQuery.dictionary(of: text)
        #expect(dictionary == [String: String](expected.map { ($0[0], $0[1]) }) { _, last in last })
    }

    @Test("A text is unescaped", arguments: try VectorRows.rows(of: "fbsdk.URLDecode"))
    func decode(row: VectorRows.Row) throws { try Self.checkDecode(row) }

    static func checkDecode(_ row: VectorRows.Row) throws {
        try row.understand("expected", "expectedLinux", "expectedNil")
        guard let text = row.json["input"] as? String else { throw RowNotUnderstood("the input") }
        let expected = row.json["expectedNil"] as? Bool ?? false ? nil : row.expected as? String
        #expect(FacebookQuery.decode(text) == expected)
    }

    /// Bodies without images and data are JSON unless multipart is asked for.
    @Test("A body of texts is JSON", arguments: try VectorRows.rows(of: "fbsdk.GraphRequestBody"))
    func json(row: VectorRows.Row) throws {
        guard row.options["requiresMultipartDataFormat"] as? Bool == false else { return }
        guard let parts = row.json["input"] as? [[String: Any]], parts.allSatisfy({ $0["fileName"] == nil }) else {
            return
        }
        let texts = parts.compactMap { part in
            (part["name"] as? String).flatMap { name in (part["utf8"] as? String).map { (name, $0) } }
        }
        let json = try FacebookQuery.json(of: [AnyHashable: Any](texts.map { (AnyHashable($0), $1 as Any) }) { $1 })
        let expected = Data((row.expected as? String ?? "").utf8)
        let wanted = try JSONSerialization.jsonObject(with: expected) as? [String: String]
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String] == wanted)
        #expect(row.json["expectedContentType"] as? String ?? "application/json" == "application/json")
    }
}
