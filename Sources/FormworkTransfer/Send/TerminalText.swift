import Formwork
import FormworkCommand

/// Text for a terminal, as it arrives: without control characters, other than tabs and line ends.
struct TerminalText {
    /// Bytes that can't be shown before others follow: the beginning of a character, or a CR that may begin a line end.
    private var held: [UInt8] = []
    private var endsLine = true

    /// The text of these bytes, and of those held back before.
    mutating func next(_ bytes: [UInt8]) -> String {
        let all = self.held + bytes
        let count = all.count - Self.unfinished(all)
        self.held = Array(all[count...])
        return self.shown(String(decoding: all[..<count], as: UTF8.self))
    }

    /// The rest, and the end of the last line.
    mutating func end() -> String {
        let rest = self.shown(String(decoding: self.held, as: UTF8.self))
        self.held = []
        return self.endsLine ? rest : rest + "\n"
    }

    /// How many bytes at the end belong together with bytes that follow.
    private static func unfinished(_ bytes: [UInt8]) -> Int {
        if bytes.last == 0x0D { return 1 }
        // The first byte of a character of UTF-8 says how many there are.
        for (after, byte) in bytes.suffix(3).reversed().enumerated() {
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > after + 1 ? after + 1 : 0
        }
        return 0
    }

    private mutating func shown(_ text: String) -> String {
        guard let last = text.unicodeScalars.last else { return "" }
        self.endsLine = last == "\n"
        // A CR that is left ends no line.
        return text.replacing("\r\n", with: "\n").unicodeScalars
            .map { "\n\t".unicodeScalars.contains($0) ? String($0) : String($0).withControlCharactersEscaped }.joined()
    }
}
