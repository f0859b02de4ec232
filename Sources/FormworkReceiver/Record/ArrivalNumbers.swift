/// The numbers of the files of one form, as the query of the page that shows them: `1-3,5`.
struct ArrivalNumbers: CustomStringConvertible, Sendable {
    private var numbers = RangeSet<Int>()

    init(_ numbers: some Sequence<Int>) {
        for number in numbers { self.numbers.insert(contentsOf: number..<number + 1) }
    }

    /// What isn't a number or a range is left out: the query comes from a client.
    init(query: some StringProtocol) {
        for word in query.split(separator: ",").prefix(100) {
            let bounds = word.split(separator: "-", maxSplits: 1).map { Int($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, first <= last else { continue }
            self.numbers.insert(contentsOf: first..<last + (last < .max ? 1 : 0))
        }
    }

    /// At most 100 ranges, so that the query stays short.
    var description: String {
        self.numbers.ranges.prefix(100)
            .map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound - 1)" }
            .joined(separator: ",")
    }

    var isEmpty: Bool { self.numbers.isEmpty }

    func contains(_ number: Int) -> Bool { self.numbers.contains(number) }
}
