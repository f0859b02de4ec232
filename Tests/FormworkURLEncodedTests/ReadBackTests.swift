import FormworkURLEncoded
import TestSupport
import Testing

/// A dialect, and what its texts of values are, said once more.
struct WritingDialect: Sendable, CustomTestStringConvertible {
    var name: String
    var dialect: URLEncodedDialect
    var yes = "true"
    var no = "false"
    /// The text of null; `nil` where null comes back as null.
    var null: String? = ""
    /// Whether null is left out.
    var dropsNull = false
    var testDescription: String { self.name }
}

@Suite("What is written is read back", .timeLimit(.minutes(10)))
struct ReadBackTests {
    static let dialects = [
        WritingDialect(name: "whatwg", dialect: .whatwg),
        WritingDialect(name: "alamofire", dialect: .alamofire, yes: "1", no: "0", null: "<null>"),
        WritingDialect(name: "afnetworking2", dialect: .afnetworking("2.5.4"), yes: "1", no: "0", null: nil),
        WritingDialect(name: "afnetworking3", dialect: .afnetworking3, yes: "1", no: "0", null: nil),
        WritingDialect(name: "php", dialect: .php, yes: "1", no: "0", dropsNull: true),
        WritingDialect(name: "phpRFC3986", dialect: .phpRFC3986, yes: "1", no: "0", dropsNull: true),
        WritingDialect(name: "rails", dialect: .rails),
        WritingDialect(name: "facebook", dialect: .facebook, yes: "1", no: "0"),
        WritingDialect(name: "recipes", dialect: .recipes, yes: "1", no: "0"),
        WritingDialect(name: "recipesPlus", dialect: .recipesPlus, yes: "1", no: "0"),
    ]

    private static let names = [
        "a", "b", "c", "0", "1", "", "x y", "p.q", "a[]", "a[b]", "[", "]", "%41", "a&b", "a=b", "+", "\u{E9}",
        "e\u{301}",
        "\n", "_", "\0",
    ]

    private static func value(_ depth: Int, _ dice: inout SampleGenerator) -> ParameterValue {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 7), using: &dice) {
        case 0: .null
        case 1: .bool(.random(using: &dice))
        case 2: .integer(Int128(Int64.random(in: .min ... .max, using: &dice)))
        case 3...6: .text(["", "x", "a b", "&=+%", "\u{E9}", "%41", "1"].randomElement(using: &dice) ?? "")
        case 7: .array((0..<Int.random(in: 0...3, using: &dice)).map { _ in self.value(depth - 1, &dice) })
        case 8, 9: self.regular(depth - 1, &dice)
        default: self.object(depth - 1, &dice)
        }
    }

    private static func object(_ depth: Int, _ dice: inout SampleGenerator) -> ParameterValue {
        let names = self.names.shuffled(using: &dice).prefix(Int.random(in: 0...3, using: &dice))
        return .object(names.map { .init($0, self.value(depth, &dice)) })
    }

    /// Objects that have the same members.
    private static func regular(_ depth: Int, _ dice: inout SampleGenerator) -> ParameterValue {
        let names = self.names.prefix(3).shuffled(using: &dice).prefix(Int.random(in: 1...3, using: &dice))
        let count = Int.random(in: 1...3, using: &dice)
        return .array((0..<count).map { _ in .object(names.map { .init($0, self.value(0, &dice)) }) })
    }

    /// A tree as text that is equal for equal trees, members in any order; values are the texts that they are written as.
    private static func text(_ value: ParameterValue, _ dialect: WritingDialect) -> String {
        func quoted(_ text: String) -> String {
            "'" + text.utf8.map { String($0, radix: 16) }.joined(separator: " ") + "'"
        }
        switch value {
        case .null: return dialect.dropsNull ? "lost" : dialect.null.map(quoted) ?? "null"
        case .bool(let flag): return quoted(flag ? dialect.yes : dialect.no)
        case .integer(let number): return quoted(String(number))
        case .text(let text): return quoted(text)
        case .array(let elements): return "[" + elements.map { self.text($0, dialect) }.joined(separator: ",") + "]"
        case .object(let members):
            return "{" + members.map { quoted($0.name) + self.text($0.value, dialect) }.sorted().joined() + "}"
        case .double, .bytes, .set: return "not generated"
        }
    }

    @Test("A tree comes back as it was, or is refused when it is written", arguments: dialects)
    func comesBack(row: WritingDialect) throws {
        var dialect = row.dialect
        dialect.checksReadBack = true
        var dice = SampleGenerator(seed: 6)
        var (written, refused) = (0, 0)
        for _ in 0..<4_000 {
            let tree = Self.object(3, &dice)
            let text: String
            do throws(FormworkError) {
                text = try dialect.encode(tree)
            } catch {
                #expect(error.code == .invalidArgument)
                refused += 1
                continue
            }
            written += 1
            let back = try dialect.decode(text)
            #expect(Self.text(back, row) == Self.text(tree, row), "\(text)")
        }
        #expect(written > 600)
        #expect(refused > 600)
    }

    @Test("What each dialect has words for isn't refused", arguments: dialects)
    func isntRefused(row: WritingDialect) throws {
        var dialect = row.dialect
        dialect.checksReadBack = true
        var trees: [ParameterValue] = [[:], ["a": "x", "b": true, "c": 1, "d e": "&=+%é"]]
        let isFlat = if case .refused = dialect.flattening.members { true } else { dialect.expansion == .flat }
        if !row.dropsNull { trees.append(["n": nil, "a": ""]) }
        if !isFlat {
            trees += [
                ["a": ["x", "y"], "b": ["c": ["d": "e"], "f": "g"]], ["a": [["b": 1, "c": 2], ["b": 3, "c": 4]]],
                ["a": [["b": ["x", "y"]]], "k": ["5": "five"]], ["a": [["x"], ["y"]]],
            ]
        }
        for tree in trees where !(tree["d e"] != nil && dialect.expansion == .php) {
            let back = try dialect.decode(try dialect.encode(tree))
            #expect(Self.text(back, row) == Self.text(tree, row))
        }
    }

    @Test(
        "Rails: what Rack would read as something else is refused by its name",
        arguments: [
            (["o": ["e": []]], "\"o[e]\" is an array without elements, which can't be written: leave it out"),
            (["o": [:]], "\"o\" is an object without members, which can't be written: leave it out"),
            (["a": ["x", []]], "\"a[1]\" is an array without elements, which can't be written: leave it out"),
            (
                ["a": [["b": 1], ["c": 2]]],
                "\"a\" would be read back as 1 element, not 2: give its objects the same members in the same order"
            ),
            (
                ["a": [["x", "y"]]],
                "\"a\" would be read back as 2 elements, not 1: write an array that contains arrays as an object with "
                    + "the names 0, 1, …"
            ),
            (
                ["a": [["b": ["x"]], ["b": ["y"]]]],
                "\"a\" would be read back as 1 element, not 2: write an array that contains arrays as an object with "
                    + "the names 0, 1, …"
            ),
            (
                ["a": [[["x"]]]],
                "\"a[0]\" would not be read back as an array: write an array that contains arrays as an object with "
                    + "the names 0, 1, …"
            ),
            (["a[b]": 1], "\"a[b]\" would not be read back: rename it, brackets in names make a tree"),
            (["": 1], "\"\" would not be read back: give it a name that isn't empty"),
            (["a": ["": 1]], "\"a\" would be read back as an array: give each member a name that isn't empty"),
            (["a": .bytes([0xFF])], "the written text can't be read back: a pair that isn't UTF-8"),
        ] as [(ParameterValue, String)])
    func refusedByName(tree: ParameterValue, message: String) throws {
        let error = #expect(throws: FormworkError.self) { try URLEncodedDialect.rails.encode(tree) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message == message)
        #expect(throws: FormworkError.self) { try URLEncodedDialect.rails.pairs(of: tree) }
        var unchecked = URLEncodedDialect.rails
        unchecked.checksReadBack = false
        #expect(throws: Never.self) { try unchecked.encode(tree) }
    }

    @Test(
        "Rails: what the errors advise is read back",
        arguments: [
            ["a": ["0": ["x", "y"]]], ["a": ["0": ["b": ["x"]], "1": ["b": ["y"]]]], ["a": ["0": ["0": ["x"]]]],
        ] as [ParameterValue])
    func advice(tree: ParameterValue) throws {
        #expect(try URLEncodedDialect.rails.decode(try URLEncodedDialect.rails.encode(tree)) == tree)
    }

    @Test("Null without a name is an empty pair where null has no '=', as AFNetworking writes it")
    func nullWithoutName() throws {
        #expect(try URLEncodedDialect.afnetworking3.encode(["": nil, "b": 1]) == "&b=1")
        #expect(try URLEncodedDialect.afnetworking3.encode(["": nil]) == "")
        #expect(try URLEncodedDialect.afnetworking3.encode(["a": 1, "b": ["": nil]]) == "a=1&b%5B%5D")
        #expect(
            try URLEncodedDialect.afnetworking3.pairs(of: ["": nil, "b": 1])
                == [URLEncodedPair("", nil), URLEncodedPair("b", "1")])
        var sorted = URLEncodedDialect.afnetworking3
        sorted.flattening.order = .byTextOutsideArrays
        #expect(try sorted.encode(["b": 1, "": nil, "a": 2]) == "&a=2&b=1")
        #expect(try URLEncodedDialect.alamofire.encode(["": nil, "b": 1]) == "=%3Cnull%3E&b=1")
        // Pairs are written as they are.
        let pairs = [URLEncodedPair("", nil), URLEncodedPair("b", "1")]
        #expect(URLEncodedDialect.afnetworking3.encode(pairs) == Array("&b=1".utf8))
        #expect(URLEncodedDialect.recipes.encode(pairs) == Array("&b=1".utf8))
    }

    @Test("A member that is dropped because its name occurs again is lost")
    func duplicates() throws {
        let tree: ParameterValue = ["o": ["a": 1, "a": 2]]
        for (duplicates, text) in [(Flattening.Duplicates.last, "o%5Ba%5D=2"), (.first, "o%5Ba%5D=1")] {
            var dialect = URLEncodedDialect.rails
            dialect.flattening.duplicates = duplicates
            let error = #expect(throws: FormworkError.self) { try dialect.encode(tree) }
            #expect(
                error?.message
                    == "\"o[a]\" occurs 2 times and would be read back 1 time: give each member its own name")
            dialect.checksReadBack = false
            #expect(try dialect.encode(tree) == text)
        }
        var all = URLEncodedDialect.whatwg
        all.checksReadBack = true
        #expect(try all.encode(["a": 1, "a": 2]) == "a=1&a=2")
    }
}
