@testable import Formwork
import TestSupport
import Testing

@Suite("RateLimit", .timeLimit(.minutes(10)))
struct RateLimitTests {
    /// What is moved and asked at made-up moments, and the delay told afterwards.
    struct Step: Sendable {
        var at: Duration
        var moved: Int
        var delay: Duration
    }

    /// All with packets of 100 bytes a second.
    static let rows: [Row<[Step], Void>] = [
        Row([Step(at: .zero, moved: 0, delay: .zero)], against: "waiting before the first byte, and for nothing"),
        Row(
            [
                Step(at: .zero, moved: 100, delay: .seconds(1)),
                Step(at: .milliseconds(400), moved: 0, delay: .milliseconds(600)),
                Step(at: .seconds(1), moved: 0, delay: .zero), Step(at: .seconds(7), moved: 0, delay: .zero),
            ], against: "a delay that doesn't run down, or goes below zero"),
        Row(
            [Step(at: .zero, moved: 25, delay: .milliseconds(250))], against: "a whole packet's delay for a small read"),
        Row(
            [
                Step(at: .zero, moved: 100, delay: .seconds(1)),
                Step(at: .milliseconds(500), moved: 100, delay: .milliseconds(1_500)),
            ], against: "forgetting the delay that is left when more is moved too early"),
        Row(
            [
                Step(at: .zero, moved: 100, delay: .seconds(1)),
                Step(at: .seconds(60), moved: 50, delay: .milliseconds(500)),
                Step(at: .seconds(60), moved: 50, delay: .seconds(1)),
            ], against: "saving up bytes during a pause"),
        Row(
            [
                Step(at: .zero, moved: 1, delay: .milliseconds(10)),
                Step(at: .milliseconds(10), moved: 1, delay: .milliseconds(10)),
                Step(at: .milliseconds(25), moved: 1, delay: .milliseconds(10)),
            ], against: "paying back lateness"),
    ]

    @Test("A limiter told made-up moments tells these delays", arguments: rows)
    func delays(row: Row<[Step], Void>) {
        let start = ContinuousClock.now
        var limiter = RateLimiter(RateLimit(packet: 100, delay: .seconds(1)))
        for (index, step) in row.given.enumerated() {
            let moment = start + step.at
            limiter.spend(step.moved, at: moment)
            #expect(limiter.delay(at: moment) == step.delay, "step \(index)")
        }
    }

    @Test("A fresh limiter asks for no delay")
    func fresh() {
        #expect(RateLimiter(RateLimit(packet: 1, delay: .seconds(9))).delay(at: .now) == .zero)
    }

    @Test("A packet without a delay never waits")
    func noDelay() {
        let now = ContinuousClock.now
        var limiter = RateLimiter(RateLimit(packet: 16, delay: .zero))
        for _ in 0..<10 { limiter.spend(16, at: now) }
        #expect(limiter.delay(at: now) == .zero)
    }

    struct Rate: Sendable, CustomTestStringConvertible {
        var rate: Int
        var packet: Int
        var delay: Duration
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    static let rates = [
        Rate(rate: 1, packet: 1, delay: .seconds(1), guardsAgainst: "a packet of 0 bytes"),
        Rate(rate: 5, packet: 1, delay: .milliseconds(200), guardsAgainst: "ten packets where there are five bytes"),
        Rate(
            rate: 16, packet: 1, delay: .microseconds(62_500),
            guardsAgainst: "a tenth of a second for less than a tenth of the bytes"),
        Rate(rate: 1_000_000, packet: 100_000, delay: .milliseconds(100), guardsAgainst: "another number of packets"),
        Rate(rate: 2_621_440, packet: 262_144, delay: .milliseconds(100), guardsAgainst: "an early bound"),
        Rate(
            rate: 10_000_000, packet: 262_144, delay: .nanoseconds(26_214_400),
            guardsAgainst: "a bounded packet with an unbounded one's delay"),
    ]

    @Test("Bytes a second become packets of at most 256 KiB and their delays", arguments: rates)
    func bytesPerSecond(row: Rate) {
        #expect(RateLimit.bytesPerSecond(row.rate) == RateLimit(packet: row.packet, delay: row.delay))
    }
}
