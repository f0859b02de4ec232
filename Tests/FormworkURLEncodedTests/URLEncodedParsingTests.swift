import FormworkURLEncoded
import Testing

@Suite("Reading pairs")
struct URLEncodedParsingTests {
    static func shown(_ pairs: [URLEncodedPair]) -> [String] {
        pairs.map { $0.name + ($0.value.map { "|\($0)" } ?? "") }
    }

    private func read(_ text: [UInt8], _ rules: URLEncodedParsing = .init()) throws(FormworkError) -> [String] {
        Self.shown(try URLEncodedPairs(text, rules: rules).pairs)
    }

    @Test(
        "As URLSearchParams reads them",
        arguments: [
            ("a=1&b=2", ["a|1", "b|2"]), ("&&a&&=&=x&b==", ["a", "|", "|x", "b|="]), ("a+b=%2B+%20", ["a b|+  "]),
            ("%=%4&%zz=%%41", ["%|%4", "%zz|%A"]), ("%E3%81=%C3%A9%FF", ["\u{FFFD}|é\u{FFFD}"]), ("", []), ("&", []),
            ("%ED%A0%80", ["\u{FFFD}\u{FFFD}\u{FFFD}"]), ("a;b=c", ["a;b|c"]), ("%00=%26%3D%25", ["\0|&=%"]),
            ("%EF%BB%BFa=%e6%9d%B1", ["\u{FEFF}a|東"]), ("a=1&a=2&A=3", ["a|1", "a|2", "A|3"]),
        ])
    func pairs(text: String, expected: [String]) throws { #expect(try self.read(Array(text.utf8)) == expected) }

    @Test("Repairs")
    func repairs() throws {
        let text = Array("ok=1&bad=%4&worse=%FF&+=2".utf8)
        #expect(try self.read(text, .init(invalidEscapes: .dropsPair)) == ["ok|1", "worse|\u{FFFD}", " |2"])
        #expect(try self.read(text, .init(invalidText: .dropsPair)) == ["ok|1", "bad|%4", " |2"])
        #expect(try self.read(text, .init(readsPlusAsSpace: false, invalidText: .dropsPair)).last == "+|2")
        let escape = #expect(throws: FormworkError.self) { try self.read(text, .init(invalidEscapes: .refused)) }
        #expect(escape?.code == .malformedBody)
        #expect(escape?.offset == 9)
        let utf8 = #expect(throws: FormworkError.self) { try self.read(text, .init(invalidText: .refused)) }
        #expect(utf8?.code == .malformedBody)
        #expect(utf8?.offset == 12)
    }

    @Test("Duplicates, by bytes")
    func duplicates() throws {
        let text = Array("a=1&b=2&a=3&\u{E9}=4&e\u{301}=5".utf8)
        #expect(try self.read(text, .init(duplicates: .lastWins)) == ["a|3", "b|2", "\u{E9}|4", "e\u{301}|5"])
        #expect(try self.read(text, .init(duplicates: .firstWins)) == ["a|1", "b|2", "\u{E9}|4", "e\u{301}|5"])
        let error = #expect(throws: FormworkError.self) { try self.read(text, .init(duplicates: .refused)) }
        #expect(error?.message == "\"a\" stands there more than once")
    }

    @Test(
        "Limits are exact, and errors name them",
        arguments: [
            (URLEncodedLimits(bytes: 11), URLEncodedLimits(bytes: 10), "limits.bytes"),
            (URLEncodedLimits(pairs: 3), URLEncodedLimits(pairs: 2), "limits.pairs"),
            (URLEncodedLimits(pairBytes: 5), URLEncodedLimits(pairBytes: 4), "limits.pairBytes"),
        ])
    func limits(enough: URLEncodedLimits, less: URLEncodedLimits, name: String) throws {
        let text = Array("a=1&bb=22&c".utf8)
        #expect(try self.read(text, .init(limits: enough)) == ["a|1", "bb|22", "c"])
        let error = #expect(throws: FormworkError.self) { try self.read(text, .init(limits: less)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains(name) == true)
        var parser = URLEncodedParser(rules: .init(limits: less))
        let streamed = #expect(throws: FormworkError.self) {
            for byte in text {
                parser.append([byte])
                while try parser.next() != nil {}
            }
            parser.finish()
            while try parser.next() != nil {}
        }
        #expect(streamed?.code == .limitExceeded)
        #expect(streamed?.message.contains(name) == true)
        #expect(throws: FormworkError.self, "it is thrown again") { try parser.next() }
    }

    @Test("Cuts make no difference")
    func cuts() throws {
        let text = Array("a=1&&b+c=%E6%9D%B1%zz&flag&=&%26%3D=%%41%&x==y&\u{1F600}=\u{FF}".utf8) + [0xFF, 0x26]
        let whole = try self.read(text)
        for size in 1...text.count {
            for first in 0..<size {
                var (parser, pairs, rest) = (URLEncodedParser(), [URLEncodedPair](), text[...])
                var next = first
                while !rest.isEmpty {
                    parser.append(rest.prefix(next))
                    rest = rest.dropFirst(next)
                    next = size
                    while let pair = try parser.next() { pairs.append(pair) }
                    #expect(parser.retainedBytes <= 30)
                }
                parser.finish()
                while let pair = try parser.next() { pairs.append(pair) }
                #expect(Self.shown(pairs) == whole)
            }
        }
    }

    @Test(
        "Hostile text is read at once or refused by name", arguments: ["[", "]", "%", "=", "+", ".", "a", "%5B", "\0"])
    func hostile(piece: String) throws {
        let text = Array(String(repeating: piece, count: (1 << 20) / piece.utf8.count).utf8)
        #expect(try URLEncodedPairs(text).count == 1)
        for dialect in [URLEncodedDialect.whatwg, .php, .rails] { _ = try dialect.decode(text) }
        let dots = try URLEncodedDialect(expansion: .dots).decode(text)
        #expect(dots != .null)
        var parser = URLEncodedParser()
        var rest = text[...]
        while !rest.isEmpty {
            parser.append(rest.prefix(1000))
            rest = rest.dropFirst(1000)
            #expect(try parser.next() == nil)
        }
        parser.finish()
        #expect(try parser.next() != nil)
    }

    @Test("A mebibyte of separators is nothing, one of short pairs too many")
    func separators() throws {
        #expect(try URLEncodedPairs(Array(repeating: 0x26, count: 1 << 20)).isEmpty)
        let pairs = Array(String(repeating: "a&", count: 1 << 19).utf8)
        let error = #expect(throws: FormworkError.self) { try URLEncodedPairs(pairs) }
        #expect(error?.message == "there are more than 10000 pairs (limits.pairs)")
        #expect(error?.offset == 20_000)
        #expect(try URLEncodedPairs(pairs, rules: URLEncodedParsing(limits: .unlimited)).count == 1 << 19)
    }

    @Test("A name that nests 100,000 deep is refused at once", arguments: [URLEncodedDialect.php, .rails])
    func deep(dialect: URLEncodedDialect) throws {
        for key in ["[a]", "[]", "[0]"] {
            let name = "a" + String(repeating: key, count: 100_000)
            let error = #expect(throws: FormworkError.self) { try dialect.decode(name + "=1") }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message == "the name \"\(name.prefix(40))…\" nests deeper than 64 levels (limits.depth)")
        }
    }
}
