@testable import FormworkURLEncoded
import Testing

@Suite("Flattening", .timeLimit(.minutes(10)))
struct FlatteningTests {
    static let value: ParameterValue = [
        "b": ["x", ["c": 1], ["y", []]], "a c": .set(["2", "10", nil]), "n": nil, "t": true, "f": false, "e": [],
        "o": [:], "b": "again", "": "none", "d": 1.5, "r": .bytes([0xFF, 0x20, 0x61]),
    ]

    /// What differs from ``value``'s names and values as written without a rule.
    static let plain = [
        "b[]=x", "b[][c]=1", "b[][]=y", "a c[]=2", "a c[]=10", "a c[]=", "n=", "t=true", "f=false", "b=again", "=none",
        "d=1.5", "r=\u{FFFD} a",
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var rules: Flattening
        var expected: [String]
        var testDescription: String { self.name }
        init(_ name: String, _ rules: Flattening, _ expected: [String]) {
            (self.name, self.rules, self.expected) = (name, rules, expected)
        }
    }

    private static func plain(_ changes: [Int: [String]]) -> [String] {
        Self.plain.enumerated().flatMap { changes[$0.offset] ?? [$0.element] }
    }

    static let rows = [
        Row("none", Flattening(), plain),
        Row(
            "arrays repeated", Flattening(arrays: .repeated),
            plain([0: ["b=x"], 1: ["b[c]=1"], 2: ["b=y"], 3: ["a c=2"], 4: ["a c=10"], 5: ["a c="]])),
        Row(
            "arrays indexed", Flattening(arrays: .indexed),
            plain([
                0: ["b[0]=x"], 1: ["b[1][c]=1"], 2: ["b[2][0]=y"], 3: ["a c[0]=2"], 4: ["a c[1]=10"], 5: ["a c[2]="],
            ])),
        Row(
            "arrays by a closure", Flattening(arrays: .custom { "\($0)-\($1)" }),
            plain([0: ["b-0=x"], 1: ["b-1[c]=1"], 2: ["b-2-0=y"], 3: ["a c-0=2"], 4: ["a c-1=10"], 5: ["a c-2="]])),
        Row("sets by text", Flattening(sets: .repeatedInOrder), plain([3: ["a c="], 4: ["a c=10"], 5: ["a c=2"]])),
        Row("members with dots", Flattening(members: .dots), plain([1: ["b[].c=1"]])),
        Row("members by a closure", Flattening(members: .custom { "->\($0)" }), plain([1: ["b[]->c=1"]])),
        Row("numeric bools", Flattening(bools: .numeric), plain([7: ["t=1"], 8: ["f=0"]])),
        Row("nulls by name", Flattening(nulls: .nameOnly), plain([5: ["a c[]"], 6: ["n"]])),
        Row("nulls as text", Flattening(nulls: .text("∅")), plain([5: ["a c[]=∅"], 6: ["n=∅"]])),
        Row("nulls dropped", Flattening(nulls: .dropped), plain([5: [], 6: []])),
        Row("empties in arrays", Flattening(writesEmptyElements: true), plain([2: ["b[][]=y", "b[][][]="]])),
        Row("bytes counted", Flattening(countsBytes: true), plain([12: ["r=3 bytes"]])),
        Row(
            "last of a name", Flattening(duplicates: .last), plain([0: ["b=again"], 1: [], 2: [], 9: []])),
        Row("first of a name", Flattening(duplicates: .first), plain([9: []])),
        Row("no empty names", Flattening(skipsEmptyNames: true), plain([10: []])),
        Row(
            "by name", Flattening(order: .byName),
            [
                "=none", "a c[]=2", "a c[]=10", "a c[]=", "b[]=x", "b[][c]=1", "b[][]=y", "b=again", "d=1.5", "f=false",
                "n=", "r=\u{FFFD} a", "t=true",
            ]),
        Row(
            "by a closure", Flattening(order: .by { $0 > $1 }),
            [
                "t=true", "r=\u{FFFD} a", "n=", "f=false", "d=1.5", "b[]=x", "b[][c]=1", "b[][]=y", "b=again",
                "a c[]=2",
                "a c[]=10", "a c[]=", "=none",
            ]),
        Row(
            "by text", Flattening(order: .byText),
            [
                "=none", "a c[]=2", "a c[]=10", "a c[]=", "b[]=x", "b[][c]=1", "b[][]=y", "b=again", "d=1.5", "f=false",
                "n=", "r=\u{FFFD} a", "t=true",
            ]),
        Row(
            "by text with arrays", Flattening(order: .byTextWithArrays),
            [
                "=none", "a c[]=", "a c[]=10", "a c[]=2", "b[][]=y", "b[][c]=1", "b[]=x", "b=again", "d=1.5", "f=false",
                "n=", "r=\u{FFFD} a", "t=true",
            ]),
    ]

    @Test("Each rule", arguments: rows)
    func rules(row: Row) throws {
        let pairs = try URLEncodedDialect(flattening: row.rules).pairs(of: Self.value)
        #expect(pairs.map { pair in pair.name + (pair.value.map { "=\($0)" } ?? "") } == row.expected)
    }

    @Test("Orders that differ by case and by what surrounds")
    func orders() throws {
        let value: ParameterValue = ["b": 1, "B": 2, "a": [["z": 1, "y": 2]], "A": ["z": 1, "y": 2]]
        func text(_ order: Flattening.Order) throws -> String {
            let encoder = PercentEncoder(leaving: "[]")
            return try URLEncodedDialect(flattening: Flattening(order: order), names: encoder).encode(value)
        }
        #expect(try text(.byName) == "A[y]=2&A[z]=1&B=2&a[][y]=2&a[][z]=1&b=1")
        #expect(try text(.byNameIgnoringCase) == "a[][y]=2&a[][z]=1&A[y]=2&A[z]=1&b=1&B=2")
        #expect(try text(.byTextOutsideArrays) == "A[y]=2&A[z]=1&B=2&a[][z]=1&a[][y]=2&b=1")
    }

    @Test(
        "What is refused says so",
        arguments: [
            (
                Flattening(members: .refused), ["a": ["b": 1]],
                "\"a\" is an array or an object, which this dialect can't write"
            ),
            (Flattening(duplicates: .refuse), ["a": 1, "a": 2], "\"a\" occurs more than once"),
            (Flattening(), [1], "parameters must be an object, not an array"),
            (Flattening(), "x", "parameters must be an object, not a single value"),
        ] as [(Flattening, ParameterValue, String)])
    func refused(rules: Flattening, value: ParameterValue, message: String) {
        let error = #expect(throws: FormworkError.self) { try URLEncodedDialect(flattening: rules).encode(value) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message == message)
    }

    @Test("Two spellings of é are two names")
    func spellings() throws {
        let value: ParameterValue = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(try URLEncodedDialect.php.encode(value) == "%C3%A9=1&e%CC%81=2")
    }

    @Test("As deep as allowed, and no deeper")
    func depth() throws {
        let dialect = URLEncodedDialect(flattening: Flattening(depth: 2))
        #expect(try dialect.encode(["a": ["b": 1]]) == "a%5Bb%5D=1")
        let error = #expect(throws: FormworkError.self) { try dialect.encode(["a": ["b": [1]]]) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "\"a[b]\" nests deeper than 2 levels (Flattening.depth)")
        let mark = String(repeating: "\u{301}", count: 100_000)
        let long = #expect(throws: FormworkError.self) { try dialect.encode(["a\(mark)": ["b": [1]]]) }
        #expect(
            long?.message
                == "\"a\(String(repeating: "\u{301}", count: 39))…\" nests deeper than 2 levels (Flattening.depth)")
    }

    static let sample: ParameterValue = [
        "a": ["x", ["b": 1]], "c d": "e~f*", "n": nil, "t": true, "f": false, "e": [], "k": ["5": "x", "y": nil],
        "é": .bytes([0xFF, 0x00, 0x20, 0x2B]), "i": .integer(Int128(Int64.min)), "d": [0.1, -0.0, 1e-7, 1.5e300],
    ]

    /// The first two are what PHP 8.2 wrote, the third what ActiveSupport 6.1 wrote.
    @Test(
        "Dialects with sources of their own",
        arguments: [
            (
                URLEncodedDialect.php,
                "a%5B0%5D=x&a%5B1%5D%5Bb%5D=1&c+d=e%7Ef%2A&t=1&f=0&k%5B5%5D=x&%C3%A9=%FF%00+%2B"
                    + "&i=-9223372036854775808&d%5B0%5D=0.1&d%5B1%5D=-0&d%5B2%5D=1.0E-7&d%5B3%5D=1.5E%2B300"
            ),
            (
                .phpRFC3986,
                "a%5B0%5D=x&a%5B1%5D%5Bb%5D=1&c%20d=e~f%2A&t=1&f=0&k%5B5%5D=x&%C3%A9=%FF%00%20%2B"
                    + "&i=-9223372036854775808&d%5B0%5D=0.1&d%5B1%5D=-0&d%5B2%5D=1.0E-7&d%5B3%5D=1.5E%2B300"
            ),
            (
                .rails,
                "%C3%A9=%FF%00+%2B&a%5B%5D=x&a%5B%5D%5Bb%5D=1&c+d=e~f%2A&d%5B%5D=0.1&d%5B%5D=-0.0&d%5B%5D=1.0e-07"
                    + "&d%5B%5D=1.5e%2B300&f=false&i=-9223372036854775808&k%5B5%5D=x&k%5By%5D=&n=&t=true"
            ),
            (
                .whatwg,
                "a%5B%5D=x&a%5B%5D%5Bb%5D=1&c+d=e%7Ef*&n=&t=true&f=false&k%5B5%5D=x&k%5By%5D=&%C3%A9=%FF%00+%2B"
                    + "&i=-9223372036854775808&d%5B%5D=0.1&d%5B%5D=0&d%5B%5D=1e-7&d%5B%5D=1.5e%2B300"
            ),
        ])
    func dialects(dialect: URLEncodedDialect, expected: String) throws {
        var dialect = dialect
        dialect.checksReadBack = false
        #expect(try dialect.encode(Self.sample) == expected)
    }

    @Test("Rails: empty arrays in arrays, and the order within names that have []")
    func rails() throws {
        let value: ParameterValue = [
            "b": [1, nil, ["z": 1, "y": 2]], "a": ["z": 1, "y": 2], "e": [], "n": nil, "q": [[], ["x"]],
            "x[]": ["z": 1, "y": 2], "f": false,
        ]
        let expected =
            "a%5By%5D=2&a%5Bz%5D=1&b%5B%5D=1&b%5B%5D=&b%5B%5D%5Bz%5D=1&b%5B%5D%5By%5D=2&f=false&n=&q%5B%5D%5B%5D="
            + "&q%5B%5D%5B%5D=x&x%5B%5D%5Bz%5D=1&x%5B%5D%5By%5D=2"
        var rails = URLEncodedDialect.rails
        rails.checksReadBack = false
        #expect(try rails.encode(value) == expected)
    }

    @Test("A root that is an array")
    func roots() throws {
        #expect(try URLEncodedDialect.php.encode(["x", ["y", "z"]]) == "0=x&1%5B0%5D=y&1%5B1%5D=z")
        #expect(try URLEncodedDialect.afnetworking3.encode([1, 2]) == "%28null%29%5B%5D=1&%28null%29%5B%5D=2")
        let named = URLEncodedDialect(flattening: Flattening(rootArray: .named("list")))
        #expect(try named.encode([1, 2]) == "list%5B%5D=1&list%5B%5D=2")
    }
}
