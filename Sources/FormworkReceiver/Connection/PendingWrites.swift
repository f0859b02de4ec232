import NIOCore

/// Writes of an answer that haven't been sent yet: who waits for them, and whether the client still reads.
struct PendingWrites {
    /// Writes that haven't been sent.
    private var count = 0
    /// The time of the last write that was sent, or else of the first one.
    private var progress = NIODeadline.distantPast
    private var waiting: [EventLoopPromise<Void>] = []

    /// A write begins.
    mutating func began(at now: NIODeadline) {
        if self.count == 0 { self.progress = now }
        self.count += 1
    }

    /// A write has been sent. The last one keeps the promises.
    mutating func ended(at now: NIODeadline) {
        guard self.count > 0 else { return }
        (self.count, self.progress) = (self.count - 1, now)
        if self.count == 0 { self.keep { $0.succeed() } }
    }

    /// Keeps a promise once everything written has been sent.
    mutating func whenAllEnded(_ promise: EventLoopPromise<Void>) {
        if self.count == 0 { promise.succeed() } else { self.waiting.append(promise) }
    }

    /// The connection has ended: no more writes are sent.
    mutating func fail(_ error: any Error) {
        self.count = 0
        self.keep { $0.fail(error) }
    }

    private mutating func keep(_ body: (EventLoopPromise<Void>) -> Void) {
        let promises = self.waiting
        self.waiting = []
        for promise in promises { body(promise) }
    }

    /// Whether a write has waited for so long, and none was sent in the meantime.
    func areStuck(for time: TimeAmount, at now: NIODeadline) -> Bool {
        self.count > 0 && now - self.progress >= time
    }
}
