import FormworkCore
import Testing

@Suite("Numbers with their nouns", .timeLimit(.minutes(10)))
struct CountTests {
    @Test(
        arguments: [
            (0, "byte", "0 bytes"), (1, "byte", "1 byte"), (2, "byte", "2 bytes"), (-1, "byte", "-1 bytes"),
            (1, "entry", "1 entry"), (2, "entry", "2 entries"), (0, "try", "0 tries"), (3, "day", "3 days"),
            (1, "y", "1 y"), (2, "y", "2 ys"), (1_000_000, "part", "1000000 parts"),
        ])
    func text(count: Int, noun: String, text: String) {
        #expect("\(count, noun)" == text)
        #expect("<\(Int64(count), noun)>" == "<\(text)>")
    }

    @Test func `The largest numbers`() {
        #expect("\(UInt64.max, "byte")" == "18446744073709551615 bytes")
        #expect("\(Int8.min, "level")" == "-128 levels")
    }
}
