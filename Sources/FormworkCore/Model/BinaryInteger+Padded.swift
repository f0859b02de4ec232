extension BinaryInteger {
    /// The digits of a number of 0 or more, with zeros before them if there are fewer than `width`.
    package func padded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
