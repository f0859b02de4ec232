import FormworkCore

/// When a transfer is retried, and the pauses before. Pauses are clamped to 0 to 10⁹ seconds (31 years).
public struct RetryPolicy: Hashable, Sendable {
    /// The number of retries; 0 or less for none.
    public var count: Int
    /// The pause before each retry. `nil` means 1 second, doubled each time and shortened at random by up to a half, so
    /// that many clients don't return at once. A server's `Retry-After` has precedence.
    public var delay: Duration?
    /// The longest of the doubled pauses. Default 10 minutes, as in curl. It shortens neither ``delay`` nor what a server
    /// requests.
    public var maximumDelay: Duration
    /// The longest pause that a server can request with `Retry-After`; a longer one is shortened. Default 1 hour.
    public var maximumRetryAfter: Duration
    /// Whether all failures are retried. By default only temporary ones are: a failed connection, a time-out, and the
    /// answers 408, 429, 500, 502, 503 and 504.
    public var retriesAllErrors: Bool

    /// A policy. By default nothing is retried.
    public init(
        count: Int = 0, delay: Duration? = nil, maximumDelay: Duration = .seconds(600),
        maximumRetryAfter: Duration = .seconds(3600), retriesAllErrors: Bool = false
    ) {
        self.count = count
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.maximumRetryAfter = maximumRetryAfter
        self.retriesAllErrors = retriesAllErrors
    }

    package func covers(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status) || self.retriesAllErrors && status >= 400
    }

    /// How long to wait before the next retry; `nil` if there is none, or no time for it.
    /// - Parameters:
    ///   - retries: The number of retries so far.
    ///   - asked: The pause that the server requests; `nil` for none.
    ///   - remaining: The time left for the whole upload; `nil` without a bound.
    package func pause(after retries: Int, asked: Duration? = nil, remaining: Duration?) -> Duration? {
        guard retries < self.count else { return nil }
        let limited = asked.map { min($0, self.maximumRetryAfter) }
        let pause = (limited ?? self.pause(before: retries + 1, chance: .random(in: 0...1))).asWait
        if let remaining, pause >= remaining { return nil }
        return pause
    }

    /// - Parameters:
    ///   - retry: The number of the retry, from 1.
    ///   - chance: A random number from 0 to 1.
    package func pause(before retry: Int, chance: Double) -> Duration {
        if let delay { return delay }
        let doubled = Duration.seconds(1) * (1 << min(retry - 1, 20))
        return min(doubled, self.maximumDelay.asWait) * (1 - chance / 2)
    }
}
