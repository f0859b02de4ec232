import FormworkCore
import TestSupport
import Testing

@Suite("FormworkError", .timeLimit(.minutes(10)))
struct FormworkErrorTests {
    struct Refusal: Error, CustomStringConvertible {
        var description: String { "No such file\nor directory" }
    }

    @Test("A description is one line of what is known, in this order")
    func descriptions() {
        let part = PartReference(index: 2, name: "photo")
        #expect(FormworkError(.writeFailed, "the disk is full").description == "the disk is full")
        #expect(
            FormworkError(
                .sourceUnavailable, "can't be read", part: part, path: "/a/b.jpg", offset: 77, cause: Refusal()
            ).description
                == #"part 3 "photo": /a/b.jpg: can't be read (No such file\nor directory) [body offset 77]"#)
        #expect(FormworkError(.invalidArgument, "no", path: "p").description == "p: no")
        #expect(
            FormworkError(.invalidArgument, "no", part: part, offset: 0).description
                == #"part 3 "photo": no [body offset 0]"#)
    }

    static let rows: [Row<String, String>] = [
        Row("a\r\nb", #"a\r\nb"#, against: "a line added to a log"),
        Row("\u{1B}[2J", #"\u{1B}[2J"#, against: "a cleared screen"),
        Row("a\0\tb\u{7F}", #"a\0\tb\u{7F}"#, against: "NUL, TAB and DEL"),
        Row("a\u{85}\u{9B}b", #"a\u{0085}\u{009B}b"#, against: "control characters above ASCII"),
        Row("\n\u{301}", "\\n\u{301}", against: "a combining mark that hides a line end"),
        Row("東京 😀 e\u{301} \"q\" \\", "東京 😀 e\u{301} \"q\" \\", against: "escaping text that is harmless"),
    ]

    @Test("Control characters are shown, not sent to the terminal", arguments: rows)
    func controlCharacters(row: Row<String, String>) {
        #expect(Array(row.given.withControlCharactersEscaped.utf8) == Array(row.expected.utf8))
        let error = FormworkError(.invalidArgument, row.given)
        #expect(Array(error.description.utf8) == Array(row.expected.utf8))
        #expect(error.message == row.given, "the message is kept whole")
    }

    @Test("A part is named for people, who count from 1")
    func parts() {
        #expect(PartReference(index: 0, name: nil).description == "part 1")
        #expect(PartReference(index: 9, name: "").description == #"part 10 """#)
        #expect(PartReference(index: 0, name: "a\nb").description == #"part 1 "a\nb""#)
    }

    @Test("A code names itself, fit for a metrics label")
    func codes() {
        let codes: [FormworkError.Code] = [
            .invalidArgument, .sourceUnavailable, .sourceChanged, .lengthMismatch, .lengthUnknown, .notReplayable,
            .limitExceeded, .writeFailed,
        ]
        #expect(
            codes.map(\.description) == [
                "invalidArgument", "sourceUnavailable", "sourceChanged", "lengthMismatch", "lengthUnknown",
                "notReplayable", "limitExceeded", "writeFailed",
            ])
        #expect(Set(codes).count == 8)
    }

    @Test("An error is caught by its code, and no other is")
    func catching() {
        #expect(Self.caught(FormworkError(.sourceChanged, "x")) == "changed")
        #expect(Self.caught(FormworkError(.writeFailed, "x")) == "other")
        #expect(Self.caught(Refusal()) == "other")
    }

    private static func caught(_ error: any Error) -> String {
        do { throw error } catch FormworkError.Code.sourceChanged { return "changed" } catch { return "other" }
    }

    @Test("An error is told its part once, and its offset")
    func telling() {
        let inner = PartReference(index: 1, name: "in")
        let outer = PartReference(index: 4, name: "out")
        let error = FormworkError(.invalidArgument, "x")
        #expect(error.naming(inner).part == inner)
        #expect(error.naming(inner).naming(outer).part == inner)
        #expect(error.naming(inner).naming(nil).part == inner)
        #expect(error.at(7).offset == 7)
        #expect(error.at(7).message == "x")
    }
}
