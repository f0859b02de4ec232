import FormworkURLEncoded
import Testing

/// Text and the tree that it is read as.
struct ExpansionRow: Sendable, CustomTestStringConvertible {
    var text: String
    var expected: ParameterValue
    var testDescription: String { self.text }
    init(_ text: String, _ expected: ParameterValue) { (self.text, self.expected) = (text, expected) }
}

private typealias Row = ExpansionRow

@Suite("Names become trees", .timeLimit(.minutes(10)))
struct NameExpansionTests {
    /// What PHP 8.2's `parse_str` gave.
    static let php: [ExpansionRow] = [
        Row("a[b]c=1", ["a": ["b": "1"]]), Row("a[[b]=1", ["a": ["[b": "1"]]), Row("a]=1", ["a]": "1"]),
        Row("[a]=1", [:]), Row("[]=1", [:]), Row("a[=1", ["a_": "1"]), Row("a[b=1", ["a_b": "1"]),
        Row("a.b=1", ["a_b": "1"]), Row("a b.c[d.e f]=1", ["a_b_c": ["d.e f": "1"]]), Row(" a=1", ["a": "1"]),
        Row("a%00b=1", ["a": "1"]), Row("a[b%00c]=1", ["a_b": "1"]), Row("a[]=1&a[]=2", ["a": ["1", "2"]]),
        Row("a[5]=x&a[]=y", ["a": ["5": "x", "6": "y"]]), Row("a[-5]=x&a[]=y", ["a": ["-5": "x", "-4": "y"]]),
        Row("a[08]=x&a[8]=y&a[]=z", ["a": ["08": "x", "8": "y", "9": "z"]]), Row("a=1&a[b]=2", ["a": ["b": "2"]]),
        Row("a[b]=1&a=2", ["a": "2"]), Row("a[b]=1&a[b][c]=2", ["a": ["b": ["c": "2"]]]), Row("=1&&", [:]),
        Row("a", ["a": ""]), Row("a[][b]=1&a[][b]=2", ["a": [["b": "1"], ["b": "2"]]]),
        Row("a[9223372036854775807]=1&a[]=2&b=3", ["a": ["9223372036854775807": "1"], "b": "3"]),
        Row("a[9223372036854775808]=1&a[]=2", ["a": ["9223372036854775808": "1", "0": "2"]]),
        Row("a[-9223372036854775808]=1&a[]=2", ["a": ["-9223372036854775808": "1", "-9223372036854775807": "2"]]),
        Row("a[-0]=1&a[0]=2", ["a": ["-0": "1", "0": "2"]]), Row("a[ b]=1", ["a": [" b": "1"]]),
        Row("a[b]]=1", ["a": ["b": "1"]]), Row("a[b]d[e]=1", ["a": ["b": "1"]]), Row("a.[b]=1", ["a_": ["b": "1"]]),
        Row("a[b][c=1", ["a": ["b": "1"]]), Row("a[b]=1&a[b]=2&a[0]=3", ["a": ["b": "2", "0": "3"]]),
        Row("0=a&1=b", ["a", "b"]), Row("1=a&0=b", ["1": "a", "0": "b"]), Row("a[b]=%00x", ["a": ["b": "\0x"]]),
        Row("a[ ]=1", ["a": ["1"]]), Row("a[%0A%0A]=1", ["a": ["\n\n": "1"]]), Row("[[=1", [:]), Row("]=1", ["]": "1"]),
        Row("a[b.c d[e=1", ["a_b_c_d_e": "1"]), Row("a[x.y][c.d[=1", ["a": ["x.y": "1"]]),
        Row("a[.[b=1", ["a___b": "1"]), Row("a[0]=1&a[0][]=2", ["a": [["2"]]]),
        Row("a[][b]=1&a[0][c]=2", ["a": [["b": "1", "c": "2"]]]), Row("a[]]=1", ["a": ["1"]]),
        Row("a[b]=1&a[2]=3&a[]=4&a[1]=5&a[]=6", ["a": ["b": "1", "2": "3", "3": "4", "1": "5", "4": "6"]]),
        Row("a[x]=1&a=2&a[]=3", ["a": ["3"]]), Row("a%5Bb%5D=1", ["a": ["b": "1"]]), Row("a[]=1&a[0]=2", ["a": ["2"]]),
        Row("a[-1]=x&a[]=y", ["a": ["-1": "x", "0": "y"]]), Row("a[b]=1&a[b][]=2&a[b][]=3", ["a": ["b": ["2", "3"]]]),
        Row("a[1]=x&a[0]=y&a[2]=z", ["a": ["1": "x", "0": "y", "2": "z"]]), Row("a[+1]=1", ["a": [" 1": "1"]]),
        Row("a[2]=x&a[]=y&a[1]=z&a[]=w", ["a": ["2": "x", "3": "y", "1": "z", "4": "w"]]),
        Row("a[00]=1&a[1e1]=2", ["a": ["00": "1", "1e1": "2"]]), Row("a=1&A=2", ["a": "1", "A": "2"]),
        Row(
            "a[9223372036854775806]=1&a[]=2&a[]=3",
            ["a": ["9223372036854775806": "1", "9223372036854775807": "2"]]),
        Row("\u{E9}=1&e%CC%81=2", ["\u{E9}": "1", "e\u{301}": "2"]), Row("a[b]=&a[c]", ["a": ["b": "", "c": ""]]),
        Row("a.b[c.d]=1&a_b[c.d]=2", ["a_b": ["c.d": "2"]]), Row("%20%20a%20b=1&+c=2", ["a_b": "1", "c": "2"]),
        Row("a%00[b]=1", ["a": "1"]), Row("x[%20%20]=1", ["x": ["  ": "1"]]), Row("x[%0B]=1", ["x": ["1"]]),
        Row("[a]b=1", [:]), Row("a[]b=1", ["a": ["1"]]), Row("a=%FFz&b==c", ["a": "\u{FFFD}z", "b": "=c"]),
    ]

    @Test("PHP", arguments: php)
    func likePHP(row: ExpansionRow) throws { #expect(try URLEncodedDialect.php.decode(row.text) == row.expected) }

    @Test(
        "Brackets lose nothing",
        arguments: [
            Row("a[b][]=1&a[b][]=2", ["a": ["b": ["1", "2"]]]), Row("a=1&a=2&a=3", ["a": ["1", "2", "3"]]),
            Row("a.b=1&c d=2", ["a.b": "1", "c d": "2"]), Row("a[b=1&a]=2&[c]=3", ["a[b": "1", "a]": "2", "[c]": "3"]),
            Row("a[b]c=1", ["a[b]c": "1"]), Row("a[0][x]=1&a[1][x]=2", ["a": [["x": "1"], ["x": "2"]]]),
            Row("=1&=2", ["": ["1", "2"]]), Row("a[x]=1&a[x]=2", ["a": ["x": ["1", "2"]]]),
            Row("a[][b]=1&a[][c]=2&a[][b]=3&a[][c]=4", ["a": [["b": "1", "c": "2"], ["b": "3", "c": "4"]]]),
            Row("a[][b]=1&a[]=x&a[][c]=2", ["a": [["b": "1"], "x", ["c": "2"]]]),
            Row("a[][b][]=1&a[][b][]=2&a[][c]=3", ["a": [["b": ["1", "2"], "c": "3"]]]),
            Row("a[][b][c]=1&a[][b][d]=2&a[][b][c]=3", ["a": [["b": ["c": "1", "d": "2"]], ["b": ["c": "3"]]]]),
            Row("a[][]=1&a[][]=2&a[][b]=3", ["a": [["1"], ["2"], ["b": "3"]]]),
            Row("a[0][b]=1&a[][c]=2", ["a": [["b": "1"], ["c": "2"]]]),
        ])
    func inBrackets(row: ExpansionRow) throws {
        #expect(try URLEncodedDialect.alamofire.decode(row.text) == row.expected)
    }

    /// What Rack 2.2.22's `parse_nested_query` gave.
    static let rack: [ExpansionRow] = [
        Row("a[][b]=1&a[][c]=2", ["a": [["b": "1", "c": "2"]]]),
        Row("a[][b]=1&a[][b]=2", ["a": [["b": "1"], ["b": "2"]]]),
        Row("a[0]=x", ["a": ["0": "x"]]), Row("a", ["a": nil]), Row("a[]", ["a": [nil]]), Row("a=", ["a": ""]),
        Row("a[][]", ["a": [nil]]), Row("a[][]=1&a[][]=2", ["a": [["1"], ["2"]]]),
        Row(
            "a[][b][]=1&a[][b][]=2&a[][c]=3&a[][c]=4", ["a": [["b": ["1", "2"], "c": "3"], ["c": "4"]]]),
        Row("a[b]=1&a=2", ["a": "2"]), Row("a]b=1", ["a": ["b": "1"]]), Row("[a]=1", ["a": "1"]),
        Row("a[=1", ["a[": "1"]), Row("a[b[c]=1", ["a": ["b": ["c": "1"]]]),
        Row("a[x]%0A[][y]=1", ["a": [["y": "1"]]]),
        Row("a[][b]=1&a[]=2&a[][c]=3", ["a": [["b": "1"], "2", ["c": "3"]]]), Row("a=1&a=2", ["a": "2"]),
        Row("[]=1", [:]), Row("=1&&b", ["b": nil]),
        Row("a[][b][c]=1&a[][b][d]=2&a[][b]=3", ["a": [["b": ["c": "1", "d": "2"]], ["b": "3"]]]),
        Row("a[][][b]=1", ["a": [["b": "1"]]]), Row("a[][[]=1", ["a": [nil]]), Row("a[[]b=1", ["a": ["b": "1"]]),
        Row("a&a[]=1&b&b[c]=2", ["a": ["1"], "b": ["c": "2"]]),
    ]

    @Test("Rack", arguments: rack)
    func likeRack(row: ExpansionRow) throws { #expect(try URLEncodedDialect.rails.decode(row.text) == row.expected) }

    @Test("Rack's type errors name both", arguments: ["a=1&a[]=2", "a=1&a[b]=2", "a[]=1&a[b]=2", "a[b]=1&a[]=2"])
    func rackConflicts(text: String) throws {
        let error = #expect(throws: FormworkError.self) { try URLEncodedDialect.rails.decode(text) }
        #expect(error?.code == .malformedBody)
        #expect(error?.message.contains("needs \"a\" to be an") == true)
    }

    @Test("Dots")
    func dots() throws {
        let pairs = [URLEncodedPair("a.b[].c", "1"), URLEncodedPair("a..b", "2"), URLEncodedPair("a.b[0].d", nil)]
        #expect(
            try NameExpansion.dots.expand(pairs, missing: nil) == ["a": ["b": [["c": "1", "d": nil]]], "a..b": "2"])
    }

    @Test("A bracket counts before it is closed, as in PHP")
    func openBracket() throws {
        #expect(
            try NameExpansion.php.expand([URLEncodedPair("a[b][c", "1")], limits: .init(depth: 2)) == ["a": ["b": "1"]])
        #expect(throws: FormworkError.self) {
            try NameExpansion.php.expand([URLEncodedPair("a[b][c", "1")], limits: .init(depth: 1))
        }
    }

    @Test("Flat names stay, and no value is what is asked for")
    func flat() throws {
        let pairs = [URLEncodedPair("a[b]", "1"), URLEncodedPair("a[b]", nil), URLEncodedPair("", "")]
        #expect(try NameExpansion.flat.expand(pairs, missing: nil) == ["a[b]": "1", "a[b]": nil, "": ""])
    }

    @Test("Bytes need not be text before they are unescaped")
    func bytes() throws {
        #expect(try URLEncodedDialect.php.decode([0x61, 0x3D, 0xE3, 0x81, 0x25, 0x38, 0x30]) == ["a": "\u{3040}"])
    }

    @Test("Names that aren't UTF-8 are two names if their bytes differ, as in PHP; a type can't tell them apart")
    func otherBytes() throws {
        for dialect in [URLEncodedDialect.php, .alamofire, .whatwg] {
            #expect(try dialect.decode("%a1=1&%a2=2") == ["\u{FFFD}": "1", "\u{FFFD}": "2"])
            #expect(throws: (any Error).self) { try dialect.decode([String: String].self, from: "%a1=1&%a2=2") }
        }
        let tree = try URLEncodedDialect.php.decode("x[%a1]=1&x[%a2]=2&x[%a1]=3")
        #expect(tree == ["x": ["\u{FFFD}": "3", "\u{FFFD}": "2"]])
        let error = #expect(throws: FormworkError.self) {
            try URLEncodedDialect.php.decode([String: String].self, from: "%a1=1&%a2=2")
        }
        #expect(error?.code == .malformedBody)
        #expect(error?.message == "\"\u{FFFD}\" is two names that aren't UTF-8")
    }

    @Test("A name that is a text and a tree is an error", arguments: ["a=1&a[b]=2", "a[b]=1&a=2", "a=1&a=2&a[]=3"])
    func conflicts(text: String) throws {
        let error = #expect(throws: FormworkError.self) { try URLEncodedDialect.alamofire.decode(text) }
        #expect(error?.code == .malformedBody)
        #expect(error?.message.contains("is both a value and a tree") == true)
    }

    private static let many = (0..<100_000).map { URLEncodedPair($0.isMultiple(of: 2) ? "a[]" : "b[k\($0)]", "x") }
    private static let repeated = (0..<100_000).map { URLEncodedPair("a", String($0)) }

    @Test(
        "CVE-2022-31019: depth is limited by name, and hostile names take no time",
        arguments: [NameExpansion.php, .brackets, .dots, .rack])
    func depth(expansion: NameExpansion) throws {
        let fits = "a" + String(repeating: "[b]", count: 64)
        #expect(throws: Never.self) { try expansion.expand([URLEncodedPair(fits, "1")]) }
        for name in ["a" + String(repeating: "[b]", count: 65), "a" + String(repeating: "[b]", count: 100_000)] {
            let error = #expect(throws: FormworkError.self) { try expansion.expand([URLEncodedPair(name, "1")]) }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message.contains("limits.depth") == true)
        }
        for byte in ["[", "]", ".", "a["] {
            let name = "a" + String(repeating: byte, count: (1 << 20) / byte.utf8.count)
            _ = try? expansion.expand([URLEncodedPair(name, "1")])
        }
        guard case .object(let members) = try expansion.expand(Self.many) else {
            throw FormworkError(.malformedBody, "")
        }
        #expect(members.count == 2)
        let repeated = try expansion.expand(Self.repeated)
        #expect(repeated["a"] != nil)
    }
}
