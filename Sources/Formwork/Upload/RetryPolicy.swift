import FormworkCore

/// When a transfer is tried again, and how long is waited before: 0 to 10⁹ seconds (31 years), as which what is beyond
/// counts.
public struct RetryPolicy: Hashable, Sendable {
    /// Tries behind the first; 0 for none.
    public var count: Int
    /// The pause before each of them; `nil` for 1 second that doubles each time, and is shortened by up to a half at
    /// random so that many clients don't come back at once. A server's `Retry-After` has precedence.
    public var delay: Duration?
    /// The longest pause that is waited without a server's asking. Default 10 minutes, as curl has it.
    public var maximumDelay: Duration
    /// Whether everything is tried again that isn't a success, and not only what may pass: a connection that fails, a
    /// time-out, and the answers 408, 429, 500, 502, 503 and 504.
    public var retriesAllErrors: Bool

    /// No second try, unless said otherwise.
    public init(
        count: Int = 0, delay: Duration? = nil, maximumDelay: Duration = .seconds(600),
        retriesAllErrors: Bool = false
    ) {
        self.count = count
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.retriesAllErrors = retriesAllErrors
    }

    package func covers(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status) || self.retriesAllErrors && status >= 400
    }

    /// How long to wait before another try; `nil` when there is none, or no time for it.
    /// - Parameters:
    ///   - retries: Tries behind the first that were made.
    ///   - asked: What the server wants; `nil` when it says nothing.
    ///   - remaining: Time left for all; `nil` without a bound.
    package func pause(after retries: Int, asked: Duration? = nil, remaining: Duration?) -> Duration? {
        guard retries < self.count else { return nil }
        let pause = (asked ?? self.pause(before: retries + 1, chance: .random(in: 0...1))).asWait
        if let remaining, pause >= remaining { return nil }
        return pause
    }

    /// - Parameters:
    ///   - retry: The number of the try behind the first, from 1.
    ///   - chance: 0 to 1.
    package func pause(before retry: Int, chance: Double) -> Duration {
        if let delay { return delay }
        let doubled = Duration.seconds(1) * (1 << min(retry - 1, 20))
        return min(doubled, self.maximumDelay.asWait) * (1 - chance / 2)
    }
}
