/// A number of bytes, as curl has it: with k, M or G behind it for powers of 1024.
enum ByteCount {
    /// `nil` for what is no such number.
    static func read(_ text: Substring) -> Int64? {
        var digits = text
        var shift = 0
        switch text.last {
        case "k", "K": shift = 10
        case "m", "M": shift = 20
        case "g", "G": shift = 30
        default: break
        }
        if shift > 0 { digits.removeLast() }
        guard let number = Int64(digits), number >= 0, digits.first != "+", number <= Int64.max >> Int64(shift) else {
            return nil
        }
        return number << Int64(shift)
    }
}
