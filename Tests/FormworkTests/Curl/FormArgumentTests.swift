@testable import Formwork
@testable import FormworkCore
import TestSupport
import Testing

@Suite("FormArgument", .timeLimit(.minutes(10)))
struct FormArgumentTests {
    struct Parsed: Sendable {
        var name: String
        var content: FormArgument.Content

        static func text(_ name: String, _ text: String, type: String? = nil, filename: String? = nil) -> Parsed {
            Parsed(name: name, content: .text(text, self.parameters(type, filename)))
        }

        static func contents(_ name: String, _ path: String, type: String? = nil, length: Int64? = nil) -> Parsed {
            let file = FormArgument.File(path: path, parameters: self.parameters(type, nil, length))
            return Parsed(name: name, content: .contents(of: file))
        }

        static func upload(
            _ name: String, _ path: String, type: String? = nil, filename: String? = nil, length: Int64? = nil
        ) -> Parsed {
            let file = FormArgument.File(path: path, parameters: self.parameters(type, filename, length))
            return Parsed(name: name, content: .files([file]))
        }

        private static func parameters(
            _ type: String?, _ filename: String?, _ length: Int64? = nil
        ) -> FormArgument.Parameters {
            var parameters = FormArgument.Parameters()
            (parameters.contentType, parameters.filename, parameters.length) = (type, filename, length)
            return parameters
        }
    }

    static let fields: [Row<String, Parsed>] = [
        Row("name=daniel", .text("name", "daniel"), against: "the plain case"),
        Row("=", .text("", ""), against: "refusing an empty name and value"),
        Row("a=b=c==d", .text("a", "b=c==d"), against: "the last '='"),
        Row(" a =b", .text(" a ", "b"), against: "trimming the name"),
        Row("\"a\"=b", .text("\"a\"", "b"), against: "unquoting the name"),
        Row("na\"me\r\nx\\y%z=v", .text("na\"me\r\nx\\y%z", "v"), against: "touching the name"),
        Row("a=  x y \t ", .text("a", "x y"), against: "keeping bare blanks"),
        Row("a=\"  x y  \"", .text("a", "  x y  "), against: "trimming quoted blanks"),
        Row("a= \"x\" ", .text("a", "x"), against: "blanks around quotes"),
        Row(#"a="q\"q \\ b \n""#, .text("a", #"q"q \ b \n"#), against: "escapes that C has and curl hasn't"),
        Row(#"a="""#, .text("a", ""), against: "an empty quoted word"),
        Row("a=\"abc", .text("a", "\"abc"), against: "a quote without an end taken for one"),
        Row(#"a="abc\""#, .text("a", #""abc\""#), against: "an escaped quote taken for the closing one"),
        Row(#"a=b\"c\\d"#, .text("a", #"b\"c\\d"#), against: "escapes in a bare word"),
        Row("a=x\"y\"z", .text("a", "x\"y\"z"), against: "a quote that isn't first"),
        Row("a=b,c,d", .text("a", "b,c,d"), against: "a comma in a value"),
        Row("b= @file.txt", .text("b", "@file.txt"), against: "'@' behind a blank"),
        Row("b= <x", .text("b", "<x"), against: "'<' behind a blank"),
        Row("b= (x", .text("b", "(x"), against: "'(' behind a blank"),
        Row("b=\"(x\"", .text("b", "(x"), against: "'(' behind a quote"),
        Row("b=\"@x\"", .text("b", "@x"), against: "'@' behind a quote"),
        Row("x=)", .text("x", ")"), against: "closing what wasn't opened"),
        Row("a=x\ny", .text("a", "x\ny"), against: "ending at a line end"),
        Row("a=\u{301}x", .text("a", "\u{301}x"), against: "a combining mark that hides the '='"),
    ]

    static let parameters: [Row<String, Parsed>] = [
        Row(
            #"colors="red; green";type=text/x-myapp"#, .text("colors", "red; green", type: "text/x-myapp"),
            against: "a ';' inside quotes"),
        Row(
            "html= <body>..;type=text/html;charset=verymoo",
            .text("html", "<body>..", type: "text/html;charset=verymoo"), against: "losing the type's parameters"),
        Row(
            "b=v;type=text/foo; charset=utf-8 ; filename=param_b",
            .text("b", "v", type: "text/foo; charset=utf-8", filename: "param_b"),
            against: "a keyword swallowed into the type"),
        Row(
            "a=b;TYPE=x/y;FileName=Z.q", .text("a", "b", type: "x/y", filename: "Z.q"),
            against: "keywords in one case only"),
        Row(
            "a=b ; \t type= x/y ;filename= f ", .text("a", "b", type: "x/y", filename: "f"),
            against: "blanks around keywords and words"),
        Row("a=x;filename=f.txt", .text("a", "x", filename: "f.txt"), against: "guessing the type here"),
        Row("a=x;filename=", .text("a", "x", filename: ""), against: "an empty filename taken for none"),
        Row(
            #"a=x;filename="se\"mi;co,\\b.q""#, .text("a", "x", filename: #"se"mi;co,\b.q"#),
            against: "a quoted filename cut at ';' or ','"),
        Row("a=x;filename=b,c", .text("a", "x", filename: "b,c"), against: "a bare filename cut at ','"),
    ]

    static let quotedTypes: [Row<String, Parsed>] = [
        Row(
            #"a=v;type=multipart/related; type="text/html";filename=f"#,
            .text("a", "v", type: #"multipart/related; type="text/html""#, filename: "f"),
            against: "RFC 2387's parameter taken for a second type"),
        Row(
            #"a=v;type=a/b; q="c; d\"e;f" ;filename=g"#, .text("a", "v", type: #"a/b; q="c; d\"e;f""#, filename: "g"),
            against: "a ';' in a quoted parameter"),
    ]

    static let files: [Row<String, Parsed>] = [
        Row("file=@d/e/test.txt", .upload("file", "d/e/test.txt"), against: "a filename taken from the path here"),
        Row("file=@ x y ", .upload("file", "x y"), against: "blanks around a bare path"),
        Row(
            #"file=@"local,fi;le";filename="name;in;post""#, .upload("file", "local,fi;le", filename: "name;in;post"),
            against: "a quoted path cut at ',' or ';'"),
        Row("name=<x.html", .contents("name", "x.html"), against: "'<' taken for an upload"),
        Row(
            "name=<a,b;type=x/y", .contents("name", "a,b", type: "x/y"),
            against: "a comma behind '<', where curl has no lists"),
        Row("file=@-", .upload("file", "-"), against: "standard input taken for text"),
        Row(
            "up=@-;filename=a.png;length=10", .upload("up", "-", filename: "a.png", length: 10),
            against: "losing the length"),
        Row(
            "up=<-;LENGTH=0;type=a/b;c=d", .contents("up", "-", type: "a/b;c=d", length: 0),
            against: "a length of 0 taken for none"),
        Row(
            "up=@\"-\";type=a/b;length=9223372036854775807",
            .upload("up", "-", type: "a/b", length: 9_223_372_036_854_775_807),
            against: "a length of 32 bits, or one swallowed into the type"),
        Row("f=@@x", .upload("f", "@x"), against: "a second '@' taken for another"),
        Row("f=@\u{301}x", .upload("f", "\u{301}x"), against: "a combining mark that hides the '@'"),
    ]

    @Test("An argument means this", arguments: fields + parameters + quotedTypes + files)
    func parses(row: Row<String, Parsed>) throws {
        let argument = try FormArgument(parsing: row.given)
        #expect(Array((argument.name ?? "").utf8) == Array(row.expected.name.utf8))
        #expect(argument.name != "", "a name of nothing is none")
        #expect(argument.content == row.expected.content)
        #expect(argument.warnings.isEmpty)
    }

    @Test("Several files in one argument, each with parameters of its own")
    func lists() throws {
        let argument = try FormArgument(
            parsing:
                #"f=@"a,1.txt";type=a/b;q=1,@b.bin;filename="x,y";encoder=BASE64, c;headers="X-a: 1; 2";headers=@h"#)
        guard case .files(let files) = argument.content else { throw NotFiles() }
        #expect(files.map(\.path) == ["a,1.txt", "@b.bin", "c"])
        #expect(files.map(\.parameters.contentType) == ["a/b;q=1", nil, nil])
        #expect(files.map(\.parameters.filename) == [nil, "x,y", nil])
        #expect(files.map(\.parameters.encoder) == [nil, "BASE64", nil])
        #expect(files.map(\.parameters.headers) == [[], [], [.line("X-a: 1; 2"), .file(path: "h")]])
    }

    private struct NotFiles: Error {}

    @Test("A multipart begins and ends")
    func brackets() throws {
        var parameters = FormArgument.Parameters()
        parameters.contentType = "multipart/alternative"
        parameters.headers = [.line("X-n: 1")]
        let open = try FormArgument(parsing: #"=(;type=multipart/alternative;headers="X-n: 1""#)
        #expect(open.name == nil && open.content == .open(parameters))
        #expect(try FormArgument(parsing: "=)").content == .close)
        #expect(try FormArgument(parsing: "a=)").content == .text(")", .init()))
        #expect(try FormArgument(parsing: "=) ").content == .text(")", .init()))
    }

    @Test("curl's grammar loses what curl loses, and warns where curl does")
    func curlGrammar() throws {
        func text(_ argument: String) throws -> (String, FormArgument.Parameters, [String]) {
            let parsed = try FormArgument(parsing: argument, grammar: .curl)
            guard case .text(let text, let parameters) = parsed.content else { throw NotFiles() }
            return (text, parameters, parsed.warnings)
        }
        let json = try text(#"meta={"a":"b;c"};type=application/json"#)
        #expect(json.0 == #"{"a":"b"# && json.1.contentType == "application/json")
        #expect(json.2 == [#"skip unknown form field: c"}"#])
        #expect(try text(#"a="abc"def"#).0 == "abc")
        #expect(try text(#"a="abc"def"#).2 == ["Trailing data after quoted form parameter"])
        #expect(try text("a=b;").2.isEmpty)
        #expect(try text("a= b\n").0 == "b")
        #expect(try text("a=b;type=x/y;type=z/w").1.contentType == "x/y;type=z/w")
        #expect(try text("a=b;type=x/y;filename=f;type=z/w").1.contentType == "z/w")
        #expect(try text("a=b;type=x/y; ").1.contentType == "x/y; ")
        #expect(try text("a=b;type=a;b/c d ;filename=f").1.contentType == "a;b/c d")
        #expect(try text("a=b;length=3").2 == ["skip unknown form field: length=3"])
        let field = try FormArgument(parsing: "a=<x;filename=y", grammar: .curl)
        #expect(field.content == .contents(of: .init(path: "x", parameters: .init())))
        #expect(field.warnings == ["Field file name not allowed here: y"])
        #expect(try FormArgument(parsing: "x=(junk;encoder=7bit", grammar: .curl).content == .open(.init()))
        for argument in ["a=b;type=plain", "a=b;type=", "a=b;type=/x", "a=b;type=x/", "a=b;type=x /y", "name"] {
            #expect(throws: FormworkError.self, "\(argument)") { try FormArgument(parsing: argument, grammar: .curl) }
        }
    }

    static let refused: [Row<String, String>] = [
        Row("name", "there is no '=': write name=value or name=@file", against: "a name taken for a field"),
        Row("", "there is no '=': write name=value or name=@file", against: "an empty argument"),
        Row(
            #"a="abc"def"#, #"column 8: text after a closing quote would be lost: write \" for a quote inside quotes"#,
            against: "text that curl drops with a warning"),
        Row(
            #"a=x;filename="b"c"#,
            #"column 17: text after a closing quote would be lost: write \" for a quote inside quotes"#,
            against: "a filename's end that curl drops with a warning"),
        Row(
            #"meta={"a":"b;c"};type=application/json"#,
            #"column 14: "c"}" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a value with ';' needs --form-string or double quotes: meta="…;…""#,
            against: "JSON cut at its first ';'"),
        Row(
            "a=b;",
            #"column 5: "" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a value with ';' needs --form-string or double quotes: a="…;…""#,
            against: "a ';' at the end that would be lost"),
        Row(
            "a=(; encoder =7bit",
            #"column 6: "encoder =7bit" is not one of type=, filename=, headers=, encoder=, length=: "#
                + "leave out the space before '='", against: "advice about a type that nobody gave"),
        Row(
            "a=(;b", #"column 5: "b" is not one of type=, filename=, headers=, encoder=, length=: leave it out"#,
            against: "advice about a type that nobody gave"),
        Row(
            "f=@a;b.txt",
            #"column 6: "b.txt" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a path with ';' needs double quotes: f=@"…;…""#, against: "a path cut at its ';'"),
        Row(
            "=@f;filename=;a=b",
            #"column 15: "a=b" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"leave it out, or write filename="…;…" if it belongs to that"#,
            against: "advice about the path, whose end was long before"),
        Row(
            "a=b;headers=X: y;z",
            #"column 18: "z" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"leave it out, or write headers="…;…" if it belongs to that"#,
            against: "advice about the value, whose end was long before"),
        Row(
            "f=@a;encoder=base64;z",
            #"column 21: "z" is not one of type=, filename=, headers=, encoder=, length=: leave it out"#,
            against: "advice about the path after a parameter that has no ';'"),
        Row(
            "x=(;headers=X: y;z",
            #"column 18: "z" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"leave it out, or write headers="…;…" if it belongs to that"#,
            against: "advice to write what is written already"),
        Row(
            "f=OK;headers=justtext", #"column 14: the header "justtext" has no ':': write Name: value"#,
            against: "a header without a colon, which curl sends"),
        Row(
            "f=OK;headers=\"X-a: 1\r\nX-b: 2\"",
            #"column 14: The value of X-a contains the control character \r, which could end the header: remove "#
                + #"it."#, against: "a header that injects another"),
        Row(
            "f=OK;headers=", #"column 14: the header "" has no ':': write Name: value"#,
            against: "an empty line that would end the header section"),
        Row(
            "f=x;encoder=rot13", "column 5: encoder=rot13 is not one of base64, quoted-printable, 7bit, 8bit, binary",
            against: "an unknown encoder"),
        Row(
            "f=x;type=text/plain;oops",
            #"column 21: "oops" is neither a parameter of the type, such as charset=utf-8, "#
                + "nor one of filename=, headers=, encoder=, length=", against: "a word swallowed into the type"),
        Row(
            "f=x;type=text/plain;",
            #"column 21: "" is neither a parameter of the type, such as charset=utf-8, "#
                + "nor one of filename=, headers=, encoder=, length=", against: "a ';' at the end of the type"),
        Row("f=x;type=text", "column 10: type= needs a media type such as text/plain", against: "half a type"),
        Row(
            "f=x;type=te;xt/plain", #"column 10: "te;xt/plain" is not a media type: write type/subtype."#,
            against: "a ';' that curl's scanf takes into the type"),
        Row(
            "f=x;type=a/b;headers=Content-Type: c/d",
            "column 39: type= and a Content-Type in headers= exclude each other: leave one of them out",
            against: "a type that replaces another"),
        Row(
            "a=v;filename=x;headers=Content-Disposition: inline",
            "column 51: filename= and a Content-Disposition in headers= exclude each other: leave one out",
            against: "a filename that the caller's own disposition hides"),
        Row(
            #"a=@f;type=q/r;b=c="; x"#,
            "column 19: a parameter's value has a quote inside: put quotes around all of it",
            against: "a quote that hides what follows"),
        Row(
            #"a=@f;type=q/r;b="x"y"#,
            #"column 20: text follows the closing quote of a parameter's value: write \" for a quote in it"#,
            against: "text that receivers drop"),
        Row("x=(;filename=a", "column 5: a multipart can't have a filename", against: "a filename that curl ignores"),
        Row(
            "x=(;encoder=7bit", "column 5: a multipart can't be encoded: encode the parts in it",
            against: "an encoder that curl ignores"),
        Row(
            "a=x\n", "column 3: a line end around a value would be lost: put the value in double quotes",
            against: "a line end that curl trims"),
        Row(
            "f=@a,", "column 6: there is no path after '@', '<' or ',': use --form-string for text",
            against: "an empty second path"),
        Row(
            "a=b;  typo=x/y",
            #"column 7: "typo=x/y" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a value with ';' needs --form-string or double quotes: a="…;…""#,
            against: "a column that doesn't count blanks"),
        Row(
            "a=b;type=x/y;filename=f.q;type=z/w", "column 27: type= is given twice: leave one out",
            against: "a second type that replaces the first"),
        Row(
            "a=b;filename=c;filename=d", "column 16: filename= is given twice: leave one out",
            against: "a second filename that replaces the first"),
        Row(
            "name=<x;filename=y", "column 9: a '<' part is a field without a filename: use '@'",
            against: "a filename that curl ignores with a warning"),
        Row(
            "日本=@a;b,c",
            #"column 7: "b" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a path with ';' needs double quotes: 日本=@"…;…""#, against: "a column counted in bytes"),
        Row(
            "x=(a",
            #"column 3: '(' at the start of a value opens a multipart, and the text after it would be lost: put "#
                + #"a value in double quotes, x="(…", or use --form-string"#, against: "a nested form taken for text"),
        Row(
            "f=-;length=10", "column 5: length= is for standard input, FIFOs and devices",
            against: "the text '-' taken for standard input"),
        Row(
            "f=@-;length=1k", #"column 6: length= needs a number of bytes, not "1k""#,
            against: "a length cut at its first letter"),
        Row("f=@-;length=-1", #"column 6: length= needs a number of bytes, not "-1""#, against: "a negative length"),
        Row("f=@-;length=", #"column 6: length= needs a number of bytes, not """#, against: "no length taken for 0"),
        Row(
            "f=@-;length=9223372036854775808", #"column 6: length= needs a number of bytes, not "9223372036854775808""#,
            against: "a length of 2^63 that wraps round"),
    ]

    @Test("What would lose something is refused, with its column", arguments: refused)
    func refuses(row: Row<String, String>) throws {
        #expect(try refusal { _ = try FormArgument(parsing: row.given) } == row.expected)
    }

    @Test("--form-string takes everything behind the first '=' as it is")
    func literal() throws {
        let argument = try FormArgument(literal: #"s= "q" ;filename=z "#)
        #expect(argument.name == "s")
        #expect(argument.content == .text(#" "q" ;filename=z "#, .init()))
        #expect(try FormArgument(literal: "a=@b=c").content == .text("@b=c", .init()))
        #expect(
            try FormArgument(literal: "a=\u{301}x").content == .text("\u{301}x", .init()),
            "a combining mark behind '='")
        #expect(
            try refusal { _ = try FormArgument(literal: "no") } == "there is no '=': write name=value")
    }
}
