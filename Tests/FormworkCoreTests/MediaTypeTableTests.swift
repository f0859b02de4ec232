import FormworkCore
import Testing

@Suite("MediaTypeTable")
struct MediaTypeTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var filename: String
        var mediaType: String
        var reason: String
        var guardsAgainst: String
        var testDescription: String { "\(self.filename): \(self.guardsAgainst)" }

        static func unknown(_ filename: String, _ guardsAgainst: String) -> Row {
            Row(
                filename: filename, mediaType: "application/octet-stream", reason: "no type known for this name",
                guardsAgainst: guardsAgainst)
        }
    }

    static let rows = [
        Row(filename: "a.gif", mediaType: "image/gif", reason: "extension .gif", guardsAgainst: "curl's table"),
        Row(filename: "a.jpg", mediaType: "image/jpeg", reason: "extension .jpg", guardsAgainst: "curl's table"),
        Row(filename: "a.jpeg", mediaType: "image/jpeg", reason: "extension .jpeg", guardsAgainst: "curl's table"),
        Row(filename: "a.png", mediaType: "image/png", reason: "extension .png", guardsAgainst: "curl's table"),
        Row(filename: "a.svg", mediaType: "image/svg+xml", reason: "extension .svg", guardsAgainst: "curl's table"),
        Row(filename: "a.txt", mediaType: "text/plain", reason: "extension .txt", guardsAgainst: "curl's table"),
        Row(filename: "a.htm", mediaType: "text/html", reason: "extension .htm", guardsAgainst: "curl's table"),
        Row(filename: "a.html", mediaType: "text/html", reason: "extension .html", guardsAgainst: "curl's table"),
        Row(filename: "a.pdf", mediaType: "application/pdf", reason: "extension .pdf", guardsAgainst: "curl's table"),
        Row(filename: "a.xml", mediaType: "application/xml", reason: "extension .xml", guardsAgainst: "curl's table"),
        Row(filename: "A.JPEG", mediaType: "image/jpeg", reason: "extension .jpeg", guardsAgainst: "one case only"),
        Row(filename: "a.b.Png", mediaType: "image/png", reason: "extension .png", guardsAgainst: "the first dot"),
        Row(
            filename: ".txt", mediaType: "text/plain", reason: "extension .txt",
            guardsAgainst: "a name before the dot"),
        Row(
            filename: "東京.txt", mediaType: "text/plain", reason: "extension .txt",
            guardsAgainst: "text before the dot"),
        Row(
            filename: "e\u{301}.txt", mediaType: "text/plain", reason: "extension .txt",
            guardsAgainst: "a combining mark before the dot"),
        .unknown("", "a crash on no name"),
        .unknown("txt", "a name that is an extension without its dot"),
        .unknown("a.", "an empty extension"),
        .unknown("a.bin", "an extension that isn't in the table"),
        .unknown("photo.jpg.bin", "an extension in the middle"),
        .unknown("a.txt ", "a blank behind the extension"),
        .unknown("a.xhtml", "the end of an extension taken for it"),
        .unknown("a.ｇif", "a letter that isn't ASCII"),
        .unknown("a.txt\u{301}", "a combining mark behind the extension"),
        .unknown("a.g\u{130}f", "a letter that lower-cases to i"),
    ]

    @Test("A filename's end decides its type, and says so", arguments: rows)
    func choices(row: Row) {
        #expect(
            MediaTypeTable.choice(forFilename: row.filename) == MediaTypeChoice(row.mediaType, reason: row.reason))
    }

    @Test("The table has curl's ten entries")
    func table() {
        #expect(MediaTypeTable.curl.count == 10)
    }
}
