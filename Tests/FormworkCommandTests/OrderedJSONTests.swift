import Testing

@testable import FormworkCommand

@Suite("JSON is read strictly and written back as it stood there", .timeLimit(.minutes(10)))
struct OrderedJSONTests {
    private static func read(_ text: [UInt8]) -> String {
        do { return OrderedJSON.write(try OrderedJSON.read(text)) } catch { return "\(error)" }
    }

    @Test(
        "Accepted",
        arguments: [
            ("[]", "[]"), ("{}", "{}"), (" [ ] ", "[]"), ("{\"a\":{}}", "{\"a\":{}}"), ("null", "null"),
            ("\"\"", "\"\""),
            ("\n{\"a\" :\t1 ,\r\n\"b\": [ true , false,null ]}\n", "{\"a\":1,\"b\":[true,false,null]}"),
            ("{\"b\":1,\"a\":2,\"b\":3,\"\":4}", "{\"b\":1,\"a\":2,\"b\":3,\"\":4}"),
            ("[0,-0,-1,10,1.0,-0.0,1e2,1E+2,1.5e-3]", "[0,0,-1,10,1.0,-0.0,100.0,100.0,0.0015]"),
            (
                "[170141183460469231731687303715884105727,-170141183460469231731687303715884105728]",
                "[170141183460469231731687303715884105727,-170141183460469231731687303715884105728]"
            ),
            ("[9007199254740993, 123456789012345678901234567890]", "[9007199254740993,123456789012345678901234567890]"),
            ("[1e-400]", "[0.0]"),
            (#"["\"\\\/\b\f\n\r\t\u0000\u001F\u007f"]"#, #"["\"\\/\u0008\u000c\n\r\t\u0000\u001f\u007f"]"#),
            (#"["\u00e9\u20AC\ud83d\ude00\uDBFF\uDFFD"]"#, "[\"é€😀\u{10FFFD}\"]"),
            (#"["\uFFFD\uFEFF\uFFFd"]"#, "[\"\u{FFFD}\u{FEFF}\u{FFFD}\"]"),
            ("[\"é😀\u{2028}\u{7F}e\u{301}\"]", "[\"é😀\u{2028}\\u007fe\u{301}\"]"),
            (#"{"\u0061":1,"a":2}"#, "{\"a\":1,\"a\":2}"),
            (#"["\\u0061"]"#, #"["\\u0061"]"#),
        ])
    func accepted(text: String, written: String) {
        #expect(Self.read(Array(text.utf8)) == written)
    }

    @Test(
        "Refused, with the place and what was expected",
        arguments: [
            ("", "line 1, column 1: expected a value, but the text ends"),
            (" \n ", "line 2, column 2: expected a value, but the text ends"),
            ("[", "line 1, column 2: expected a value, but the text ends"),
            ("[1", "line 1, column 3: expected \",\" or \"]\", but the text ends"),
            ("[1,]", "line 1, column 4: expected a value, not \"]\""),
            ("[,1]", "line 1, column 2: expected a value, not \",\""),
            ("[1 2]", "line 1, column 4: expected \",\" or \"]\", not \"2\""),
            ("[1}", "line 1, column 3: expected \",\" or \"]\", not \"}\""),
            ("]", "line 1, column 1: expected a value, not \"]\""),
            ("[]]", "line 1, column 3: expected the end, not \"]\""),
            ("{}x", "line 1, column 3: expected the end, not \"x\""),
            ("{\"a\":1,}", "line 1, column 8: expected a name in double quotes, not \"}\""),
            ("{a:1}", "line 1, column 2: expected a name in double quotes, not \"a\""),
            ("{'a':1}", "line 1, column 2: expected a name in double quotes, not \"'\""),
            ("{\"a\" \"b\"}", "line 1, column 6: expected \":\", not '\"'"),
            ("{\"a\":}", "line 1, column 6: expected a value, not \"}\""),
            ("{\"é\":1,\n \"b\":nul}", "line 2, column 6: expected a value, not \"n\""),
            ("[True]", "line 1, column 2: expected a value, not \"T\""),
            ("[nullx]", "line 1, column 6: expected \",\" or \"]\", not \"x\""),
            ("[NaN]", "line 1, column 2: expected a value, not \"N\""),
            ("[-]", "line 1, column 3: expected a digit, not \"]\""),
            ("[+1]", "line 1, column 2: expected a value, not \"+\""),
            ("[.5]", "line 1, column 2: expected a value, not \".\""),
            ("[1.]", "line 1, column 4: expected a digit, not \"]\""),
            ("[1e]", "line 1, column 4: expected a digit, not \"]\""),
            ("[1e+]", "line 1, column 5: expected a digit, not \"]\""),
            ("[012]", "line 1, column 3: expected \",\" or \"]\", not \"1\""),
            ("[-012]", "line 1, column 4: expected \",\" or \"]\", not \"1\""),
            ("[0x1]", "line 1, column 3: expected \",\" or \"]\", not \"x\""),
            ("[1e400]", "line 1, column 2: the number is too large: the largest is 1.8e308"),
            (
                "[170141183460469231731687303715884105728]",
                "line 1, column 2: the whole number has more than 128 bits: write it as a string"
            ),
            (
                "[1, -170141183460469231731687303715884105729]",
                "line 1, column 5: the whole number has more than 128 bits: write it as a string"
            ),
            ("[\"a]", "line 1, column 2: the string that begins here has no closing quote"),
            ("[\"a\\\"]", "line 1, column 2: the string that begins here has no closing quote"),
            ("[\"a\nb\"]", "line 1, column 4: a control character inside a string: escape it"),
            ("[\"\t\"]", "line 1, column 3: a control character inside a string: escape it"),
            ("[\"\u{0}\"]", "line 1, column 3: a control character inside a string: escape it"),
            (
                #"["a\x41"]"#,
                #"line 1, column 4: this "\" doesn't begin a JSON escape: write \\ for a backslash"#
            ),
            (#"["\u12"]"#, #"line 1, column 3: "\u" needs four hexadecimal digits after it"#),
            (#"["\u+123"]"#, #"line 1, column 3: "\u" needs four hexadecimal digits after it"#),
            (#"["\u"#, #"line 1, column 3: "\u" needs four hexadecimal digits after it"#),
            (
                #"["\ud800"]"#,
                #"line 1, column 3: "\ud800" is one half of a surrogate pair without the other"#
            ),
            (
                #"["\uDE00\uD83D"]"#,
                #"line 1, column 3: "\ude00" is one half of a surrogate pair without the other"#
            ),
            (
                #"["\ud83d\u0041"]"#,
                #"line 1, column 3: "\ud83d" is one half of a surrogate pair without the other"#
            ),
            ("\u{FEFF}{}", "line 1, column 1: a byte order mark, which JSON doesn't allow: remove it"),
            ("[1]\u{A0}", "line 1, column 4: expected the end, not \"\u{A0}\""),
            ("[1]/**/", "line 1, column 4: expected the end, not \"/\""),
            ("[1\u{C}]", "line 1, column 3: expected \",\" or \"]\", not \"\\u{0C}\""),
        ])
    func refused(text: String, message: String) {
        #expect(Self.read(Array(text.utf8)) == message)
    }

    @Test("What is no UTF-8 is refused: bare bytes, surrogates, overlong forms, other encodings")
    func encodings() {
        let half = "line 1, column 2: the string that begins here is not UTF-8"
        for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0x80]] {
            #expect(Self.read([0x5B, 0x22] + bytes + [0x22, 0x5D]) == half)
        }
        #expect(Self.read([0xFF, 0xFE, 0x5B, 0]) == "line 1, column 1: expected a value, not \"\u{FFFD}\"")
        #expect(Self.read([0, 0x5B, 0, 0x5D]) == "line 1, column 1: expected a value, not \"\\0\"")
    }

    @Test("512 levels are read, not one more, and however many there are")
    func depth() {
        let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(Self.read(Array(deepest.utf8)) == deepest)
        let objects = String(repeating: "{\"a\":", count: 511) + "{}" + String(repeating: "}", count: 511)
        #expect(Self.read(Array(objects.utf8)) == objects)
        let message = "line 1, column 513: arrays and objects are nested more than 512 levels deep"
        #expect(Self.read(Array("[\(deepest)]".utf8)) == message)
        #expect(Self.read(Array(repeating: 0x5B, count: 1_000_000)) == message)
    }

    @Test("Indented")
    func pretty() throws {
        let value = try OrderedJSON.read(Array(#"{"a":[1,{"b":null}],"c":[],"d":{}}"#.utf8))
        #expect(
            OrderedJSON.write(value, isPretty: true) == """
                {
                  "a": [
                    1,
                    {
                      "b": null
                    }
                  ],
                  "c": [],
                  "d": {}
                }
                """)
    }
}
