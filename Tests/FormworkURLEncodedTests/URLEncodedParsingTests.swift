@testable import FormworkURLEncoded
import Testing

@Suite("Reading pairs", .timeLimit(.minutes(10)))
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
        #expect(try self.read(text, .init(duplicates: .last)) == ["a|3", "b|2", "\u{E9}|4", "e\u{301}|5"])
        #expect(try self.read(text, .init(duplicates: .first)) == ["a|1", "b|2", "\u{E9}|4", "e\u{301}|5"])
        let error = #expect(throws: FormworkError.self) { try self.read(text, .init(duplicates: .refuse)) }
        #expect(error?.message == "\"a\" occurs more than once")
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

    @Test("Text that is known to be UTF-8 is UTF-8: all escaped bytes of a character, behind every kind of byte")
    func knownText() throws {
        var (text, expected) = ([UInt8](), [[UInt8]]())
        let ends: [[UInt8]] = [[], [0x7F], [0x80], [0xBF, 0x41], [0xC0]]
        for lead in UInt8(0xC0)...0xFF {
            for second in UInt8.min ... .max {
                let start: [UInt8] = [[], [0x41], [0xE6, 0x9D, 0xB1], [0x80]][Int(second & 3)]
                let bytes = start + [lead, second] + ends[Int(lead &+ second) % 5]
                for byte in bytes { text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8 }
                text.append(0x26)
                expected.append(bytes)
            }
        }
        let pairs = try URLEncodedPairs(text, rules: URLEncodedParsing(limits: .unlimited))
        #expect(pairs.map { Array($0.nameBytes) } == expected)
        #expect(
            pairs.pairs.map { Array($0.name.utf8) } == expected.map { Array(String(decoding: $0, as: UTF8.self).utf8) })
    }

    @Test("Blocks and single bytes are read alike")
    func blocks() throws {
        let pieces = [
            "%", "%e6%b1%89", "%41", "+", "&", "=", "a", "field", "\u{6C49}", "%F0%9F%98%80", "%80", "%4", "%ZZ",
        ]
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            let bytes = Array(text.joined().utf8)
            // A pair alone has nothing behind it that a block could be filled with.
            let alone = try bytes.split(separator: 0x26).flatMap { try self.read(Array($0)) }
            #expect(try self.read(bytes + Array(repeating: 0x26, count: 32)) == alone)
            #expect(try self.read(bytes, .init(invalidText: .dropsPair)) == alone.filter { !$0.contains("\u{FFFD}") })
        }
    }

    @Test(
        "Hostile text is read at once or refused by name", arguments: ["[", "]", "%", "=", "+", ".", "a", "%5B", "\0"])
    func hostile(piece: String) throws {
        let text = Array(String(repeating: piece, count: (1 << 20) / piece.utf8.count).utf8)
        #expect(try URLEncodedPairs(text).count == 1)
        for dialect in [URLEncodedDialect.whatwg, .php] { _ = try dialect.decode(text) }
        // Rails refuses an invalid escape.
        do { _ = try URLEncodedDialect.rails.decode(text) } catch {
            #expect(piece == "%" && error.code == .malformedBody)
        }
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
        // Rack skips empty brackets in a row: they are no levels.
        let isRails = dialect.expansion == .rack
        if isRails {
            #expect(try dialect.decode("a" + String(repeating: "[]", count: 100_000) + "=1") == ["a": [nil]])
        }
        for key in isRails ? ["[a]", "[0]"] : ["[a]", "[]", "[0]"] {
            let name = "a" + String(repeating: key, count: 100_000)
            let error = #expect(throws: FormworkError.self) { try dialect.decode(name + "=1") }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message == "the name \"\(name.prefix(40))…\" nests deeper than 64 levels (limits.depth)")
            let mark = String(repeating: "\u{301}", count: 100_000)
            let marked = #expect(throws: FormworkError.self) { try dialect.decode("a\(mark)\(name.dropFirst())=1") }
            #expect(
                marked?.message
                    == "the name \"a\(String(repeating: "\u{301}", count: 39))…\" nests deeper than 64 levels (limits.depth)"
            )
        }
    }
}
