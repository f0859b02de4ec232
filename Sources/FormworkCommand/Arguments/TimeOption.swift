#if Command
import ArgumentParser
import Formwork
import FormworkCore

/// A time: seconds, fractions allowed, or a number with its unit: `1.5`, `90s`, `15m`, `24h`, `7d`.
///
/// A negative number is parsed too, so that ``duration(_:)`` can refuse it with a clear error.
package struct TimeOption: ExpressibleByArgument {
    package static let day = Duration.seconds(86_400)
    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

    /// As it was given.
    package let text: String
    package let seconds: Double

    package init(_ seconds: Double, _ text: String) { (self.seconds, self.text) = (seconds, text) }

    package init?(argument: String) {
        let unit = argument.last.flatMap { Self.units[$0] }
        let number = unit == nil ? argument[...] : argument.dropLast()
        // Double also reads "nan", "0x10" and "1e3".
        guard number.allSatisfy({ "0123456789.-".contains($0) }), let count = Double(number),
            abs(count * (unit ?? 1)) <= 1e9
        else { return nil }
        self.init(count * (unit ?? 1), argument)
    }

    package var defaultValueDescription: String { self.text }

    package var duration: Duration { .microseconds(Int64(clamping: (self.seconds * 1e6).rounded())) }

    /// - Parameter option: The option's name, for errors.
    /// - Throws: `ExitStatus` for less than 0.
    package func duration(_ option: String) throws -> Duration {
        guard self.seconds >= 0 else {
            throw ExitStatus(2, "formwork: \(option) \(self.text): give 0 or more seconds")
        }
        return self.duration
    }

    /// A time limit; `nil` for 0, which means none, as in curl.
    package func bound(_ option: String) throws -> Duration? {
        let duration = try self.duration(option)
        // Less than a microsecond is rounded to 0, but is a limit.
        return self.seconds == 0 ? nil : max(duration, .microseconds(1))
    }
}
#endif
