import Testing

@testable import FormworkReceiver

@Suite(.timeLimit(.minutes(10))) struct RequestPathTests {
    @Test(
        arguments: [
            ("/a/b?c#d", ["a"], "b", "c"), ("/a", [], "a", nil), ("/a?", [], "a", nil), ("/a#b?c", [], "a", nil),
            ("/a??b", [], "a", "?b"),
            // Marks that are one `Character` with what is before them, or after.
            ("/d/\u{301}x?\u{301}q", ["d"], "\u{301}x", "\u{301}q"),
            ("/\u{301}d/x\u{600}?q", ["\u{301}d"], "x\u{600}", "q"),
        ] as [(String, [String], String, String?)])
    func `A target is divided into folders, name and query`(
        target: String, folders: [String], name: String, query: String?
    ) {
        let path = RequestPath(target)
        #expect(path.folders == folders && path.lastSegment == name && path.query == query)
    }
}
