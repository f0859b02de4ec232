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
