import NIOCore

/// Writes of an answer that haven't been sent yet: who waits for them, and whether the client still reads.
struct PendingWrites {
    private enum State {
        /// Everything written has been sent.
        case none
        /// `progress` is the time of the last write that was sent, or else of the first one.
        case some(count: Int, progress: NIODeadline, waiting: [EventLoopPromise<Void>])
    }

    private var state = State.none

    /// A write begins.
    mutating func began(at now: NIODeadline) {
        switch self.state {
        case .none: self.state = .some(count: 1, progress: now, waiting: [])
        case .some(let count, let progress, let waiting):
            self.state = .some(count: count + 1, progress: progress, waiting: waiting)
        }
    }

    /// A write has been sent. The last one keeps the promises.
    mutating func ended(at now: NIODeadline) {
        guard case .some(let count, _, let waiting) = self.state else { return }
        guard count == 1 else { return self.state = .some(count: count - 1, progress: now, waiting: waiting) }
        self.state = .none
        for promise in waiting { promise.succeed() }
    }

    /// Keeps a promise once everything written has been sent.
    mutating func whenAllEnded(_ promise: EventLoopPromise<Void>) {
        guard case .some(let count, let progress, let waiting) = self.state else { return promise.succeed() }
        self.state = .some(count: count, progress: progress, waiting: waiting + [promise])
    }

    /// The connection has ended: no more writes are sent.
    mutating func fail(_ error: any Error) {
        guard case .some(_, _, let waiting) = self.state else { return }
        self.state = .none
        for promise in waiting { promise.fail(error) }
    }

    /// Whether a write has waited for so long, and none was sent in the meantime.
    func areStuck(for time: TimeAmount, at now: NIODeadline) -> Bool {
        guard case .some(_, let progress, _) = self.state else { return false }
        return now - progress >= time
    }
}
