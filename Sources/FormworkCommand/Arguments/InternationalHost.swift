/// A host name with letters outside ASCII, in the form that DNS has: `xn--…` (RFC 5891, RFC 3492).
///
/// Why not Foundation: its tables for this are in ICU, which makes the executable twice as large. Without them only names
/// are accepted whose letters need no mapping but to lower case. Others must be written in their xn-- form.
enum InternationalHost {
    /// The name in ASCII; `nil` if it contains anything but letters, digits, marks that change no order, and hyphens.
    static func ascii(_ host: some StringProtocol) -> String? {
        var labels: [String] = []
        // Also the full stops of Chinese and Japanese (RFC 3490 section 3.1).
        for label in host.split(omittingEmptySubsequences: false, whereSeparator: { ".。．｡".contains($0) }) {
            guard let encoded = self.label(String(label)) else { return nil }
            labels.append(encoded)
        }
        return labels.joined(separator: ".")
    }

    private static func label(_ text: String) -> String? {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        let scalars = Array(text.lowercased().unicodeScalars)
        guard scalars.allSatisfy(self.isAllowed), scalars.first != "-", scalars.last != "-",
            !self.isMark(scalars[0])
        else { return nil }
        let encoded = "xn--" + self.punycode(scalars)
        return encoded.utf8.count <= 63 ? encoded : nil
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }

    /// Whether a scalar stays what it is when names are compared (RFC 5892), as far as its properties show.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "-" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
        guard !self.mapped.contains(where: { $0.contains(scalar.value) }) else { return false }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .decimalNumber: return true
        // Signs that repeat or lengthen what is before them.
        case .modifierLetter: return [0x3005, 0x30FC, 0x30FD, 0x30FE, 0x0E46].contains(scalar.value)
        // Other marks may be part of a letter that has a scalar of its own.
        case .nonspacingMark, .spacingMark:
            return [0, 7, 9].contains(scalar.properties.canonicalCombiningClass.rawValue)
        default: return false
        }
    }

    /// Scalars that compatibility normalization (NFKC) replaces.
    private static let mapped: [ClosedRange<UInt32>] = [
        0x00AA...0x00AA, 0x00BA...0x00BA, 0x0132...0x0133, 0x013F...0x0140, 0x0149...0x0149, 0x017F...0x017F,
        0x01C4...0x01CC, 0x01F1...0x01F3, 0x0340...0x0345, 0x0374...0x0374, 0x037A...0x037A, 0x03D0...0x03D6,
        0x03F0...0x03F9, 0x0587...0x0587, 0x0675...0x0678, 0x0958...0x095F, 0x09DC...0x09DF, 0x0A33...0x0A5E,
        0x0B5C...0x0B5D, 0x0E33...0x0E33, 0x0EB3...0x0EB3, 0x0EDC...0x0EDD, 0x0F00...0x0FFF, 0x10FC...0x10FC,
        0x1100...0x11FF, 0x1E9A...0x1E9B, 0x1F00...0x1FFF, 0x2000...0x2BFF, 0x2C00...0x2DFF, 0x2E00...0x3004,
        0x3131...0x33FF, 0xA69C...0xA69D, 0xA770...0xA770, 0xA7F0...0xA7FF, 0xAB5C...0xAB69, 0xF900...0xFFFF,
        0x1_0780...0x1_07FF, 0x1_D000...0x1_FFFF, 0x2_F800...0x2_FFFF,
    ]

    /// RFC 3492 section 6.3.
    private static func punycode(_ scalars: [Unicode.Scalar]) -> String {
        let basic = scalars.filter(\.isASCII)
        var text = String(String.UnicodeScalarView(basic))
        if !basic.isEmpty { text += "-" }
        var (code, delta, bias, handled) = (UInt32(128), 0, 72, basic.count)
        while handled < scalars.count, let next = scalars.map(\.value).filter({ $0 >= code }).min() {
            delta += Int(next - code) * (handled + 1)
            code = next
            for scalar in scalars {
                if scalar.value < code { delta += 1 }
                guard scalar.value == code else { continue }
                var (rest, base) = (delta, 36)
                while true {
                    let threshold = min(max(base - bias, 1), 26)
                    guard rest >= threshold else { break }
                    text.append(self.digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    base += 36
                }
                text.append(self.digit(rest))
                bias = self.adapted(delta, handled + 1, isFirst: handled == basic.count)
                (delta, handled) = (0, handled + 1)
            }
            delta += 1
            code += 1
        }
        return text
    }

    private static func digit(_ value: Int) -> Character {
        Character(Unicode.Scalar(UInt8(value < 26 ? value + 97 : value + 22)))
    }

    /// RFC 3492 section 6.1.
    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
