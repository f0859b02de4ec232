import ArgumentParser
import Formwork

/// A number of bytes as an argument: `200`, `64k`, `10M`, `4G`, `1T`, `1P`, in powers of 1024 as in curl.
package struct ByteCount {
    package let bytes: Int64

    package init(_ bytes: Int64) { self.bytes = bytes }

    /// An option's value.
    package static func read(_ argument: String) throws -> ByteCount {
        guard let count = ByteCount(argument[...]) else {
            throw ValidationError("write a number of bytes, alone or with k, M, G, T or P, such as 500k or 4G")
        }
        return count
    }

    /// The value of an option that refuses negative numbers itself, with a clearer error.
    package static func readSigned(_ argument: String) throws -> ByteCount {
        guard argument.hasPrefix("-") else { return try self.read(argument) }
        return ByteCount(-(try self.read(String(argument.dropFirst())).bytes))
    }

    private static let units: [Character] = ["k", "M", "G", "T", "P"]

    package init?(_ text: Substring) {
        let unit = Self.units.firstIndex { $0.lowercased() == text.last?.lowercased() }
        let shift = unit.map { Int64($0 + 1) * 10 } ?? 0
        let digits = unit == nil ? text : text.dropLast()
        guard let number = Int64(digits), number >= 0, digits.first != "+", number <= Int64.max >> shift else {
            return nil
        }
        self.bytes = number << shift
    }

    /// As it is given.
    package var text: String {
        let unit = self.bytes == 0 ? 0 : min(self.bytes.trailingZeroBitCount / 10, Self.units.count)
        return "\(self.bytes >> (10 * unit))" + (unit == 0 ? "" : String(Self.units[unit - 1]))
    }
}

/// A time: seconds, fractions allowed, or a number with its unit: `1.5`, `90s`, `15m`, `24h`, `7d`.
///
/// A negative number is parsed too, so that ``duration(_:)`` can refuse it with a clear error.
package struct TimeOption {
    package static let day = Duration.seconds(86_400)
    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// As it was given.
    package let text: String
    package let seconds: Double

    private init(_ seconds: Double, _ text: String) { (self.seconds, self.text) = (seconds, text) }

    /// A default: a number of seconds, or of another unit.
    package init(_ count: Int, _ unit: Character = "s") {
        self.init(Double(count) * (Self.units[unit] ?? 1), "\(count)\(unit)")
    }

    /// An option's value.
    package static func read(_ argument: String) throws -> TimeOption {
        let unit = argument.last.flatMap { Self.units[$0] }
        let number = unit == nil ? argument[...] : argument.dropLast()
        // Double also reads "nan", "0x10" and "1e3".
        guard number.allSatisfy({ "0123456789.-".contains($0) }), let count = Double(number),
            abs(count * (unit ?? 1)) <= 1e9
        else {
            throw ValidationError(
                "write a time in seconds, such as 10 or 0.5, or with its unit, such as 90s, 15m, 24h or 7d")
        }
        return TimeOption(count * (unit ?? 1), argument)
    }

    package var duration: Duration { .microseconds(Int64(clamping: (self.seconds * 1e6).rounded())) }

    /// - Parameter option: The option's name, for errors.
    /// - Throws: `ExitStatus` for less than 0.
    package func duration(_ option: String) throws -> Duration {
        try ExitStatus.refuse(if: self.seconds < 0, "\(option) \(self.text): give 0 or more seconds")
        return self.duration
    }

    /// A time limit; `nil` for 0, which means none, as in curl.
    package func bound(_ option: String) throws -> Duration? {
        let duration = try self.duration(option)
        // Less than a microsecond is rounded to 0, but is a limit.
        return self.seconds == 0 ? nil : max(duration, .microseconds(1))
    }
}
