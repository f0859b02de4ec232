extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// A number from untrusted text: decimal digits, a point, an exponent.
    ///
    /// Swift's own initializer also accepts `nan`, `infinity` and `0x1p3`, and reads `1e999` as infinite.
    /// - Parameter acceptsNonFinite: Whether `inf`, `-inf` and `nan`, `Infinity`, `-Infinity` and `NaN` are numbers.
    package init?(decimal text: String, acceptsNonFinite: Bool = false) {
        if acceptsNonFinite {
            switch text {
            case "inf", "Infinity": self = .infinity; return
            case "-inf", "-Infinity": self = -.infinity; return
            case "nan", "NaN": self = .nan; return
            default: break
            }
        }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
            let number = Self(text), number.isFinite
        else { return nil }
        self = number
    }
}

extension BinaryInteger {
    /// The digits of a number of 0 or more, with zeros before them if there are fewer than `width`.
    package func padded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension DefaultStringInterpolation {
    /// A number with its noun: `1 byte`, `2 bytes`, `0 entries`. It is written `\(bytes.count, "byte")`.
    /// - Parameter noun: One of them, in English, with a regular plural.
    package mutating func appendInterpolation(_ count: some BinaryInteger, _ noun: String) {
        let vowels: [Character] = ["a", "e", "i", "o", "u"]
        self.appendInterpolation(count)
        if count == 1 {
            self.appendLiteral(" \(noun)")
        } else if noun.hasSuffix("y"), let before = noun.dropLast().last, !vowels.contains(before) {
            self.appendLiteral(" \(noun.dropLast())ies")
        } else {
            self.appendLiteral(" \(noun)s")
        }
    }
}

/// Optionals of any type, for coders that decode `nil` from missing values.
package protocol AnyOptional {
    /// The innermost wrapped type.
    static var base: Any.Type { get }
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    package static var base: Any.Type { (Wrapped.self as? any AnyOptional.Type)?.base ?? Wrapped.self }
    package var isNil: Bool { if case .none = self { true } else { false } }
}
