@testable import Formwork
import Testing

@Suite("When a transfer is tried again", .timeLimit(.minutes(10)))
struct RetryPolicyTests {
    @Test("As often as asked, and never by default")
    func count() {
        #expect(RetryPolicy().pause(after: 0, remaining: nil) == nil)
        let policy = RetryPolicy(count: 2, delay: .seconds(3))
        #expect(policy.pause(after: 0, remaining: nil) == .seconds(3))
        #expect(policy.pause(after: 1, remaining: nil) == .seconds(3))
        #expect(policy.pause(after: 2, remaining: nil) == nil)
    }

    @Test("The server's wish comes first, and no pause goes beyond the time that is left")
    func bounds() {
        let policy = RetryPolicy(count: 9, delay: .seconds(3))
        #expect(policy.pause(after: 0, asked: .seconds(7), remaining: nil) == .seconds(7))
        #expect(policy.pause(after: 0, asked: .seconds(7), remaining: .seconds(8)) == .seconds(7))
        #expect(policy.pause(after: 0, asked: .seconds(7), remaining: .seconds(7)) == nil)
        #expect(policy.pause(after: 0, remaining: .milliseconds(2999)) == nil)
        #expect(policy.pause(after: 0, asked: .seconds(-1), remaining: .seconds(1)) == .zero)
    }

    @Test("The server's wish is limited to an hour, or to the caller's limit")
    func limitedWish() {
        #expect(RetryPolicy(count: 1).pause(after: 0, asked: .seconds(86400), remaining: nil) == .seconds(3600))
        let policy = RetryPolicy(count: 1, maximumRetryAfter: .seconds(5))
        #expect(policy.pause(after: 0, asked: .seconds(6), remaining: nil) == .seconds(5))
        #expect(policy.pause(after: 0, asked: .seconds(4), remaining: nil) == .seconds(4))
    }

    @Test("A pause doubles up to its bound, shortened by up to a half at random")
    func doubling() {
        let policy = RetryPolicy(count: 100, maximumDelay: .seconds(60))
        #expect(
            (1...8).map { policy.pause(before: $0, chance: 0) } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        #expect(policy.pause(before: 3, chance: 1) == .seconds(2))
        #expect(policy.pause(before: .max, chance: 0) == .seconds(60))
    }

    @Test("What may pass is covered, all errors on demand", arguments: [408, 429, 500, 502, 503, 504])
    func statuses(status: Int) {
        #expect(RetryPolicy().covers(status: status))
        #expect(![200, 301, 399, 400, 404, 501, 505].contains { RetryPolicy().covers(status: $0) })
        let all = RetryPolicy(retriesAllErrors: true)
        #expect(all.covers(status: 400) && all.covers(status: 501) && !all.covers(status: 399))
    }
}
