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
        let unit = self.bytes == 0 ? 0 : min(self.bytes.trailingZeroBitCount / 10, 5)
        return "\(self.bytes >> (10 * unit))\(["", "k", "M", "G", "T", "P"][unit])"
    }
}
#endif
