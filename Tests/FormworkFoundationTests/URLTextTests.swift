import Foundation
import FormworkValues
import Testing

/// The literals are curl's request lines, with what RFC 3986 doesn't allow escaped.
@Suite("A URL from a text", .timeLimit(.minutes(10)))
struct URLTextTests {
    @Test(
        "Only what a URL can't have is escaped, and escapes stay",
        arguments: [
            ("http://h/ok?sig=a%2Bb%3D%3D&name=a b", "http://h/ok?sig=a%2Bb%3D%3D&name=a%20b"),
            ("http://h/ok?sig=a%2Bb&n=100%", "http://h/ok?sig=a%2Bb&n=100%25"),
            ("http://h/ok?a=%7Bb%7D&c={d}", "http://h/ok?a=%7Bb%7D&c=%7Bd%7D"),
            ("http://h/o%20k?r=%20%", "http://h/o%20k?r=%20%25"),
            ("http://h/%zz%4", "http://h/%25zz%254"),
            ("http://h/a%20b [1]|\"<>^`\\.jpg", "http://h/a%20b%20%5B1%5D%7C%22%3C%3E%5E%60%5C.jpg"),
            ("http://h/Mein%20Bild%20für", "http://h/Mein%20Bild%20f%C3%BCr"),
            ("http://u%20ü:p%40 w@h/%2F", "http://u%20%C3%BC:p%40%20w@h/%2F"),
            ("http://h/a#b%20 #c", "http://h/a#b%20%20%23c"),
            ("http://[::1]:80/a b", "http://[::1]:80/a%20b"),
            ("http://h?a/b?c@d:e", "http://h?a/b?c@d:e"),
            ("HTTP://h/-._~!$&'()*+,;=:@", "HTTP://h/-._~!$&'()*+,;=:@"),
        ])
    func escapes(text: String, url: String) throws {
        #expect(URL(text: text)?.absoluteString == url)
    }

    @Test("So are references")
    func references() throws {
        let base = try #require(URL(text: "http://h/a%20b/c?d=%2B"))
        for (text, url) in [
            ("/ok%20ü?s=%2B", "http://h/ok%20%C3%BC?s=%2B"), ("d%2Fe f", "http://h/a%20b/d%2Fe%20f"),
            ("?x=%20 y", "http://h/a%20b/c?x=%20%20y"), ("//o/%41 ", "http://o/%41%20"),
            ("https://o/%2B|", "https://o/%2B%7C"),
        ] {
            #expect(URL(text: text, relativeTo: base)?.absoluteString == url)
        }
    }
}
