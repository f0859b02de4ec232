extension Duration {
    /// The longest supported wait: 10⁹ seconds, 31 years.
    ///
    /// `Task.sleep` traps if the clock's time plus the duration exceeds 64 bits of seconds, as with
    /// `.seconds(Int64.max)`. Arithmetic on such durations traps too.
    static var longestWait: Duration { .seconds(1_000_000_000) }

    /// This duration, clamped to 0 to ``longestWait``.
    package var asWait: Duration { min(max(self, .zero), .longestWait) }
}

extension ContinuousClock.Instant {
    /// The moment after a duration from now, clamped as ``Duration/asWait``.
    package static func after(_ duration: Duration) -> Self { .now + duration.asWait }
}

extension FixedWidthInteger {
    /// The integer part of a floating-point number, clamped to this type's range; 0 for NaN.
    ///
    /// Use only this to convert a `Double` to an integer (`scripts/check` checks it), because `Int64(number)` may trap.
    package init(clamping number: Double) {
        // Without `rounded`, which calls libm: the core links nothing.
        if number.isNaN {
            self = 0
        } else if number >= Double(Self.max) {
            self = .max
        } else if number <= Double(Self.min) {
            self = .min
        } else {
            self = Self(number)
        }
    }
}
