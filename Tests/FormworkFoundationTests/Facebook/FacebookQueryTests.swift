import Foundation
import FormworkFoundation
import Testing

@Suite("Facebook's query strings")
struct FacebookQueryTests {
    @Test("A dictionary is written", arguments: try VectorRows.rows(of: "fbsdk.queryStringWithDictionary"))
    func write(row: VectorRows.Row) throws {
        try row.understand(
            "expected", "expectedLinux", "expectedNil", "expectedNote", options: ["invalidObjectHandler"])
        let pairs = try #require(row.input() as? [(String, Any)])
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
        if let note = row.json["expectedNote"] as? String {
            #expect(note == "value printed with its description, unescaped")
            #expect(try exact() == pairs.map { "\($0)=\($1)" }.joined(separator: "&"))
            #expect(throws: FormworkError.self) { try safe() }
        } else {
            #expect(try exact() == row.expected as? String)
            #expect(try safe() == row.expected as? String)
            #expect((row.expected == nil) == (row.json["expectedNil"] as? Bool ?? false))
        }
    }

    @Test("A query is read", arguments: try VectorRows.rows(of: "fbsdk.dictionaryWithQueryString"))
    func read(row: VectorRows.Row) throws {
        try row.understand("expected", "expectedLinux")
        let expected = try #require(row.expected as? [[String]])
        let dictionary = try FacebookQuery.dictionary(of: try #require(row.json["input"] as? String))
        #expect(dictionary == [String: String](expected.map { ($0[0], $0[1]) }) { _, last in last })
    }

    @Test("Single texts")
    func texts() {
        #expect(FacebookQuery.encode("a b+c-._~é") == "a%20b%2Bc-._~%C3%A9")
        #expect(FacebookQuery.decode("a+b%2Bc%C3%A9") == "a b+cé")
        #expect(FacebookQuery.decode("%ZZ") == nil)
        #expect(FacebookQuery.decode("%FF") == nil)
    }

    @Test("Numbers and URLs are text, names are escaped unless told otherwise, names that are no text are left out")
    func values() throws {
        let url = try #require(URL(string: "http://a.b/?c=d"))
        let dictionary: [AnyHashable: Any] = [
            "n": 1.0, "u": url, "b&": NSNumber(value: false), 5: "x", "s": "p".dropFirst(0),
        ]
        #expect(try FacebookQuery.query(of: dictionary) == "b%26=0&n=1&s=p&u=http%3A%2F%2Fa.b%2F%3Fc%3Dd")
        #expect(try FacebookQuery.query(of: ["b&": 1], compatibility: .exact) == "b&=1")
        #expect(throws: FormworkError.self) { try FacebookQuery.query(of: ["d": Date()]) }
        #expect(try FacebookQuery.query(of: ["d": Date(), "e": 1]) { _, _ in "raw&" } == "d=raw&&e=1")
        #expect(FacebookQuery.requestValue(Date()) is Date)
        #expect(FacebookQuery.requestValue(NSNumber(value: 2.5)) as? String == "2.5")
    }

    @Test("JSON leaves out what it can't hold, or asks")
    func json() throws {
        let url = try #require(URL(string: "http://a.b/c"))
        let object: [AnyHashable: Any] = ["u": url, 1: ["x", Date(), NSNull()] as [Any], "d": Date(), "n": 1.5]
        let options = JSONSerialization.WritingOptions.withoutEscapingSlashes
        #expect(
            try FacebookQuery.json(of: object, options: options) == #"{"1":["x",null],"n":1.5,"u":"http://a.b/c"}"#)
        #expect(
            try FacebookQuery.json(of: object, options: options) { _, _ in "?" }
                == #"{"1":["x","?",null],"d":"?","n":1.5,"u":"http://a.b/c"}"#)
        let stopped = try FacebookQuery.json(of: ["a", Date(), "b"] as [Any]) { _, stop in
            stop = true
            return nil
        }
        #expect(stopped == #"["a"]"#)
        #expect(throws: FormworkError.self) { try FacebookQuery.json(of: Date()) }
    }
}
