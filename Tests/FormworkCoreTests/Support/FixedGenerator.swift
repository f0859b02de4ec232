/// Gives the numbers it was made with, one after the other, so that what is made of them can be written down.
struct FixedGenerator: RandomNumberGenerator {
    private var numbers: ArraySlice<UInt64>

    init(_ numbers: UInt64...) { self.numbers = numbers[...] }

    mutating func next() -> UInt64 { self.numbers.removeFirst() }
}
