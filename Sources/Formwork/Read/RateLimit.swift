/// The limit on a body's speed: at most one packet, then a pause, repeatedly.
public struct RateLimit: Hashable, Sendable {
    /// The most bytes of one read, from 1 to 4 GiB.
    public let packet: Int
    /// The time for a whole packet, from 0 to 10⁹ seconds. A smaller read takes proportionally less.
    public let delay: Duration

    /// A packet of `packet` bytes per `delay`.
    /// - Parameters:
    ///   - packet: The number of bytes, clamped to 1 byte to 4 GiB.
    ///   - delay: The time, clamped to 0 to 10⁹ seconds (31 years).
    public init(packet: Int, delay: Duration) {
        self.packet = max(1, min(packet, 4 << 30))
        self.delay = delay.asWait
    }

    /// An average of `rate` bytes a second, in ten packets a second of at most 256 KiB.
    /// - Parameter rate: Bytes per second. Values below 1 count as 1.
    public static func bytesPerSecond(_ rate: Int) -> RateLimit {
        let rate = max(1, rate)
        let packet = max(1, min(rate / 10, 256 << 10))
        return RateLimit(packet: packet, delay: .seconds(1) * packet / rate)
    }
}

/// Applies a ``RateLimit``: from the bytes moved and their times it computes how long to wait. It never waits itself.
struct RateLimiter: Sendable {
    let limit: RateLimit
    /// The moment before which nothing more may be moved.
    private var next: ContinuousClock.Instant?

    init(_ limit: RateLimit) { self.limit = limit }

    func delay(at now: ContinuousClock.Instant) -> Duration {
        guard let next = self.next else { return .zero }
        return max(.zero, now.duration(to: next))
    }

    /// Counts bytes from `now` if the limit was idle, so that a pause doesn't allow a burst later.
    /// - Parameter count: The number of bytes, at most a packet.
    mutating func spend(_ count: Int, at now: ContinuousClock.Instant) {
        let start = self.next.map { max($0, now) } ?? now
        // The longest delay times the largest packet is a fortieth of the largest duration.
        self.next = start + self.limit.delay * count / self.limit.packet
    }
}
