#if Command
import ArgumentParser

/// A number of bytes as an argument: `200`, `64k`, `10M`, `4G`, `1T`, `1P`, in powers of 1024 as in curl.
package struct ByteCount: ExpressibleByArgument {
    package let bytes: Int64

    package init(_ bytes: Int64) { self.bytes = bytes }

    package init?(argument: String) { self.init(argument[...]) }

    package init?(_ text: Substring) {
        var digits = text
        var shift = 0
        switch text.last {
        case "k", "K": shift = 10
        case "m", "M": shift = 20
        case "g", "G": shift = 30
        case "t", "T": shift = 40
        case "p", "P": shift = 50
        default: break
        }
        if shift > 0 { digits.removeLast() }
        guard let number = Int64(digits), number >= 0, digits.first != "+", number <= Int64.max >> Int64(shift) else {
            return nil
        }
        self.bytes = number << Int64(shift)
    }

    package var defaultValueDescription: String {
        for (shift, suffix) in [(50, "P"), (40, "T"), (30, "G"), (20, "M"), (10, "k")] where self.bytes >= 1 << shift {
            if self.bytes.trailingZeroBitCount >= shift { return "\(self.bytes >> shift)\(suffix)" }
        }
        return "\(self.bytes)"
    }
}
#endif
