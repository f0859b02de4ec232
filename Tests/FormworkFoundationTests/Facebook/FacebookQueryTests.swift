import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

@Suite("Facebook's query strings", .timeLimit(.minutes(10)))
struct FacebookQueryTests {
    @Test("Names come in the order of NSString's compare:")
    func order() throws {
        let dictionary = ["Zürich": 1, "Évry": 2, "a": 3, "B": 4, "é1": 5, "e2": 6, "f": 7]
        #expect(
            try FacebookQuery.query(of: dictionary, compatibility: .exact) == "B=4&Évry=2&Zürich=1&a=3&e2=6&é1=5&f=7")
        #expect(try FacebookQuery.query(of: dictionary)?.hasPrefix("B=4&%C3%89vry=2&Z%C3%BCrich=1&a=3") == true)
    }

    @Test("Single texts")
    func texts() {
        #expect(FacebookQuery.encode("a b+c-._~é") == "a%20b%2Bc-._~%C3%A9")
        #expect(FacebookQuery.decode("a+b%2Bc%C3%A9") == "a b+cé")
        // The plus and the accent after it are one character.
        #expect(FacebookQuery.decode("a+\u{301}") == "a \u{301}")
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
        let deep = (0..<513).reduce(1 as Any) { value, _ in [value] }
        let error = #expect(throws: FormworkError.self) { try FacebookQuery.json(of: deep) }
        #expect(error?.message == "the object nests deeper than 512 levels")
    }
}
