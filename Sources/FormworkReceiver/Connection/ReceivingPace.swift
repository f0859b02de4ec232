import NIOCore

/// The lowest speed at which a client may send.
struct ReceivingPace: Sendable, Hashable {
    /// How long nothing may arrive, of a request's head or its body, while the receiver waits. Default 30 s.
    var idleTime: Duration = .seconds(30)
    /// How long a connection may take until its first request's head is complete, with the handshake of TLS. 10 s, or
    /// ``idleTime`` if that is less.
    var headTime: Duration { min(self.idleTime, .seconds(10)) }
    /// Bytes of body per second that must arrive while the receiver waits, measured over each ``idleTime``. Default
    /// 500, as in Apache's mod_reqtimeout.
    var bytesPerSecond: Int64 = 500
}

/// Checks whether a body arrives fast enough. It is fed with events and queried regularly; it never waits itself.
struct PaceMeter {
    private let pace: ReceivingPace
    private var windowStart: NIODeadline
    private var windowBytes: Int64 = 0
    /// The time in this window during which bytes were wanted.
    private var waited = TimeAmount.zero
    private var waitingSince: NIODeadline?

    init(_ pace: ReceivingPace, now: NIODeadline) { (self.pace, self.windowStart) = (pace, now) }

    /// Bytes are wanted from now on.
    mutating func wants(at now: NIODeadline) { if self.waitingSince == nil { self.waitingSince = now } }

    /// Bytes have come.
    mutating func took(_ count: Int, at now: NIODeadline) {
        if let since = self.waitingSince { self.waited = self.waited + (now - since) }
        self.waitingSince = nil
        self.windowBytes += Int64(count)
    }

    /// Whether the client is too slow.
    mutating func isLate(at now: NIODeadline) -> Bool {
        let idle = TimeAmount(self.pace.idleTime)
        if let since = self.waitingSince {
            if now - since >= idle { return true }
            self.waited = self.waited + (now - since)
            self.waitingSince = now
        }
        // Time in which the receiver itself paused doesn't count.
        guard self.waited >= idle else { return false }
        let seconds = Double(self.waited.nanoseconds) / 1e9
        let isLate = Double(self.windowBytes) < seconds * Double(self.pace.bytesPerSecond)
        (self.windowStart, self.windowBytes, self.waited) = (now, 0, .zero)
        return isLate
    }
}
