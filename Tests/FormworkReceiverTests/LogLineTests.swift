import Formwork
@testable import FormworkReceiver
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LogLineTests {
    private static let hostile = [
        "a\nb", "a\r\nb", "a\u{1B}[2Jb", "a\u{0}b", "\n", "a b=\"c\" d", "\\", "a\u{85}b",
    ]

    @Test(arguments: hostile, [LineLog.Form.text, .json])
    func `A value can't write a line of its own, or a control character`(value: String, form: LineLog.Form) {
        let line = LineLog.line(
            form, time: "t", level: "info", message: value, ["name": .text(value), "size": .integer(3)])
        #expect(line.hasSuffix("\n"))
        #expect(line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
    }

    @Test func `Values are quoted where they would be read as more than one`() {
        func line(_ value: String) -> String {
            LineLog.line(.text, time: "t", level: "info", message: "m", ["v": .text(value)])
        }
        #expect(line("plain.txt") == "t info m v=plain.txt\n")
        #expect(line("") == "t info m v=\"\"\n")
        #expect(line("a b") == "t info m v=\"a b\"\n")
        #expect(line("a=b") == "t info m v=\"a=b\"\n")
        #expect(line("a\"b") == "t info m v=\"a\\\"b\"\n")
        #expect(line("a\\ b") == "t info m v=\"a\\\\ b\"\n")
        // One `Character` with the quote or the backslash.
        #expect(line("a\"\u{301} peer=1") == "t info m v=\"a\\\"\u{301} peer=1\"\n")
        #expect(line("a\\\u{301} b") == "t info m v=\"a\\\\\u{301} b\"\n")
        #expect(line("a\u{600}\" b") == "t info m v=\"a\u{600}\\\" b\"\n")
        #expect(line("a\"\u{200D}\u{FE0F} b") == "t info m v=\"a\\\"\u{200D}\u{FE0F} b\"\n")
    }
}
