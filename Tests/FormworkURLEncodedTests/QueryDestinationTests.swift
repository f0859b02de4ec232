import FormworkURLEncoded
import Testing

@Suite("Url-encoded text finds its place in a URL", .timeLimit(.minutes(10)))
struct QueryDestinationTests {
    struct Row: Sendable {
        var url: String
        var text = "a=1"
        /// One for each case, in their order.
        var results: [String]
    }

    static let rows = [
        Row(url: "http://h/p", results: ["http://h/p?a=1", "http://h/p?a=1", "http://h/p?a=1", "http://h/p?a=1"]),
        Row(url: "http://h", results: ["http://h?a=1", "http://h?a=1", "http://h?a=1", "http://h?a=1"]),
        Row(url: "", results: ["?a=1", "?a=1", "?a=1", "?a=1"]),
        Row(url: "/p?x=1", results: ["/p?x=1&a=1", "/p?x=1&a=1", "/p?x=1&a=1", "/p?x=1&a=1"]),
        Row(url: "/p?", results: ["/p?a=1", "/p?&a=1", "/p?&a=1", "/p?&a=1"]),
        Row(url: "/p?x=1&", results: ["/p?x=1&a=1", "/p?x=1&&a=1", "/p?x=1&&a=1", "/p?x=1&&a=1"]),
        Row(url: "/p?x=?", results: ["/p?x=?&a=1", "/p?x=?&a=1", "/p?x=?&a=1", "/p?x=?&a=1"]),
        Row(url: "/p#f", results: ["/p?a=1#f", "/p?a=1#f", "/p#f?a=1", "/p#f?a=1"]),
        Row(url: "/p#", results: ["/p?a=1#", "/p?a=1#", "/p#?a=1", "/p#?a=1"]),
        Row(url: "/p?x=1#f", results: ["/p?x=1&a=1#f", "/p?x=1&a=1#f", "/p?x=1#f&a=1", "/p?x=1#f&a=1"]),
        Row(url: "/p?#f", results: ["/p?a=1#f", "/p?&a=1#f", "/p?#f&a=1", "/p?#f&a=1"]),
        Row(url: "/p#f?g#h", results: ["/p?a=1#f?g#h", "/p?a=1#f?g#h", "/p#f?g#h?a=1", "/p#f?g#h?a=1"]),
        // What follows `?` and `#` may combine with them: URLs are cut by bytes, not characters.
        Row(
            url: "/ü?\u{301}#\u{301}",
            results: [
                "/ü?\u{301}&a=1#\u{301}", "/ü?\u{301}&a=1#\u{301}", "/ü?\u{301}#\u{301}&a=1", "/ü?\u{301}#\u{301}&a=1",
            ]),
        Row(url: "/p", text: "", results: ["/p", "/p", "/p", "/p?"]),
        Row(url: "/p?x#f", text: "", results: ["/p?x#f", "/p?x#f", "/p?x#f", "/p?x#f&"]),
    ]

    @Test("Queries, trailing marks, fragments and empty texts", arguments: rows)
    func place(row: Row) throws {
        #expect(try QueryDestination.allCases.map { try $0.url(row.url, adding: row.text) } == row.results)
    }

    @Test(
        "Spaces and control characters are refused, with their place",
        arguments: [
            ("http://h/a b", "a=1", "the URL contains a space or a control character: write %20", 10),
            ("http://ü/\r\nX: y", "a=1", "the URL contains a space or a control character: write %0D", 10),
            ("/\u{7F}", "", "the URL contains a space or a control character: write %7F", 1),
            ("/\u{85}", "", "the URL contains a space or a control character: write %C2%85", 1),
            (
                "/", "a\nb=1",
                "a name contains a space or a control character, which this dialect doesn't escape: rename it or use "
                    + "another dialect", 1
            ),
        ])
    func refused(url: String, text: String, message: String, offset: Int64) {
        for destination in QueryDestination.allCases {
            let error = #expect(throws: FormworkError.self) { try destination.url(url, adding: text) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message == message)
            #expect(error?.offset == offset)
        }
    }
}
