import Testing

@testable import FormworkReceiver

@Suite(.timeLimit(.minutes(10))) struct PartConcurrencyTests {
    /// Sends parts of 8 MiB to a store, with a clock of its own.
    /// - Parameters:
    ///   - latency: The seconds that each part takes in addition to its bytes.
    ///   - bandwidth: Parts a second that the line takes, however many are sent at once.
    ///   - client: Parts a second that the client brings.
    /// - Returns: The number of parts at once after each part.
    private static func numbers(
        _ range: ClosedRange<Int> = 3...12, latency: Double, bandwidth: Double, client: Double = 1_000,
        parts: Int = 200, latencies: [Double] = [1]
    ) -> [Int] {
        let start = ContinuousClock.now
        var concurrency = PartConcurrency(range, at: start)
        var (now, lineIsFree, numbers): (Double, Double, [Int]) = (0, 0, [])
        var ends: [Double] = []
        func takeOldest() {
            ends.sort()
            let end = ends.removeFirst()
            now = max(now, end)
            concurrency.stored(8 << 20, at: start + .seconds(end))
            numbers.append(concurrency.number)
        }
        for part in 0..<parts {
            now += 1 / client
            while let first = ends.min(), first <= now { takeOldest() }
            while ends.count >= concurrency.number {
                concurrency.waited()
                takeOldest()
            }
            lineIsFree = max(lineIsFree, now) + 1 / bandwidth
            ends.append(lineIsFree + latency * latencies[part % latencies.count])
        }
        return numbers
    }

    @Test func `A store that is far away gets as many parts at once as may be`() {
        let numbers = Self.numbers(latency: 0.5, bandwidth: 100)
        #expect(numbers.prefix(3) == [3, 3, 6])
        #expect(numbers.firstIndex(of: 12) == 10)
        #expect(numbers.last == 12)
    }

    @Test func `So it does if some parts take four times as long as others`() {
        #expect(Self.numbers(latency: 0.3, bandwidth: 100, latencies: [1, 2, 4, 1, 3, 2, 1]).last == 12)
    }

    @Test func `A full line gets the least number, and seldom more to see`() {
        let numbers = Self.numbers(latency: 0.001, bandwidth: 20)
        #expect(numbers.last == 3)
        #expect(numbers.max() == 6)
        #expect(numbers.count { $0 == 6 } < 30)
    }

    @Test func `The number stays where more no longer help`() {
        // Six parts at once fill the line.
        let numbers = Self.numbers(latency: 0.5, bandwidth: 9)
        #expect(numbers[30...90].allSatisfy { $0 == 6 })
        #expect(numbers.max() == 12)
        #expect(numbers.count { $0 == 12 } < 50)
    }

    @Test func `A slow client needs no more parts`() {
        #expect(Self.numbers(latency: 0.1, bandwidth: 100, client: 5).allSatisfy { $0 == 3 })
    }

    @Test func `A given number is kept`() {
        #expect(Self.numbers(5...5, latency: 0.5, bandwidth: 100).allSatisfy { $0 == 5 })
    }
}
