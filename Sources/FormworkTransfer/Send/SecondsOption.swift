#if Transfer
import ArgumentParser
import FormworkCommand
import FormworkCore

/// Seconds, fractions allowed: `1.5`.
///
/// A negative number is parsed too, so that ``duration(_:)`` can refuse it with a clear error.
struct SecondsOption: ExpressibleByArgument {
    private let text: String
    private let seconds: Double

    init?(argument: String) {
        guard let seconds = Double(argument), abs(seconds) <= 1e9 else { return nil }
        (self.text, self.seconds) = (argument, seconds)
    }

    /// - Parameter option: The option's name, for errors.
    func duration(_ option: String) throws -> Duration {
        guard self.seconds >= 0 else {
            throw ExitStatus(2, "formwork: \(option) \(self.text): give 0 or more seconds")
        }
        return .microseconds(Int64(clamping: (self.seconds * 1e6).rounded()))
    }

    /// A time limit; `nil` for 0, which means none, as in curl.
    func bound(_ option: String) throws -> Duration? {
        let duration = try self.duration(option)
        return duration == .zero ? nil : duration
    }
}

/// Bytes a second: `500k`.
struct RateOption: ExpressibleByArgument {
    /// `nil` if below 0.
    private let count: Int64?
    private let text: String

    init?(argument: String) {
        let count = ByteCount(argument: argument)?.bytes
        guard count != nil || argument.hasPrefix("-") && ByteCount(argument.dropFirst()) != nil else { return nil }
        (self.count, self.text) = (count, argument)
    }

    /// A limit; `nil` for 0, which means none, as in curl.
    /// - Parameter option: The option's name, for errors.
    func bytesPerSecond(_ option: String) throws -> Int? {
        guard let count else {
            throw ExitStatus(2, "formwork: \(option) \(self.text): give 0 or more bytes a second")
        }
        return count == 0 ? nil : Int(count)
    }
}
#endif
