#if Command
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("formwork query", .timeLimit(.minutes(10)))
struct QueryCommandTests {
    private static func encode(_ json: String, _ options: String = "") throws -> Outcome {
        try Command.shell("\"$F\" query encode \(options)", input: Array(json.utf8))
    }

    private static func decode(_ text: String, _ options: String = "") throws -> Outcome {
        try Command.shell("\"$F\" query decode \(options)", input: Array(text.utf8))
    }

    static let nested = #"""
        {"b": "é &=+", "a": [1, true, null, 2.5, 1.0], "o": {"y": "2", "x": {"k": [{"m": 1}, {"n": 2}]}}, "dup": 1,
         "dup": 2, "e": [], "n": null, "f": false, "": "none", "big": 170141183460469231731687303715884105727,
         "huge": 1.7014118346046923e38, "t": "~*-._/?!'()"}
        """#
    static let flat = #"""
        {"b": "é &=+", "a c": true, "dup": 1, "dup": 2, "n": null, "f": 1.0, "": "none", "huge": 1e20,
         "t": "~*-._/?!'()"}
        """#

    @Test(
        "Each dialect writes the nested document in its way",
        arguments: [
            (
                "whatwg",
                "b=%C3%A9+%26%3D%2B&a%5B%5D=1&a%5B%5D=true&a%5B%5D=&a%5B%5D=2.5&a%5B%5D=1&o%5By%5D=2"
                    + "&o%5Bx%5D%5Bk%5D%5B%5D%5Bm%5D=1&o%5Bx%5D%5Bk%5D%5B%5D%5Bn%5D=2&dup=1&dup=2&n=&f=false&=none"
                    + "&big=170141183460469231731687303715884105727&huge=1.7014118346046923e%2B38"
                    + "&t=%7E*-._%2F%3F%21%27%28%29"
            ),
            (
                "afnetworking-2",
                "=none&a[]=1&a[]=1&a[]&a[]=2.5&a[]=1&b=%C3%A9%20%26%3D%2B&big=170141183460469231731687303715884105727"
                    + "&dup=2&f=0&huge=1.7014118346046923e%2B38&n&o[x][k][][m]=1&o[x][k][][n]=2&o[y]=2"
                    + "&t=~%2A-._%2F%3F%21%27%28%29"
            ),
            (
                "afnetworking-3",
                "=none&a%5B%5D=1&a%5B%5D=1&a%5B%5D&a%5B%5D=2.5&a%5B%5D=1&b=%C3%A9%20%26%3D%2B"
                    + "&big=170141183460469231731687303715884105727&dup=2&f=0&huge=1.7014118346046923e%2B38&n"
                    + "&o%5Bx%5D%5Bk%5D%5B%5D%5Bm%5D=1&o%5Bx%5D%5Bk%5D%5B%5D%5Bn%5D=2&o%5By%5D=2"
                    + "&t=~%2A-._/?%21%27%28%29"
            ),
            (
                "alamofire",
                "=none&a%5B%5D=1&a%5B%5D=1&a%5B%5D=%3Cnull%3E&a%5B%5D=2.5&a%5B%5D=1.0&b=%C3%A9%20%26%3D%2B"
                    + "&big=170141183460469231731687303715884105727&dup=2&f=0&huge=1.7014118346046923e%2B38"
                    + "&n=%3Cnull%3E&o%5Bx%5D%5Bk%5D%5B%5D%5Bm%5D=1&o%5Bx%5D%5Bk%5D%5B%5D%5Bn%5D=2&o%5By%5D=2"
                    + "&t=~%2A-._/?%21%27%28%29"
            ),
            (
                "php",
                "b=%C3%A9+%26%3D%2B&a%5B0%5D=1&a%5B1%5D=1&a%5B3%5D=2.5&a%5B4%5D=1&o%5By%5D=2"
                    + "&o%5Bx%5D%5Bk%5D%5B0%5D%5Bm%5D=1&o%5Bx%5D%5Bk%5D%5B1%5D%5Bn%5D=2&dup=2&f=0&=none"
                    + "&big=170141183460469231731687303715884105727&huge=1.7014118346047E%2B38"
                    + "&t=%7E%2A-._%2F%3F%21%27%28%29"
            ),
            (
                "php-rfc3986",
                "b=%C3%A9%20%26%3D%2B&a%5B0%5D=1&a%5B1%5D=1&a%5B3%5D=2.5&a%5B4%5D=1&o%5By%5D=2"
                    + "&o%5Bx%5D%5Bk%5D%5B0%5D%5Bm%5D=1&o%5Bx%5D%5Bk%5D%5B1%5D%5Bn%5D=2&dup=2&f=0&=none"
                    + "&big=170141183460469231731687303715884105727&huge=1.7014118346047E%2B38"
                    + "&t=~%2A-._%2F%3F%21%27%28%29"
            ),
        ])
    func nested(dialect: String, text: String) throws {
        let result = try Self.encode(Self.nested, "--dialect \(dialect)")
        #expect(result.text == text)
        #expect(result.status == 0)
        #expect(result.errors == "")
    }

    @Test(
        "Dialects of flat parameters",
        arguments: [
            (
                "facebook",
                "=none&a c=1&b=%C3%A9%20%26%3D%2B&dup=2&f=1&huge=1e%2B20&n=&t=~%2A-._%2F%3F%21%27%28%29"
            ),
            ("recipes", "b=%C3%A9%20%26%3D%2B&a c=1&dup=2&n=&f=1&huge=1e%2B20&t=~*-._/?!'()"),
            ("recipes-plus", "b=%C3%A9+%26%3D%2B&a c=1&dup=2&n=&f=1&huge=1e%2B20&t=~*-._/?!'()"),
        ])
    func flat(dialect: String, text: String) throws {
        #expect(try Self.encode(Self.flat, "--dialect \(dialect)").text == text)
        let refused = try Self.encode(Self.nested, "--dialect \(dialect)")
        #expect(
            refused.errors
                == "formwork: standard input: \"a\" is an array or an object, which this dialect can't write\n")
        #expect(refused.status == 2)
        #expect(refused.output.isEmpty)
    }

    @Test("whatwg is the dialect when none is named; files, '-', empty objects, arrays where a dialect has them")
    func inputs() throws {
        let folder = Folder()
        try folder.file("p.json", "{\"a\":\"x y\"}\n")
        #expect(try Command.run("query", "encode", "p.json", in: folder.path).text == "a=x+y")
        #expect(try Self.encode("{\"a\":\"x y\"}", "-").text == "a=x+y")
        #expect(try Self.encode("{}").text == "")
        #expect(try Self.encode("[1,{\"a\":2}]", "--dialect php").text == "0=1&1%5Ba%5D=2")
        #expect(try Self.encode("[1]", "--dialect afnetworking-2").text == "%28null%29[]=1")
        #expect(try Self.encode(#"{"z":"\ud83d\ude00\u0000"}"#).text == "z=%F0%9F%98%80%00")
    }

    @Test("A line end follows on a terminal, and nowhere else")
    func terminal() throws {
        let folder = TemporaryFolder()
        // `script` gives the command a terminal, which turns a line end into CR LF.
        let shown = try Command.shell(
            "echo '{\"a\":1}' > p; script -qec '\"$F\" query encode p' /dev/null", in: folder.path.string)
        #expect(shown.text == "a=1\r\n")
        #expect(try Command.shell("echo '{\"a\":1}' | \"$F\" query encode | od -An -c").text == "   a   =   1\n")
    }

    @Test(
        "Options override a dialect's rules",
        arguments: [
            ("--array brackets", "php", "b=1&a%5B%5D=x+y&a%5B%5D=2"),
            ("--array repeated", "whatwg", "b=true&a=x+y&a=2&n="),
            ("--array indexed", "whatwg", "b=true&a%5B0%5D=x+y&a%5B1%5D=2&n="),
            ("--array repeated --bool numeric", "whatwg", "b=1&a=x+y&a=2&n="),
            ("--array repeated --bool literal", "alamofire", "a=x%20y&a=2&b=true&n=%3Cnull%3E"),
            ("--array repeated --null name", "whatwg", "b=true&a=x+y&a=2&n"),
            ("--array repeated --null empty", "alamofire", "a=x%20y&a=2&b=1&n="),
            ("--array repeated --null null", "whatwg", "b=true&a=x+y&a=2&n=null"),
            ("--array repeated --null drop", "whatwg", "b=true&a=x+y&a=2"),
            ("--array repeated --space percent", "whatwg", "b=true&a=x%20y&a=2&n="),
            ("--array repeated --space plus", "alamofire", "a=x+y&a=2&b=1&n=%3Cnull%3E"),
            ("--array repeated --sort none", "alamofire", "b=1&a=x%20y&a=2&n=%3Cnull%3E"),
            ("--array repeated --sort name", "whatwg", "a=x+y&a=2&b=true&n="),
            ("--array repeated --sort text", "whatwg", "a=x+y&a=2&b=true&n="),
        ])
    func overrides(options: String, dialect: String, text: String) throws {
        let json = #"{"b": true, "a": ["x y", 2], "n": null}"#
        #expect(try Self.encode(json, "--dialect \(dialect) \(options)").text == text)
    }

    @Test("Sorting by text looks at what is written, sorting by name at names")
    func sort() throws {
        let json = #"{"a": 2, "a!": 1, "a[": 1}"#
        #expect(try Self.encode(json, "--sort name").text == "a=2&a%21=1&a%5B=1")
        #expect(try Self.encode(json, "--sort text").text == "a%21=1&a%5B=1&a=2")
    }

    @Test(
        "A URL takes the text as the dialect puts it there",
        arguments: [
            ("whatwg", "http://h/p", "http://h/p?a=1"), ("whatwg", "http://h/p?", "http://h/p?a=1"),
            ("whatwg", "http://h/p?x#f", "http://h/p?x&a=1#f"), ("php", "/p#f", "/p?a=1#f"),
            ("rails", "/p?x&", "/p?x&a=1"), ("facebook", "/p?", "/p?a=1"), ("recipes", "/p?", "/p?a=1"),
            ("alamofire", "http://h/p", "http://h/p?a=1"), ("alamofire", "http://h/p?", "http://h/p?&a=1"),
            ("alamofire", "http://h/p?x#f", "http://h/p?x&a=1#f"),
            ("afnetworking-2", "/p", "/p?a=1"), ("afnetworking-2", "/p?", "/p?&a=1"),
            ("afnetworking-2", "/p#f", "/p#f?a=1"), ("afnetworking-3", "/p?x#f", "/p?x#f&a=1"),
        ])
    func into(dialect: String, url: String, result: String) throws {
        #expect(try Self.encode("{\"a\":1}", "--dialect \(dialect) --into '\(url)'").text == result)
        let empty = try Self.encode("{}", "--dialect \(dialect) --into '\(url)'").text
        #expect(empty == (dialect == "afnetworking-2" ? url + (url.contains("?") ? "&" : "?") : url))
    }

    @Test("Pairs keep order, number and names, both ways")
    func pairs() throws {
        let json = #"[["b","x y"],["a",1],["b",null],["a[]",true],["",2.5],["b",""]]"#
        #expect(try Self.encode(json, "--pairs").text == "b=x+y&a=1&b&a%5B%5D=true&=2.5&b=")
        #expect(
            try Self.encode(json, "--pairs --dialect alamofire").text == "b=x%20y&a=1&b&a%5B%5D=1&=2.5&b=")
        #expect(try Self.encode(json, "--pairs --dialect recipes").text == "b=x%20y&a=1&b&a[]=1&=2.5&b=")
        #expect(try Self.encode(json, "--pairs --null drop --sort name").text == "=2.5&a=1&a%5B%5D=true&b=x+y&b=")
        let text = "b=x+y&a=1&b&a%5B%5D=true&=2.5&b="
        let read = #"[["b","x y"],["a","1"],["b",null],["a[]","true"],["","2.5"],["b",""]]"# + "\n"
        for dialect in ["afnetworking-2 --space plus", "rails", "whatwg --null name"] {
            #expect(try Self.decode(text, "--pairs --dialect \(dialect)").text == read)
        }
        let withoutNull = read.replacing("null", with: "\"\"")
        for dialect in [
            "whatwg", "alamofire --space plus", "facebook", "php", "php-rfc3986", "recipes", "recipes-plus",
        ] {
            #expect(try Self.decode(text, "--pairs --dialect \(dialect)").text == withoutNull)
        }
        #expect(try Self.encode(read, "--pairs").text == text)
        #expect(try Self.decode("a", "--pairs --null empty").text == "[[\"a\",\"\"]]\n")
    }

    @Test(
        "Null without a name is an empty pair, as AFNetworking writes it",
        arguments: ["afnetworking-2", "afnetworking-3"])
    func nullWithoutName(dialect: String) throws {
        #expect(try Self.encode(#"{"":null,"b":1}"#, "--dialect \(dialect)").text == "&b=1")
        #expect(try Self.encode(#"[["a",1],["",null],["b",2]]"#, "--pairs --dialect \(dialect)").text == "a=1&&b=2")
        #expect(try Self.encode(#"{"a":{"":null}}"#, "--dialect \(dialect)").output.suffix(1) != Array("=".utf8)[...])
    }

    @Test("Rails: what is written comes back as Rack reads it, or is refused by its name")
    func rails() throws {
        let json = #"{"a":[{"b":1,"c":null},{"b":2,"c":"x y"}],"t":[true,2.5],"o":{"z":"1","y":["é"]}}"#
        let text =
            "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bc%5D=&a%5B%5D%5Bb%5D=2&a%5B%5D%5Bc%5D=x+y&o%5By%5D%5B%5D=%C3%A9"
            + "&o%5Bz%5D=1&t%5B%5D=true&t%5B%5D=2.5"
        #expect(try Self.encode(json, "--dialect rails").text == text)
        #expect(
            try Self.decode(text, "--dialect rails").text
                == #"{"a":[{"b":"1","c":""},{"b":"2","c":"x y"}],"o":{"y":["é"],"z":"1"},"t":["true","2.5"]}"#
                + "\n")
        let refused = try Self.encode(#"{"o":{"e":[]}}"#, "--dialect rails")
        #expect(
            refused.errors
                == "formwork: standard input: \"o[e]\" is an array without elements, which can't be written: "
                + "leave it out\n")
        #expect(refused.status == 2)
        #expect(refused.output.isEmpty)
        #expect(
            try Self.encode(#"{"dup":1,"dup":2}"#, "--dialect rails").errors
                == "formwork: standard input: \"dup\" occurs 2 times and would be read back 1 time: "
                + "give each member its own name\n")
        #expect(try Self.encode(#"{"a":[1,2]}"#, "--dialect rails --array repeated").text == "a=1&a=2")
        #expect(try Self.encode(#"[["a[]",1],["a[][",2]]"#, "--dialect rails --pairs").text == "a%5B%5D=1&a%5B%5D%5B=2")
    }

    @Test(
        "A repeated name becomes an array on request, in every dialect",
        arguments: [
            ("a=1&b=x&a=2&a", "", #"{"a":["1","2",""],"b":"x"}"#), ("a=1", "", #"{"a":"1"}"#),
            ("a=1&a=2", "--dialect php", #"{"a":["1","2"]}"#),
            ("a=1&a=2&o[x]=1", "--dialect rails", #"{"a":["1","2"],"o":{"x":"1"}}"#),
            ("a[]=1&a[]=2", "--dialect php", #"{"a":["1","2"]}"#),
            ("a=1&a=2", "--dialect alamofire", #"{"a":["1","2"]}"#),
            ("a=1&a=2", "--dialect facebook", #"{"a":["1","2"]}"#),
        ])
    func repeated(text: String, options: String, json: String) throws {
        let result = try Self.decode(text, "--repeated array \(options)")
        #expect(result.text == json + "\n" && result.errors == "", "\(result.errors)")
    }

    @Test func `A repeated name is a warning if most JSON readers would lose its values`() throws {
        let result = try Self.decode("a=1&a=2")
        #expect(result.text == "{\"a\":\"1\",\"a\":\"2\"}\n" && result.status == 0)
        #expect(
            result.errors
                == "formwork: warning: the name \"a\" occurs more than once: --repeated array makes one member of its "
                + "values\n")
        #expect(try Self.decode("a=1&a=2", "--pairs").errors == "")
        #expect(try Self.decode("a=1&b=2").errors == "")
        let both = try Self.decode("a=1", "--repeated array --pairs")
        #expect(both.status == 2)
        #expect(both.errors == "formwork: --repeated: --pairs lists every pair: leave one of them out\n")
        #expect(try Command.run("query", "decode", "--help").text.contains("--repeated array"))
    }

    @Test(
        "Text is read as the dialect reads it",
        arguments: [
            ("b=1&a=x+y&b=%C3%A9&n&&=e&c=d=e", "", #"{"b":"1","a":"x y","b":"é","n":"","":"e","c":"d=e"}"#),
            ("b=1&a=x+y&b=2", "--dialect facebook", #"{"b":"2","a":"x y"}"#),
            ("a+b=c%2Bd", "--space percent", #"{"a+b":"c+d"}"#),
            ("a&b=", "--null name", #"{"a":null,"b":""}"#),
            ("a&b=", "--null empty", #"{"a":"","b":""}"#),
            ("", "", "{}"), ("\n", "", "{}"), ("a=1\n", "", #"{"a":"1"}"#), ("a=1\r\n", "", #"{"a":"1"}"#),
            ("a=1\n\n", "", #"{"a":"1\n"}"#), ("?a=1", "", #"{"?a":"1"}"#),
            ("http://h/p?a=1&b=?#f?c=2\n", "--url", #"{"a":"1","b":"?"}"#), ("http://h/p#f?c=2", "--url", "{}"),
            ("http://h/p?", "--url", "{}"), ("http://h/p?a=1", "", #"{"http://h/p?a":"1"}"#),
            ("a=%zz&b=%&c=%4", "", #"{"a":"%zz","b":"%","c":"%4"}"#), ("a=%FF%C3", "", "{\"a\":\"\u{FFFD}\u{FFFD}\"}"),
            ("a=%22%5C%0A%00%7F", "", #"{"a":"\"\\\n\u0000\u007f"}"#),
            ("a=1&b=2", "--pretty", "{\n  \"a\": \"1\",\n  \"b\": \"2\"\n}"),
        ])
    func decode(text: String, options: String, json: String) throws {
        let result = try Self.decode(text, options)
        #expect(result.text == json + "\n")
        #expect(result.status == 0)
        let isRepeated = text.hasPrefix("b=1") && options == ""
        #expect(result.errors.hasPrefix("formwork: warning: the name \"b\" occurs more than once") == isRepeated)
        let isPartOfName = options == "" && (text.hasPrefix("?") || text.hasPrefix("http"))
        #expect(isRepeated || (result.errors == "") != isPartOfName)
    }

    @Test("Bytes that are no UTF-8 are repaired")
    func repaired() throws {
        let result = try Command.run("query", "decode", input: [0x61, 0xFF, 0x3D, 0xC3])
        #expect(result.text == "{\"a\u{FFFD}\":\"\u{FFFD}\"}\n")
    }

    @Test("What was decoded is encoded to the same text")
    func roundTrip() throws {
        let text = "b=%C3%A9+%26%3D%2B&a%5B%5D=1&a%5B%5D=2&dup=1&dup=2&n=&%00=%0D%0A"
        #expect(try Command.shell("\"$F\" query decode | \"$F\" query encode", input: Array(text.utf8)).text == text)
    }

    static let choices = [
        (
            "--dialect rubby",
            "--dialect rubby: choose one of whatwg, afnetworking-2, afnetworking-3, alamofire, "
                + "facebook, recipes, recipes-plus, php, php-rfc3986, rails"
        ),
        ("--null 'a b'", "--null 'a b': choose one of name, empty, null, drop"),
        ("--space raw", "--space raw: choose one of percent, plus"),
        ("-F a=1", "-F: this command has no parts of a form: leave it out"),
    ]

    @Test("Wrong options are told in one line", arguments: choices)
    func wrongOptions(options: String, message: String) throws {
        for verb in ["encode", "decode"] {
            let result = try Command.shell("\"$F\" query \(verb) \(options)", input: Array("{}".utf8))
            #expect(result.errors == "formwork: \(message)\n")
            #expect(result.status == 2)
            #expect(result.output.isEmpty)
        }
    }

    @Test(
        "What is wrong is told in one line, with the input, the place and what to do",
        arguments: [
            ("{\"a\":1", "encode", 70, "standard input: line 1, column 7: expected \",\" or \"}\", but the text ends"),
            ("{\n \"é\": x}", "encode -", 70, "standard input: line 2, column 7: expected a value, not \"x\""),
            (
                "[1]", "encode", 70,
                "standard input: parameters must be an object, such as {\"page\": 1}, not an array"
            ),
            (
                "1", "encode --dialect php", 70,
                "standard input: parameters must be an object, such as {\"page\": 1}, not a number"
            ),
            (
                "null", "encode", 70, "standard input: parameters must be an object, such as {\"page\": 1}, not null"
            ),
            (
                "{\"a\":\"\\ud800\"}", "encode", 70,
                "standard input: line 1, column 7: \"\\ud800\" is one half of a surrogate pair without "
                    + "the other"
            ),
            ("{}", "encode --pairs", 70, "standard input: --pairs needs an array of pairs, such as [[\"page\", 1]]"),
            (
                "[[\"a\",1],[\"b\",[]]]", "encode --pairs", 70,
                "standard input: pair 2 is not [name, value]: write a text, and a text, number, true, false or null"
            ),
            (
                "[[1,1]]", "encode --pairs", 70,
                "standard input: pair 1 is not [name, value]: write a text, and a text, number, true, false or null"
            ),
            ("[]", "encode --pairs --array brackets", 2, "--array: pairs have no arrays"),
            ("{}", "encode --dialect facebook --array brackets", 2, "--array: facebook's parameters have no arrays"),
            ("{}", "encode --array tuple", 2, "--array tuple: choose one of brackets, repeated, indexed"),
            ("{}", "encode --bool yes", 2, "--bool yes: choose one of numeric, literal"),
            ("{}", "encode --sort size", 2, "--sort size: choose one of none, name, text"),
            (
                "{}", "encode --into 'http://h/a b'", 2,
                "--into 'http://h/a b': the URL contains a space or a control character: write %20"
            ),
            (
                "{}", "encode --into $'/a\\nb'", 2,
                "--into '/a\\nb': the URL contains a space or a control character: write %0A"
            ),
            (
                "{\"a b\":1}", "encode --dialect facebook --into /p", 2,
                "--into /p: a name contains a space or a control character, which this dialect doesn't escape: rename "
                    + "it or use another dialect"
            ),
            ("", "encode nope.json", 26, "nope.json: can't be read (No such file or directory)"),
            ("", "decode nope", 26, "nope: can't be read (No such file or directory)"),
            (
                "a=1&b=%zz", "decode --strict", 70,
                "standard input: offset 6: \"%\" without two hexadecimal digits after it: fix it, or leave out "
                    + "--strict to have it repaired"
            ),
            (
                "/p?a=%", "decode --strict --url", 70,
                "standard input: offset 5: \"%\" without two hexadecimal digits after it: fix it, or leave out "
                    + "--strict to have it repaired"
            ),
            (
                "a=1&b=%FF", "decode --strict --pairs --dialect facebook", 70,
                "standard input: offset 4: a pair that isn't UTF-8: fix it, or leave out --strict to have it repaired"
            ),
            (
                "a=1&a[b]=2", "decode --dialect rails", 70,
                "standard input: \"a[b]\" needs \"a\" to be an object, but it is not: rename one of them, or use "
                    + "--pairs to list them all"
            ),
            (
                "a=1&a[b]=2", "decode --strict --dialect alamofire", 70,
                "standard input: \"a[b]\" is both a value and a tree of values: rename one of them, or use --pairs to "
                    + "list them all"
            ),
            (
                "a=%zz", "decode --strict --dialect rails", 70,
                "standard input: offset 2: \"%\" without two hexadecimal digits after it: fix it, or read it with "
                    + "another --dialect"
            ),
            ("a", "decode --null drop", 2, "--null drop: 'query decode' accepts name or empty"),
            ("a", "decode --array brackets", 2, "--array brackets: only 'query encode' has this option"),
            ("a", "decode --bool literal", 2, "--bool literal: only 'query encode' has this option"),
            ("a", "decode --sort name", 2, "--sort name: only 'query encode' has this option"),
        ] as [(String, String, Int32, String)])
    func errors(input: String, arguments: String, status: Int32, message: String) throws {
        let result = try Command.shell("\"$F\" query \(arguments)", input: Array(input.utf8))
        #expect(result.errors == "formwork: \(message)\n")
        #expect(result.status == status)
        #expect(result.output.isEmpty)
    }

    @Test("An input that can't be read, an output that can't be written")
    func endsOfPipes() throws {
        let folder = try Command.shell("\"$F\" query encode < /")
        #expect(folder.status == 26)
        #expect(folder.errors == "formwork: standard input can't be read (Is a directory) [body offset 0]\n")
        let closed = try Command.shell(
            "{ echo '{\"a\":1}' | { sleep 0.3; \"$F\" query encode; echo $? >&2; } } | true")
        #expect(closed.errors == "23\n")
        let full = try Command.shell("\"$F\" query decode > /dev/full", input: Array("a=1".utf8))
        #expect(full.status == 23)
        #expect(full.errors == "formwork: standard output can't be written (No space left on device)\n")
    }

    @Test("100,000 brackets end in a clear error, and 512 levels are written")
    func depth() throws {
        let deep = try Self.encode(String(repeating: "[", count: 100_000))
        #expect(
            deep.errors == "formwork: standard input: line 1, column 513: arrays and objects are nested more than 512 "
                + "levels deep\n")
        #expect(deep.status == 63)
        let json = "{\"a\":" + String(repeating: "[", count: 511) + "1" + String(repeating: "]", count: 511) + "}"
        let text = "a" + String(repeating: "%5B%5D", count: 511) + "=1"
        #expect(try Self.encode(json).text == text)
    }

    @Test("Ten megabytes go through, as one text and as many pairs")
    func large() throws {
        let text = try Self.encode("{\"a\":\"" + String(repeating: "xé\\n", count: 2_000_000) + "\"}")
        #expect(text.output.count == 2 + 10 * 2_000_000)
        #expect(text.output.suffix(10) == Array("x%C3%A9%0A".utf8)[...])
        let pairs = (1...500_000).map { "name\($0)=value+\($0)" }.joined(separator: "&")
        let back = try Command.shell("\"$F\" query decode | \"$F\" query encode", input: Array(pairs.utf8))
        let isSame = back.output == Array(pairs.utf8)
        #expect(isSame, "a literal of ten megabytes is no help in a log")
    }

    @Test(
        "decode hints at --url and --dialect",
        arguments: [
            (
                "https://x.org/?a=1", "",
                "the text is a URL, which becomes a part of the first name: --url decodes only the query"
            ),
            (
                "?a=1", "",
                "the text begins with '?', which becomes a part of the first name: --url decodes only the query"
            ),
            (
                "tags[]=x&tags[]=y", "",
                "the name \"tags[]\" has brackets, which PHP and Rails read as a list or an object: --dialect php or --dialect "
                    + "rails reads it so"
            ),
            ("https://x.org/?a=1", "--url", nil), ("tags[]=x&tags[]=y", "--dialect rails", nil),
            ("u[a]=x", "--dialect whatwg", nil), ("a=1&q=[x]", "", nil), ("[x]=1", "", nil),
        ])
    func hints(text: String, options: String, hint: String?) throws {
        let result = try Command.shell("\"$F\" query decode \(options)", input: Array(text.utf8))
        #expect(result.status == 0)
        #expect(result.errors == (hint.map { "formwork: warning: \($0)\n" } ?? ""), "\(result.errors)")
    }
}
#endif
