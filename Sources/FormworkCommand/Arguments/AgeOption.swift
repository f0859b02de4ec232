#if Command
import ArgumentParser

/// A duration in one unit: `90s`, `15m`, `24h`, `7d`.
package struct AgeOption: ExpressibleByArgument {
    package static let day = Duration.seconds(86_400)
    package let duration: Duration
    package let defaultValueDescription: String

    package init(_ duration: Duration, _ text: String) {
        (self.duration, self.defaultValueDescription) = (duration, text)
    }

    package init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), argument.first != "+",
            let count = Int64(argument.dropLast()), (0...1_000_000).contains(count)
        else { return nil }
        self.init(.seconds(count * unit), argument)
    }
}
#endif
