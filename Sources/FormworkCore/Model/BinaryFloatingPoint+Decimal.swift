extension BinaryFloatingPoint where Self: LosslessStringConvertible {
    /// A number from text that a stranger wrote: decimal digits, a point, an exponent.
    ///
    /// Swift's own reading takes `nan`, `infinity` and `0x1p3` too, and makes `1e999` infinite.
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
