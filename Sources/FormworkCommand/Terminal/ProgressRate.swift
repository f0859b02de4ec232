#if Command
/// Bytes per second over the last five seconds.
struct ProgressRate {
    private var samples: [(instant: ContinuousClock.Instant, done: Int64)]
    private var skipped: Int64?

    /// Begins to count.
    init(from instant: ContinuousClock.Instant) { self.samples = [(instant, 0)] }

    /// Adds a moment.
    /// - Returns: Bytes per second, finite and at least 0.
    mutating func take(_ moment: ProgressMoment, at now: ContinuousClock.Instant) -> Double {
        if moment.skipped != self.skipped {
            // The first moment, or a request that continues at another offset: bytes before it don't count.
            self.samples = [(self.samples.last?.instant ?? now, moment.skipped)]
            self.skipped = moment.skipped
        } else if let last = self.samples.last, last.done > moment.done {
            // Another try starts again, or the server reported that it has fewer bytes.
            self.samples = [(now, moment.done)]
        }
        self.samples.append((now, moment.done))
        while self.samples.count > 2, self.samples[1].instant < now - .seconds(5) { self.samples.removeFirst() }
        let first = self.samples[0]
        let (moved, isBeyond) = moment.done.subtractingReportingOverflow(first.done)
        let seconds = max(first.instant.duration(to: now).seconds, 0.001)
        return max(0, isBeyond ? Double(Int64.max) : Double(moved)) / seconds
    }
}
#endif
