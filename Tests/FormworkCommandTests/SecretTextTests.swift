import Formwork
@testable import FormworkCommand
import Testing

/// What `-v` shows of a head, and which arguments the list of processes shows.
@Suite("Secrets in texts", .timeLimit(.minutes(10)))
struct SecretTextTests {
    @Test(
        "User and password, parameters and signatures are masked",
        arguments: [
            ("http://me:pw@h/?a=1&token=x y", "http://***@h/?a=1&token=*** y"),
            ("</a?sig=1>; rel=x, </b?key=2&b=3>", "</a?sig=***>; rel=x, </b?key=***&b=3>"),
            ("/?a=1;token=x", "/?a=1;token=***"), ("/?a?token=x", "/?a?token=***"),
            ("/?token=\u{301}x&a=1", "/?token=***&a=1"), ("http://me:pw@\u{301}h/", "http://***@\u{301}h/"),
            ("://@h", "://***@h"), ("/.link/a.b/.link/c.d", "/.link/a.***/.link/c.***"),
            ("/.link/a/.link/b.c.d", "/.link/a/.link/b.***"), ("/.link/a.***", "/.link/a.***"),
            ("/?token=", "/?token="), ("a=b", "a=b"),
        ])
    func masked(text: String, shown: String) {
        #expect(Array(SecretText.masked(text).utf8) == Array(shown.utf8))
    }

    @Test("The time is linear: these would take hours")
    func long() {
        let marks = String(repeating: "?", count: 80_000) + " ="
        #expect(SecretText.masked(marks) == marks)
        let links = String(repeating: "/.link/a.b", count: 8_000)
        #expect(SecretText.masked(links) == String(repeating: "/.link/a.***", count: 8_000))
    }

    @Test(
        "A URL without a scheme hides its user and password, too",
        arguments: [
            (["send", "me:pw@h/up?x@y"], "send *****@h/up?x@y"), (["curl", "me:pw@h"], "curl *****@h"),
            (["send", "h", "-x", "pu:pw@p:1"], "send h -x *****@p:1"), (["send", "-xpu:pw@p"], "send -x*****@p"),
            (["send", "h", "--proxy", "pu:pw@p"], "send h --proxy *****@p"),
            (["send", "h", "--proxy=pu:pw@p"], "send h --proxy=*****@p"),
            (["body", "--url", "me:pw@h"], "body --url *****@h"),
            (["send", "h", "-F", "me:pw@h"], "send h -F me:pw@h"),
            (["send", "h", "-A", "me@h"], "send h -A me@h"), (["inspect", "a@b"], "inspect a@b"),
            (["send", "http://\u{301}me:pw@h"], "send http://*******@h"),
            (["send", "me:pw@h/?to=http://x"], "send *****@h/?to=http://x"),
            (["send", "h", "-x", "pu:pw@p/?a=b://c"], "send h -x *****@p/?a=b://c"),
            (["send", "h", "-d", "password=SEC"], "send h -d password=***"),
            (["send", "h", "-dpassword=SEC"], "send h -dpassword=***"),
            (["send", "h", "-sd", "password=SEC&a=1"], "send h -sd password=***&a=1"),
            (["send", "h", "--data-raw=a=1&password=SEC"], "send h --data-raw=a=1&password=***"),
            (["send", "h", "--data-urlencode", "token=SEC"], "send h --data-urlencode token=***"),
        ])
    func withoutScheme(words: [String], shown: String) {
        let words = ["formwork"] + words
        var bytes = words.map { Array($0.utf8) }
        for (word, range) in SecretArguments.ranges(in: words) {
            for place in range { bytes[word][place] = UInt8(ascii: "*") }
        }
        #expect(bytes.dropFirst().map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") == shown)
    }

    @Test("Indentation ends after 16 levels, as a small text would become a very long one")
    func indentation() throws {
        let text = String(repeating: "[", count: 40) + "0,1" + String(repeating: "]", count: 40)
        let value = try OrderedJSON.read(Array(text.utf8))
        for shown in [OrderedJSON.write(value, isPretty: true), JSONLayout.text(Array(text.utf8), isColoured: false)!] {
            let lines = shown.split(separator: "\n")
            #expect(lines.map { $0.prefix { $0 == " " }.count }.max() == 32)
            #expect(lines[1] == "  [" && lines[16] == String(repeating: " ", count: 32) + "[")
            #expect(lines.contains { $0 == String(repeating: " ", count: 32) + "0," })
            #expect(shown.filter { $0 != " " && $0 != "\n" } == text)
        }
    }
}
