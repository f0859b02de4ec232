extension DefaultStringInterpolation {
    /// A number with its noun: `1 byte`, `2 bytes`, `0 entries`. It is written `\(bytes.count, "byte")`.
    /// - Parameter noun: One of them, in English, with a regular plural.
    package mutating func appendInterpolation(_ count: some BinaryInteger, _ noun: String) {
        let vowels: [Character] = ["a", "e", "i", "o", "u"]
        self.appendInterpolation(count)
        if count == 1 {
            self.appendLiteral(" \(noun)")
        } else if noun.hasSuffix("y"), let before = noun.dropLast().last, !vowels.contains(before) {
            self.appendLiteral(" \(noun.dropLast())ies")
        } else {
            self.appendLiteral(" \(noun)s")
        }
    }
}
