/// The numbers of the files of one form, as the query of the page that shows them: `1-3,5`.
struct ArrivalNumbers: CustomStringConvertible, Sendable {
    private var ranges: [ClosedRange<Int>] = []

    /// - Parameter numbers: In ascending order.
    init(_ numbers: some Sequence<Int>) {
        for number in numbers {
            if let last = self.ranges.last, number == last.upperBound + 1 {
                self.ranges[self.ranges.count - 1] = last.lowerBound...number
            } else {
                self.ranges.append(number...number)
            }
        }
    }

    /// What isn't a number or a range is left out: the query comes from a client.
    init(query: some StringProtocol) {
        self.ranges = query.split(separator: ",").prefix(100).compactMap { word in
            let bounds = word.split(separator: "-", maxSplits: 1).map { Int($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, first <= last else { return nil }
            return first...last
        }
    }

    /// At most 100 ranges, so that the query stays short.
    var description: String {
        self.ranges.prefix(100)
            .map { $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ",")
    }

    var isEmpty: Bool { self.ranges.isEmpty }

    func contains(_ number: Int) -> Bool { self.ranges.contains { $0.contains(number) } }
}
