import Formwork
import Testing

/// The authority of a URL as a user typed it.
@Suite("URLs as texts", .timeLimit(.minutes(10)))
struct URLTextTests {
    @Test(
        "Only what is before the first '/', '?' or '#' is a scheme",
        arguments: [
            ("http://h/a", "h"), ("h:8080/?to=http://x/y", "h:8080"), ("me:pw@h/?to=http://x", "me:pw@h"),
            ("h?to=http://x", "h"), ("h#a://b", "h"), ("h/a://b@c", "h"), ("h//a", "h"), ("http://me@h?x#y", "me@h"),
            ("h", "h"),
            ("http:/h", "http:"), ("http:", "http:"), ("", ""), ("/a", ""), ("://h/a", "h"), ("//h/a", ""),
            ("http:///a", ""), ("http://\u{301}h/\u{301}a", "\u{301}h"), ("h/\u{301}a", "h"),
        ])
    func authority(text: String, authority: String) {
        #expect(Array(text.utf8.authority) == Array(authority.utf8))
        #expect((text.utf8.authorityStart != nil) == ["http://", "://"].contains { text.utf8.starts(with: $0.utf8) })
    }
}
