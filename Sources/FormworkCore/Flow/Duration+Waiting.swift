extension Duration {
    /// The longest supported wait: 10⁹ seconds, 31 years.
    ///
    /// `Task.sleep` traps if the clock's time plus the duration exceeds 64 bits of seconds, as with
    /// `.seconds(Int64.max)`. Arithmetic on such durations traps too.
    package static var longestWait: Duration { .seconds(1_000_000_000) }

    /// This duration, clamped to 0 to ``longestWait``.
    package var asWait: Duration { min(max(self, .zero), .longestWait) }
}

extension ContinuousClock.Instant {
    /// The moment after a duration from now, clamped as ``Duration/asWait``.
    package static func after(_ duration: Duration) -> Self { .now + duration.asWait }
}
