import FormworkCore
import Testing

@Suite(.timeLimit(.minutes(10))) struct HexTests {
    @Test("Two lower-case digits a byte")
    func digits() {
        #expect(Hex.text([]) == "")
        #expect(Hex.text([0, 9, 0x0A, 0x7F, 0x80, 0xFF]) == "00090a7f80ff")
    }
}
