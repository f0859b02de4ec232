extension Duration {
    /// The longest wait there is: 10⁹ seconds, 31 years.
    ///
    /// `Task.sleep` ends the process where the clock's reading and the duration come to more seconds than 64 bits hold,
    /// which `.seconds(Int64.max)` does; so does arithmetic on such durations a little later.
    package static var longestWait: Duration { .seconds(1_000_000_000) }

    /// This as something to wait for: 0 where it is negative, and ``longestWait`` at most.
    package var asWait: Duration { min(max(self, .zero), .longestWait) }
}

extension ContinuousClock.Instant {
    /// The moment that a duration from now ends, taken ``Duration/asWait``.
    package static func after(_ duration: Duration) -> Self { .now + duration.asWait }
}
