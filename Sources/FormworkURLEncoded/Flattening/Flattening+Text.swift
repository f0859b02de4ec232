import FormworkCore

extension Flattening {
    /// A value of text, as it is written before it is escaped.
    enum Leaf {
        /// No `=` is written.
        case nothing
        case text(String)
        case bytes([UInt8])
    }

    /// What is written for a value; `nil` for one that is dropped.
    func leaf(_ value: ParameterValue, _ name: String) throws(FormworkError) -> Leaf? {
        switch value {
        case .null:
            switch self.nulls {
            case .nameOnly: return .nothing
            case .text(let text): return .text(text)
            case .dropped: return nil
            }
        case .bool(let flag):
            switch self.bools {
            case .numeric: return .text(flag ? "1" : "0")
            case .literal: return .text(flag ? "true" : "false")
            }
        case .integer(let number): return .text(String(number))
        case .double(let number): return .text(self.doubles.text(number))
        case .text(let text): return .text(text)
        case .bytes(let bytes):
            switch self.bytes {
            case .raw: return .bytes(bytes)
            case .base64: return .text(Base64.encode(bytes))
            case .count: return .text("\(bytes.count) bytes")
            case .refused: throw FormworkError(.invalidArgument, "\"\(name)\" is \(bytes.count) bytes, not text")
            }
        case .array, .set, .object:
            throw FormworkError(.invalidArgument, "\"\(name)\" is an array or an object, and this form is flat")
        }
    }
}

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
            let decimal = Decimal(number)
            guard (-6...20).contains(decimal.exponent) else {
                return decimal.scientific(fraction: "", exponentMark: "e")
            }
            return number == 0 ? "0" : decimal.positional
        case .php:
            guard number.isFinite else { return number.isNaN ? "NAN" : number < 0 ? "-INF" : "INF" }
            let decimal = Decimal(number)
            guard (-5...14).contains(decimal.exponent) else {
                return decimal.scientific(fraction: ".0", exponentMark: "E")
            }
            return decimal.positional
        case .custom(let text): return text(number)
        }
    }

    /// The shortest digits that give a number back, with the place of the point.
    private struct Decimal {
        var sign: String
        /// Without zeros at either end; `0` for zero.
        var digits: String
        /// The power of ten of the first digit.
        var exponent: Int

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

        func scientific(fraction: String, exponentMark: String) -> String {
            let rest = self.digits.dropFirst()
            return self.sign + self.digits.prefix(1) + (rest.isEmpty ? fraction : "." + rest) + exponentMark
                + (self.exponent < 0 ? "-" : "+") + String(self.exponent.magnitude)
        }
    }
}
