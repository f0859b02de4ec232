/// Limits the rate of reports. The caller passes the time.
struct ProgressMeter: Sendable {
    private let interval: Duration
    private var last: ContinuousClock.Instant?
    private var ended = false

    /// - Parameters:
    ///   - interval: The least time between two reports. The first and the last are always made.
    ///   - last: When a report was made already; `nil` for none.
    init(every interval: Duration, after last: ContinuousClock.Instant? = nil) {
        (self.interval, self.last) = (interval, last)
    }

    /// Whether a report is due. The end is reported once.
    mutating func isDue(at now: ContinuousClock.Instant, isEnd: Bool = false) -> Bool {
        if self.ended { return false }
        if !isEnd, let last = self.last, last.duration(to: now) < self.interval { return false }
        self.last = now
        self.ended = isEnd
        return true
    }
}
