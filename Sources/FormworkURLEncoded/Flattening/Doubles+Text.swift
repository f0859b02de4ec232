extension Flattening.Doubles {
    /// The number in this style.
    func text(_ number: Double) -> String {
        switch self {
        case .swift: return String(describing: number)
        case .nsNumber:
            let text = String(describing: number)
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        case .javaScript:
            guard number.isFinite else { return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity" }
            let decimal = DecimalDigits(number)
            guard (-6...20).contains(decimal.exponent) else {
                return decimal.scientific(fraction: "", exponentMark: "e")
            }
            return number == 0 ? "0" : decimal.positional
        case .php:
            guard number.isFinite else { return number.isNaN ? "NAN" : number < 0 ? "-INF" : "INF" }
            let decimal = DecimalDigits(number).rounded(to: 14, of: number)
            guard (-4...13).contains(decimal.exponent) else {
                return decimal.scientific(fraction: ".0", exponentMark: "E")
            }
            return decimal.positional
        case .ruby:
            guard number.isFinite else { return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity" }
            let decimal = DecimalDigits(number)
            guard (-4...max(14, decimal.digits.count - 2)).contains(decimal.exponent) else {
                let isShort = (-9...9).contains(decimal.exponent)
                return decimal.scientific(fraction: ".0", exponentMark: "e", padding: isShort ? "0" : "")
            }
            let text = decimal.positional
            return text.contains(".") ? text : text + ".0"
        }
    }
}

/// The shortest digits that identify a number, with the position of its decimal point.
struct DecimalDigits {
    private var sign: String
    /// Without leading or trailing zeros; `0` for zero.
    private(set) var digits: String
    /// The power of ten of the first digit.
    private(set) var exponent: Int

    init(_ number: Double) {
        // Swift prints the shortest digits: `-123.0`, `1e-07`, `1.5e+20`.
        let text = String(describing: number.magnitude)
        let parts = text.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let whole = String(mantissa[0])
        let all = whole + (mantissa.count > 1 ? String(mantissa[1]) : "")
        let leading = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(leading)
        while digits.last == "0" { digits.removeLast() }
        self.sign = number.sign == .minus ? "-" : ""
        self.digits = digits.isEmpty ? "0" : String(digits)
        let power = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        self.exponent = digits.isEmpty ? 0 : power + whole.count - 1 - leading
    }

    /// The number rounded to `count` digits, where these are its shortest digits.
    func rounded(to count: Int, of number: Double) -> DecimalDigits {
        guard self.digits.count > count, var whole = UInt64(self.digits.prefix(count)) else { return self }
        var rounded = self
        let tail = self.digits.dropFirst(count)
        var isUp = tail > "5"
        if tail == "5" {
            // The shortest digits are exactly halfway; the number itself may be above, below or there too.
            let side = self.compare(number)
            isUp = side > 0 || side == 0 && !whole.isMultiple(of: 2)
        }
        if isUp { whole += 1 }
        rounded.digits = String(whole)
        rounded.exponent += rounded.digits.count - count
        while rounded.digits.last == "0" { rounded.digits.removeLast() }
        return rounded
    }

    /// Whether a number is larger (1) or smaller (-1) than these digits, which a `Double` can't hold, or equal (0).
    private func compare(_ number: Double) -> Int {
        let twos = Int(number.exponent) - 52
        let tens = self.exponent - self.digits.count + 1
        let left = Self.product(UInt64(clamping: number.magnitude.significand * 0x1p52), (2, twos), (10, -tens))
        let right = Self.product(UInt64(self.digits) ?? 0, (10, tens), (2, -twos))
        if left.count != right.count { return left.count < right.count ? -1 : 1 }
        for (left, right) in zip(left, right).reversed() where left != right { return left < right ? -1 : 1 }
        return 0
    }

    /// A number multiplied by the powers with positive exponents, as digits to the base 2³², lowest first.
    private static func product(_ number: UInt64, _ powers: (base: UInt64, exponent: Int)...) -> [UInt32] {
        var words = [UInt32(truncatingIfNeeded: number), UInt32(number >> 32)]
        for power in powers {
            for _ in 0..<max(0, power.exponent) {
                var carry: UInt64 = 0
                for index in words.indices {
                    carry += UInt64(words[index]) * power.base
                    words[index] = UInt32(truncatingIfNeeded: carry)
                    carry >>= 32
                }
                if carry > 0 { words.append(UInt32(carry)) }
            }
        }
        while words.last == 0 { words.removeLast() }
        return words
    }

    var positional: String {
        let count = self.digits.count
        if self.exponent < 0 {
            return self.sign + "0." + String(repeating: "0", count: -self.exponent - 1) + self.digits
        }
        if self.exponent >= count - 1 {
            return self.sign + self.digits + String(repeating: "0", count: self.exponent - count + 1)
        }
        return self.sign + self.digits.prefix(self.exponent + 1) + "." + self.digits.dropFirst(self.exponent + 1)
    }

    func scientific(fraction: String, exponentMark: String, padding: String = "") -> String {
        let rest = self.digits.dropFirst()
        return self.sign + String(self.digits.prefix(1)) + (rest.isEmpty ? fraction : "." + rest) + exponentMark
            + (self.exponent < 0 ? "-" : "+") + padding + String(self.exponent.magnitude)
    }
}
