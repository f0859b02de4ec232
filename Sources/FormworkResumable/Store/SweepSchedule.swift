#if Resumable
import FormworkCore

/// When a store looks for expired uploads: at most once a minute, one search at a time.
struct SweepSchedule {
    private var next = ContinuousClock.Instant.after(.seconds(60))
    private var isRunning = false

    /// Begins a search, unless another is running: two at once would make twice the requests for the same uploads.
    mutating func begin() -> Bool {
        defer { self.isRunning = true }
        return !self.isRunning
    }

    mutating func end(pause: Duration) { (self.next, self.isRunning) = (.after(pause), false) }

    /// Whether a search is due. The next is due a minute later.
    mutating func takeDue() -> Bool {
        guard !self.isRunning, self.next <= .now else { return false }
        self.next = .after(.seconds(60))
        return true
    }

    /// How long to wait for the next search.
    var pause: Duration { self.isRunning ? .seconds(60) : max(.zero, self.next - .now) }

    /// How long to wait after a search. In a bucket each upload costs a request: all of a fleet's receivers search, and
    /// together they must leave the store to uploads.
    static func pause(after duration: Duration) -> Duration { max(.seconds(60), duration * 20) }
}
#endif
