import Formwork
import FormworkSystem

/// Received text for a table. It can't move the cursor, and its width is counted as terminals count it.
package struct DisplayText {
    package let text: String
    /// Columns on a terminal.
    let width: Int

    /// - Parameter limit: The most columns: what doesn't fit is cut off, and "…" is after the rest.
    package init(_ received: String, limit: Int? = nil) {
        let text = received.withControlCharactersEscaped
        let whole = Self.width(of: text)
        guard let limit, whole > limit else {
            (self.text, self.width) = (text, whole)
            return
        }
        var (kept, width) = ("", 0)
        for character in text {
            let next = Self.width(of: character)
            guard width + next < limit else { break }
            kept.append(character)
            width += next
        }
        (self.text, self.width) = (kept + "…", width + 1)
    }

    /// The most columns that a terminal uses for the text.
    static func width(of text: String) -> Int {
        text.utf8.allSatisfy { $0 < 0x80 } ? text.utf8.count : text.reduce(0) { $0 + self.width(of: $1) }
    }

    /// Columns of one Character. Most terminals draw joined emoji beside each other, so all of its scalars count: a
    /// line must not be longer than the terminal is wide.
    private static func width(of character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F {
                width = max(width, 2)
            } else if scalar.isWide {
                width += 2
            } else if !scalar.hasNoWidth {
                width += 1
            }
        }
        return width
    }
}

extension Unicode.Scalar {
    /// Marks, format characters, and the vowels and final consonants of decomposed Hangul.
    fileprivate var hasNoWidth: Bool {
        switch self.value {
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: true
        default:
            switch self.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .control: true
            default: false
            }
        }
    }

    /// East Asian Wide and Fullwidth (UAX #11), by blocks, and emoji.
    fileprivate var isWide: Bool {
        switch self.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x3041...0x33FF,
            0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: self.properties.isEmojiPresentation
        }
    }
}

/// Words as a shell reads them.
package enum ShellQuote {
    private static let plain = Set("=@./-_,:+".utf8)

    /// `word`, in quotes if a shell would split or change it.
    package static func quote(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { $0.isLetterOrDigit || $0 >= 0x80 || self.plain.contains($0) }
        if isPlain, !word.isEmpty { return word }
        // By scalars: a quote and a combining mark after it are one Character, but a shell sees the quote.
        let quoted = word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(quoted.joined())'"
    }
}

extension [UInt8] {
    /// Whether a terminal can show the bytes as they are: text without control characters, but TAB and line ends.
    var isPlainText: Bool {
        String(validating: self, as: UTF8.self)?.unicodeScalars.allSatisfy {
            "\n\t\r".unicodeScalars.contains($0) || String($0).withControlCharactersEscaped == String($0)
        } ?? false
    }
}
