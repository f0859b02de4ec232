/// Seconds in decimal digits: a whole number, and a fraction of 0 or more that is added to it.
///
/// Units and epochs are converted digit by digit, so that nothing is rounded.
struct DecimalSeconds {
    var whole: Int64
    /// The digits after the point, 0 to 9, without trailing zeros.
    let fraction: [UInt8]

    /// More than any calendar needs, and far from the ends of `Int64`.
    private static let bound: Int64 = 1_000_000_000_000_000
    /// Whether a ``text`` is read back as seconds.
    var isReadable: Bool { self.whole.magnitude < Self.bound.magnitude }

    init(whole: Int64, fraction: some Sequence<UInt8>) {
        self.whole = whole
        var digits = Array(fraction)
        while digits.last == 0 { digits.removeLast() }
        self.fraction = digits
    }

    /// The shortest digits that identify this number; `nil` for one that is infinite or outside any calendar.
    init?(_ number: Double) {
        guard number.magnitude < Double(Self.bound) else { return nil }
        self.init(text: DecimalDigits(number).positional)
    }

    /// `-12.5`; `nil` for other texts.
    /// - Parameter digits: The most digits before the point, at most 18.
    init?(text: String, digits: Int = 15) {
        var rest = text.utf8[...]
        let isNegative = rest.first == 0x2D
        if isNegative { rest.removeFirst() }
        let halves = rest.split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
        guard (1...digits).contains(halves[0].count), halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isDigit) }),
            let whole = Int64(String(halves[0]) ?? "")
        else { return nil }
        self.init(whole: whole, fraction: halves.count > 1 ? halves[1].map { $0 - 0x30 } : [])
        guard isNegative else { return }
        self.init(whole: self.fraction.isEmpty ? -whole : -whole - 1, fraction: Self.complement(self.fraction))
    }

    /// The digits of 1 minus this fraction.
    private static func complement(_ digits: [UInt8]) -> [UInt8] {
        guard let last = digits.last else { return [] }
        return digits.dropLast().map { 9 - $0 } + [10 - last]
    }

    /// `-12.5`.
    var text: String {
        let isNegative = self.whole < 0
        let magnitude = isNegative ? -(self.whole + (self.fraction.isEmpty ? 0 : 1)) : self.whole
        return (isNegative ? "-" : "") + "\(magnitude)"
            + Self.text(isNegative ? Self.complement(self.fraction) : self.fraction)
    }

    /// The point and the digits after it; empty if there are none.
    private static func text(_ fraction: [UInt8]) -> String {
        fraction.isEmpty ? "" : "." + String(decoding: fraction.map { $0 + 0x30 }, as: UTF8.self)
    }

    /// The nearest number.
    var double: Double? { Double(self.text) }

    /// The number with the point moved right.
    func shifted(by digits: Int) -> Self {
        var (whole, fraction) = (self.whole, self.fraction[...])
        for _ in 0..<digits { whole = whole * 10 + Int64(fraction.popFirst() ?? 0) }
        return Self(whole: whole, fraction: fraction)
    }

    /// The number with the point moved left.
    func shiftedBack(by digits: Int) -> Self {
        var (whole, fraction) = (self.whole, self.fraction)
        for _ in 0..<digits {
            let (quotient, digit) = whole.flooring(by: 10)
            fraction.insert(UInt8(digit), at: 0)
            whole = quotient
        }
        return Self(whole: whole, fraction: fraction)
    }
}

// MARK: the calendar

extension DecimalSeconds {
    /// The most digits after the point of calendar text.
    private static let mostDigits = 100

    /// Seconds since 1970 as `2026-11-22T15:51:44.5Z`; `nil` for years that don't have four digits, and for more digits
    /// after the point than are read.
    var calendarText: String? {
        guard self.fraction.count <= Self.mostDigits else { return nil }
        let (days, second) = self.whole.flooring(by: 86_400)
        let date = GregorianCalendar.date(days)
        guard (0...9999).contains(date.year) else { return nil }
        let clock = [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }.joined(separator: ":")
        return "\(date.year.padded(to: 4))-\(date.month.padded(to: 2))-\(date.day.padded(to: 2))T\(clock)"
            + Self.text(self.fraction) + "Z"
    }

    /// Parses RFC 3339 text, also without seconds, zone or time, to seconds since 1970; `nil` for other text.
    init?(calendarText text: String) {
        var rest = text.utf8[...]
        guard let year = Self.number(&rest, 4), Self.take(&rest, "-"), let month = Self.number(&rest, 2),
            Self.take(&rest, "-"), let day = Self.number(&rest, 2), (1...12).contains(month), day >= 1
        else { return nil }
        let days = GregorianCalendar.days(year, month, day)
        // The 31st of a month with 30 days has the number of another date.
        guard GregorianCalendar.date(days) == (year, month, day) else { return nil }
        guard !rest.isEmpty else {
            self.init(whole: days * 86_400, fraction: [])
            return
        }
        guard Self.take(&rest, "T") || Self.take(&rest, "t") || Self.take(&rest, " "),
            let hour = Self.number(&rest, 2), Self.take(&rest, ":"), let minute = Self.number(&rest, 2),
            hour < 24, minute < 60
        else { return nil }
        var (second, fraction): (Int64, [UInt8]) = (0, [])
        if Self.take(&rest, ":") {
            // A leap second counts as the first second of the next minute.
            guard let number = Self.number(&rest, 2), number <= 60 else { return nil }
            second = number
            if Self.take(&rest, ".") || Self.take(&rest, ",") {
                let digits = rest.prefix(while: \.isDigit)
                guard (1...Self.mostDigits).contains(digits.count) else { return nil }
                rest = rest[digits.endIndex...]
                fraction = digits.map { $0 - 0x30 }
            }
        }
        guard let offset = Self.zone(&rest), rest.isEmpty else { return nil }
        self.init(whole: days * 86_400 + hour * 3600 + minute * 60 + second - offset, fraction: fraction)
    }

    /// The zone's offset from UTC in seconds: `Z`, `+01:00`, `+0100`, `+01`, or none for UTC; `nil` for other text.
    private static func zone(_ rest: inout Substring.UTF8View) -> Int64? {
        if rest.isEmpty || Self.take(&rest, "Z") || Self.take(&rest, "z") { return 0 }
        let isWestOfUTC = rest.first == 0x2D
        guard Self.take(&rest, "+") || Self.take(&rest, "-"), let hours = Self.number(&rest, 2), hours < 24 else {
            return nil
        }
        var minutes: Int64 = 0
        if !rest.isEmpty {
            _ = Self.take(&rest, ":")
            guard let number = Self.number(&rest, 2), number < 60 else { return nil }
            minutes = number
        }
        return (isWestOfUTC ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func number(_ rest: inout Substring.UTF8View, _ width: Int) -> Int64? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy(\.isDigit) else { return nil }
        rest = rest[digits.endIndex...]
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func take(_ rest: inout Substring.UTF8View, _ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest.removeFirst()
        return true
    }
}

/// Dates as days since 1970-01-01, computed with years that begin in March (H. Hinnant).
package enum GregorianCalendar {
    /// The number of a date's day.
    package static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = year.flooring(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The inverse of `days`, for every number.
    package static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooring(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    /// The quotient rounded down, and the remainder, 0 or more.
    func flooring(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
