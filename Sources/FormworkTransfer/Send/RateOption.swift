#if Transfer
import ArgumentParser
import FormworkCommand

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
