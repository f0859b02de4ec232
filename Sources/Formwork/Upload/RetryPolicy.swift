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
        // Above 599 a status is treated as an unknown one of 5xx (RFC 9110 section 15), which means 500.
        [408, 429, 500, 502, 503, 504].contains(status) || status >= 600 || self.retriesAllErrors && status >= 400
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
    func pause(before retry: Int, chance: Double) -> Duration {
        if let delay { return delay }
        let doubled = Duration.seconds(1) * (1 << min(retry - 1, 20))
        return min(doubled, self.maximumDelay.asWait) * (1 - chance / 2)
    }
}

/// What a 2xx that comes before the body's end says about the body.
package enum EarlySuccess {
    /// A body of at most this many bytes counts as delivered.
    ///
    /// The system's buffers may hold such a body whole before the server looks at any of it. Nothing on the connection then
    /// shows whether the server read it, and when the answer comes is chance. Linux lets a socket's buffer grow to 4 MiB.
    package static let believedLength: Int64 = 4 << 20
}

/// `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// How long to wait; `nil` for no value or an invalid one.
    /// - Parameter now: Seconds since 1970.
    package static func delay(_ value: String?, now: Int64) -> Duration? {
        guard let value else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Duration.seconds(min(Int64(value) ?? .max, 1_000_000_000))
        }
        return HTTPDate.seconds(value).map { Duration.seconds($0 - now).asWait }
    }
}
