@testable import Formwork
@testable import FormworkCore
import TestSupport
import Testing

@Suite("FormArgument", .timeLimit(.minutes(10)))
struct FormArgumentTests {
    enum Content: Equatable, Sendable {
        case text(String)
        case file(path: String)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var argument: String
        var name: String
        var content: Content
        var isUpload = false
        var contentType: String?
        var filename: String?
        var length: Int64?
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let fields = [
        Row(argument: "name=daniel", name: "name", content: .text("daniel"), guardsAgainst: "the plain case"),
        Row(argument: "=", name: "", content: .text(""), guardsAgainst: "refusing an empty name and value"),
        Row(argument: "a=b=c==d", name: "a", content: .text("b=c==d"), guardsAgainst: "the last '='"),
        Row(argument: " a =b", name: " a ", content: .text("b"), guardsAgainst: "trimming the name"),
        Row(argument: "\"a\"=b", name: "\"a\"", content: .text("b"), guardsAgainst: "unquoting the name"),
        Row(
            argument: "na\"me\r\nx\\y%z=v", name: "na\"me\r\nx\\y%z", content: .text("v"),
            guardsAgainst: "touching the name"),
        Row(argument: "a=  x y \t ", name: "a", content: .text("x y"), guardsAgainst: "keeping bare blanks"),
        Row(argument: "a=\"  x y  \"", name: "a", content: .text("  x y  "), guardsAgainst: "trimming quoted blanks"),
        Row(argument: "a= \"x\" ", name: "a", content: .text("x"), guardsAgainst: "blanks around quotes"),
        Row(
            argument: #"a="q\"q \\ b \n""#, name: "a", content: .text(#"q"q \ b \n"#),
            guardsAgainst: "escapes that C has and curl hasn't"),
        Row(argument: #"a="""#, name: "a", content: .text(""), guardsAgainst: "an empty quoted word"),
        Row(
            argument: "a=\"abc", name: "a", content: .text("\"abc"),
            guardsAgainst: "a quote without an end taken for one"),
        Row(
            argument: #"a="abc\""#, name: "a", content: .text(#""abc\""#),
            guardsAgainst: "an escaped quote taken for the closing one"),
        Row(argument: #"a=b\"c\\d"#, name: "a", content: .text(#"b\"c\\d"#), guardsAgainst: "escapes in a bare word"),
        Row(argument: "a=x\"y\"z", name: "a", content: .text("x\"y\"z"), guardsAgainst: "a quote that isn't first"),
        Row(argument: "a=b,c,d", name: "a", content: .text("b,c,d"), guardsAgainst: "a comma in a value"),
        Row(argument: "b= @file.txt", name: "b", content: .text("@file.txt"), guardsAgainst: "'@' behind a blank"),
        Row(argument: "b= <x", name: "b", content: .text("<x"), guardsAgainst: "'<' behind a blank"),
        Row(argument: "b= (x", name: "b", content: .text("(x"), guardsAgainst: "'(' behind a blank"),
        Row(argument: "b=\"(x\"", name: "b", content: .text("(x"), guardsAgainst: "'(' behind a quote"),
        Row(argument: "b=\"@x\"", name: "b", content: .text("@x"), guardsAgainst: "'@' behind a quote"),
        Row(argument: "x=)", name: "x", content: .text(")"), guardsAgainst: "closing what wasn't opened"),
        Row(argument: "a=x\ny", name: "a", content: .text("x\ny"), guardsAgainst: "ending at a line end"),
        Row(
            argument: "a=\u{301}x", name: "a", content: .text("\u{301}x"),
            guardsAgainst: "a combining mark that hides the '='"),
    ]

    static let parameters = [
        Row(
            argument: #"colors="red; green";type=text/x-myapp"#, name: "colors", content: .text("red; green"),
            contentType: "text/x-myapp", guardsAgainst: "a ';' inside quotes"),
        Row(
            argument: "html= <body>..;type=text/html;charset=verymoo", name: "html", content: .text("<body>.."),
            contentType: "text/html;charset=verymoo", guardsAgainst: "losing the type's parameters"),
        Row(
            argument: "b=v;type=text/foo; charset=utf-8 ; filename=param_b", name: "b", content: .text("v"),
            contentType: "text/foo; charset=utf-8", filename: "param_b",
            guardsAgainst: "a keyword swallowed into the type"),
        Row(
            argument: "a=b;TYPE=x/y;FileName=Z.q", name: "a", content: .text("b"), contentType: "x/y", filename: "Z.q",
            guardsAgainst: "keywords in one case only"),
        Row(
            argument: "a=b ; \t type= x/y ;filename= f ", name: "a", content: .text("b"), contentType: "x/y",
            filename: "f", guardsAgainst: "blanks around keywords and words"),
        Row(
            argument: "a=x;filename=f.txt", name: "a", content: .text("x"), filename: "f.txt",
            guardsAgainst: "guessing the type here"),
        Row(
            argument: "a=x;filename=", name: "a", content: .text("x"), filename: "",
            guardsAgainst: "an empty filename taken for none"),
        Row(
            argument: #"a=x;filename="se\"mi;co,\\b.q""#, name: "a", content: .text("x"), filename: #"se"mi;co,\b.q"#,
            guardsAgainst: "a quoted filename cut at ';' or ','"),
        Row(
            argument: "a=x;filename=b,c", name: "a", content: .text("x"), filename: "b,c",
            guardsAgainst: "a bare filename cut at ','"),
    ]

    static let quotedTypes = [
        Row(
            argument: #"a=v;type=multipart/related; type="text/html";filename=f"#, name: "a", content: .text("v"),
            contentType: #"multipart/related; type="text/html""#, filename: "f",
            guardsAgainst: "RFC 2387's parameter taken for a second type"),
        Row(
            argument: #"a=v;type=a/b; q="c; d\"e;f" ;filename=g"#, name: "a", content: .text("v"),
            contentType: #"a/b; q="c; d\"e;f""#, filename: "g", guardsAgainst: "a ';' in a quoted parameter"),
    ]

    static let files = [
        Row(
            argument: "file=@d/e/test.txt", name: "file", content: .file(path: "d/e/test.txt"), isUpload: true,
            guardsAgainst: "a filename taken from the path here"),
        Row(
            argument: "file=@ x y ", name: "file", content: .file(path: "x y"), isUpload: true,
            guardsAgainst: "blanks around a bare path"),
        Row(
            argument: #"file=@"local,fi;le";filename="name;in;post""#, name: "file",
            content: .file(path: "local,fi;le"),
            isUpload: true, filename: "name;in;post", guardsAgainst: "a quoted path cut at ',' or ';'"),
        Row(
            argument: "name=<x.html", name: "name", content: .file(path: "x.html"),
            guardsAgainst: "'<' taken for an upload"),
        Row(
            argument: "name=<a,b;type=x/y", name: "name", content: .file(path: "a,b"), contentType: "x/y",
            guardsAgainst: "a comma behind '<', where curl has no lists"),
        Row(
            argument: "file=@-", name: "file", content: .file(path: "-"), isUpload: true,
            guardsAgainst: "standard input taken for text"),
        Row(
            argument: "up=@-;filename=a.png;length=10", name: "up", content: .file(path: "-"), isUpload: true,
            filename: "a.png", length: 10, guardsAgainst: "losing the length"),
        Row(
            argument: "up=<-;LENGTH=0;type=a/b;c=d", name: "up", content: .file(path: "-"), contentType: "a/b;c=d",
            length: 0, guardsAgainst: "a length of 0 taken for none"),
        Row(
            argument: "up=@\"-\";type=a/b;length=9223372036854775807", name: "up", content: .file(path: "-"),
            isUpload: true, contentType: "a/b", length: 9_223_372_036_854_775_807,
            guardsAgainst: "a length of 32 bits, or one swallowed into the type"),
        Row(
            argument: "f=@@x", name: "f", content: .file(path: "@x"), isUpload: true,
            guardsAgainst: "a second '@' taken for another"),
        Row(
            argument: "f=@\u{301}x", name: "f", content: .file(path: "\u{301}x"), isUpload: true,
            guardsAgainst: "a combining mark that hides the '@'"),
    ]

    @Test("An argument means this", arguments: fields + parameters + quotedTypes + files)
    func parses(row: Row) throws {
        let argument = try FormArgument(parsing: row.argument)
        #expect(Array((argument.name ?? "").utf8) == Array(row.name.utf8))
        #expect(argument.name != "", "a name of nothing is none")
        var parameters = FormArgument.Parameters()
        parameters.contentType = row.contentType
        parameters.filename = row.filename
        parameters.length = row.length
        switch (row.content, row.isUpload) {
        case (.text(let text), _): #expect(argument.content == .text(text, parameters))
        case (.file(let path), false):
            #expect(argument.content == .contents(of: FormArgument.File(path: path, parameters: parameters)))
        case (.file(let path), true):
            #expect(argument.content == .files([FormArgument.File(path: path, parameters: parameters)]))
        }
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

    struct Refused: Sendable, CustomTestStringConvertible {
        var argument: String
        var message: String
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let refused = [
        Refused(
            argument: "name", message: "there is no '=': write name=value or name=@file",
            guardsAgainst: "a name taken for a field"),
        Refused(
            argument: "", message: "there is no '=': write name=value or name=@file", guardsAgainst: "an empty argument"
        ),
        Refused(
            argument: #"a="abc"def"#,
            message: #"column 8: text after a closing quote would be lost: write \" for a quote inside quotes"#,
            guardsAgainst: "text that curl drops with a warning"),
        Refused(
            argument: #"a=x;filename="b"c"#,
            message: #"column 17: text after a closing quote would be lost: write \" for a quote inside quotes"#,
            guardsAgainst: "a filename's end that curl drops with a warning"),
        Refused(
            argument: #"meta={"a":"b;c"};type=application/json"#,
            message: #"column 14: "c"}" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a value with ';' needs --form-string or double quotes: meta="…;…""#,
            guardsAgainst: "JSON cut at its first ';'"),
        Refused(
            argument: "a=b;",
            message: #"column 5: "" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a value with ';' needs --form-string or double quotes: a="…;…""#,
            guardsAgainst: "a ';' at the end that would be lost"),
        Refused(
            argument: "a=(; encoder =7bit",
            message: #"column 6: "encoder =7bit" is not one of type=, filename=, headers=, encoder=, length=: "#
                + "leave out the space before '='",
            guardsAgainst: "advice about a type that nobody gave"),
        Refused(
            argument: "a=(;b",
            message: #"column 5: "b" is not one of type=, filename=, headers=, encoder=, length=: leave it out"#,
            guardsAgainst: "advice about a type that nobody gave"),
        Refused(
            argument: "f=@a;b.txt",
            message: #"column 6: "b.txt" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a path with ';' needs double quotes: f=@"…;…""#,
            guardsAgainst: "a path cut at its ';'"),
        Refused(
            argument: "=@f;filename=;a=b",
            message: #"column 15: "a=b" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"leave it out, or write filename="…;…" if it belongs to that"#,
            guardsAgainst: "advice about the path, whose end was long before"),
        Refused(
            argument: "a=b;headers=X: y;z",
            message: #"column 18: "z" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"leave it out, or write headers="…;…" if it belongs to that"#,
            guardsAgainst: "advice about the value, whose end was long before"),
        Refused(
            argument: "f=@a;encoder=base64;z",
            message: #"column 21: "z" is not one of type=, filename=, headers=, encoder=, length=: leave it out"#,
            guardsAgainst: "advice about the path after a parameter that has no ';'"),
        Refused(
            argument: "x=(;headers=X: y;z",
            message: #"column 18: "z" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"leave it out, or write headers="…;…" if it belongs to that"#,
            guardsAgainst: "advice to write what is written already"),
        Refused(
            argument: "f=OK;headers=justtext",
            message: #"column 14: the header "justtext" has no ':': write Name: value"#,
            guardsAgainst: "a header without a colon, which curl sends"),
        Refused(
            argument: "f=OK;headers=\"X-a: 1\r\nX-b: 2\"",
            message:
                #"column 14: The value of X-a contains the control character \r, which could end the header: remove "#
                + #"it."#,
            guardsAgainst: "a header that injects another"),
        Refused(
            argument: "f=OK;headers=", message: #"column 14: the header "" has no ':': write Name: value"#,
            guardsAgainst: "an empty line that would end the header section"),
        Refused(
            argument: "f=x;encoder=rot13",
            message: "column 5: encoder=rot13 is not one of base64, quoted-printable, 7bit, 8bit, binary",
            guardsAgainst: "an unknown encoder"),
        Refused(
            argument: "f=x;type=text/plain;oops",
            message: #"column 21: "oops" is neither a parameter of the type, such as charset=utf-8, "#
                + "nor one of filename=, headers=, encoder=, length=",
            guardsAgainst: "a word swallowed into the type"),
        Refused(
            argument: "f=x;type=text/plain;",
            message: #"column 21: "" is neither a parameter of the type, such as charset=utf-8, "#
                + "nor one of filename=, headers=, encoder=, length=",
            guardsAgainst: "a ';' at the end of the type"),
        Refused(
            argument: "f=x;type=text",
            message: "column 10: type= needs a media type such as text/plain",
            guardsAgainst: "half a type"),
        Refused(
            argument: "f=x;type=te;xt/plain",
            message: #"column 10: "te;xt/plain" is not a media type: write type/subtype."#,
            guardsAgainst: "a ';' that curl's scanf takes into the type"),
        Refused(
            argument: "f=x;type=a/b;headers=Content-Type: c/d",
            message: "column 39: type= and a Content-Type in headers= exclude each other: leave one of them out",
            guardsAgainst: "a type that replaces another"),
        Refused(
            argument: "a=v;filename=x;headers=Content-Disposition: inline",
            message: "column 51: filename= and a Content-Disposition in headers= exclude each other: leave one out",
            guardsAgainst: "a filename that the caller's own disposition hides"),
        Refused(
            argument: #"a=@f;type=q/r;b=c="; x"#,
            message: "column 19: a parameter's value has a quote inside: put quotes around all of it",
            guardsAgainst: "a quote that hides what follows"),
        Refused(
            argument: #"a=@f;type=q/r;b="x"y"#,
            message: #"column 20: text follows the closing quote of a parameter's value: write \" for a quote in it"#,
            guardsAgainst: "text that receivers drop"),
        Refused(
            argument: "x=(;filename=a", message: "column 5: a multipart can't have a filename",
            guardsAgainst: "a filename that curl ignores"),
        Refused(
            argument: "x=(;encoder=7bit", message: "column 5: a multipart can't be encoded: encode the parts in it",
            guardsAgainst: "an encoder that curl ignores"),
        Refused(
            argument: "a=x\n",
            message: "column 3: a line end around a value would be lost: put the value in double quotes",
            guardsAgainst: "a line end that curl trims"),
        Refused(
            argument: "f=@a,", message: "column 6: there is no path after '@', '<' or ',': use --form-string for text",
            guardsAgainst: "an empty second path"),
        Refused(
            argument: "a=b;  typo=x/y",
            message: #"column 7: "typo=x/y" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a value with ';' needs --form-string or double quotes: a="…;…""#,
            guardsAgainst: "a column that doesn't count blanks"),
        Refused(
            argument: "a=b;type=x/y;filename=f.q;type=z/w", message: "column 27: type= is given twice: leave one out",
            guardsAgainst: "a second type that replaces the first"),
        Refused(
            argument: "a=b;filename=c;filename=d", message: "column 16: filename= is given twice: leave one out",
            guardsAgainst: "a second filename that replaces the first"),
        Refused(
            argument: "name=<x;filename=y", message: "column 9: a '<' part is a field without a filename: use '@'",
            guardsAgainst: "a filename that curl ignores with a warning"),
        Refused(
            argument: "日本=@a;b,c",
            message: #"column 7: "b" is not one of type=, filename=, headers=, encoder=, length=: "#
                + #"a path with ';' needs double quotes: 日本=@"…;…""#,
            guardsAgainst: "a column counted in bytes"),
        Refused(
            argument: "x=(a",
            message:
                #"column 3: '(' at the start of a value opens a multipart, and the text after it would be lost: put "#
                + #"a value in double quotes, x="(…", or use --form-string"#,
            guardsAgainst: "a nested form taken for text"),
        Refused(
            argument: "f=-;length=10", message: "column 5: length= is for standard input, FIFOs and devices",
            guardsAgainst: "the text '-' taken for standard input"),
        Refused(
            argument: "f=@-;length=1k", message: #"column 6: length= needs a number of bytes, not "1k""#,
            guardsAgainst: "a length cut at its first letter"),
        Refused(
            argument: "f=@-;length=-1", message: #"column 6: length= needs a number of bytes, not "-1""#,
            guardsAgainst: "a negative length"),
        Refused(
            argument: "f=@-;length=", message: #"column 6: length= needs a number of bytes, not """#,
            guardsAgainst: "no length taken for 0"),
        Refused(
            argument: "f=@-;length=9223372036854775808",
            message: #"column 6: length= needs a number of bytes, not "9223372036854775808""#,
            guardsAgainst: "a length of 2^63 that wraps round"),
    ]

    @Test("What would lose something is refused, with its column", arguments: refused)
    func refuses(row: Refused) throws {
        #expect(try refusal { _ = try FormArgument(parsing: row.argument) } == row.message)
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
