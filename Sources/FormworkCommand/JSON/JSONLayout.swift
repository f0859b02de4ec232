import Formwork
import FormworkSystem

/// JSON text as a terminal shows it: indented, coloured on request, and unable to move the cursor.
///
/// Names, numbers and texts are kept as they were written.
package struct JSONLayout {
    private enum Colour: String {
        case name = "\u{1B}[1;34m"
        case text = "\u{1B}[32m"
        case number = "\u{1B}[36m"
        case word = "\u{1B}[33m"
    }

    private let text: [UInt8]
    private let isColoured: Bool
    private var output = ""
    private var depth = 0

    /// Whether standard output is a terminal with colours, and NO_COLOR is unset or empty.
    static var wantsColours: Bool {
        Terminal.isTerminal(.standardOutput) && !Terminal.isDumb && SystemCalls.environment("NO_COLOR") ?? "" == ""
    }

    /// The text for standard output.
    /// - Returns: Lines, each with its end; `nil` if the text isn't JSON.
    package static func shown(_ text: [UInt8]) -> String? { self.text(text, isColoured: self.wantsColours) }

    static func text(_ text: [UInt8], isColoured: Bool) -> String? {
        guard (try? OrderedJSON.check(text)) != nil else { return nil }
        var layout = JSONLayout(text: text, isColoured: isColoured)
        layout.run()
        return layout.output + "\n"
    }

    private init(text: [UInt8], isColoured: Bool) { (self.text, self.isColoured) = (text, isColoured) }

    /// The text is valid, so it is only split into tokens.
    private mutating func run() {
        var at = 0
        while let start = self.firstToken(from: at) {
            let byte = self.text[start]
            at = start + 1
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                self.output += String(UnicodeScalar(byte))
                if let next = self.firstToken(from: at), self.isClosing(next) {
                    self.output += String(UnicodeScalar(self.text[next]))
                    at = next + 1
                } else {
                    self.depth += 1
                    self.breakLine()
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                self.depth -= 1
                self.breakLine()
                self.output += String(UnicodeScalar(byte))
            case UInt8(ascii: ","):
                self.output += ","
                self.breakLine()
            case UInt8(ascii: ":"): self.output += ": "
            case UInt8(ascii: "\""):
                while self.text[at] != UInt8(ascii: "\"") { at += self.text[at] == UInt8(ascii: "\\") ? 2 : 1 }
                at += 1
                let isName = self.firstToken(from: at).map { self.text[$0] == UInt8(ascii: ":") } ?? false
                self.append(start..<at, isName ? .name : .text)
            default:
                while at < self.text.count, !self.isBlankOrMark(at) { at += 1 }
                self.append(start..<at, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) ? .number : .word)
            }
        }
    }

    private func firstToken(from at: Int) -> Int? {
        self.text[at...].firstIndex { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }

    private func isClosing(_ at: Int) -> Bool { [UInt8(ascii: "}"), UInt8(ascii: "]")].contains(self.text[at]) }

    private func isBlankOrMark(_ at: Int) -> Bool { " \t\r\n,:]}".utf8.contains(self.text[at]) }

    private mutating func breakLine() {
        self.output += "\n" + String(repeating: "  ", count: min(self.depth, OrderedJSON.indentedLevels))
    }

    private mutating func append(_ range: Range<Int>, _ colour: Colour) {
        let token = String(decoding: self.text[range], as: UTF8.self)
        let shown = token.unicodeScalars.reduce(into: "") { shown, scalar in
            let isHarmless = String(scalar).withControlCharactersEscaped == String(scalar)
            // Scalars that disturb a terminal have at most four digits.
            shown += isHarmless ? String(scalar) : "\\u" + scalar.value.padded(to: 4, radix: 16)
        }
        self.output += self.isColoured ? "\(colour.rawValue)\(shown)\u{1B}[0m" : shown
    }
}
