/// A generator that repeats its numbers from a seed, for synthetic content and derived boundaries.
package struct SplitMix64: RandomNumberGenerator {
    private let seed: UInt64
    private var index: UInt64 = 0

    init(seed: UInt64) { self.seed = seed }

    /// Uses the hash of a text as the seed (FNV-1a).
    package init(seed text: String) {
        self.init(seed: text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    package mutating func next() -> UInt64 {
        defer { self.index += 1 }
        return Self.word(self.index, seed: self.seed)
    }

    /// The word at an index, computed without those before it.
    package static func word(_ index: UInt64, seed: UInt64) -> UInt64 {
        var z = seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
