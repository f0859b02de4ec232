/// How fast a body may go: at most a packet, then a pause, over and over.
public struct RateLimit: Hashable, Sendable {
    /// The most bytes of one read, from 1 to 4 GiB.
    public let packet: Int
    /// The time that a whole packet takes, from 0 to 10⁹ seconds; a smaller read takes its share of it.
    public let delay: Duration

    /// A packet of `packet` bytes each `delay`.
    /// - Parameters:
    ///   - packet: Bytes; fewer than 1 count as 1, and more than 4 GiB as that.
    ///   - delay: One below 0 counts as 0, and one above 10⁹ seconds (31 years) as that.
    public init(packet: Int, delay: Duration) {
        self.packet = max(1, min(packet, 4 << 30))
        self.delay = delay.asWait
    }

    /// An average of `rate` bytes a second, in ten packets a second of at most 256 KiB.
    /// - Parameter rate: Bytes a second; fewer than 1 count as 1.
    public static func bytesPerSecond(_ rate: Int) -> RateLimit {
        let rate = max(1, rate)
        let packet = max(1, min(rate / 10, 256 << 10))
        return RateLimit(packet: packet, delay: .seconds(1) * packet / rate)
    }

    /// AFNetworking's `kAFUploadStream3GSuggestedPacketSize` and `kAFUploadStream3GSuggestedDelay`: 16,384 bytes each
    /// 0.2 s.
    public static let afNetworking3G = RateLimit(packet: 16_384, delay: .milliseconds(200))
}

/// Keeps a ``RateLimit``: told what was moved and when, it tells how long to wait. It never waits itself.
package struct RateLimiter: Sendable {
    package let limit: RateLimit
    /// Before this moment nothing more may be moved.
    private var next: ContinuousClock.Instant?

    package init(_ limit: RateLimit) { self.limit = limit }

    package func delay(at now: ContinuousClock.Instant) -> Duration {
        guard let next = self.next else { return .zero }
        return max(.zero, now.duration(to: next))
    }

    /// Counts from `now` when the limit was idle: a pause saves up no bytes.
    /// - Parameter count: Bytes, no more than a packet.
    package mutating func spend(_ count: Int, at now: ContinuousClock.Instant) {
        let start = self.next.map { max($0, now) } ?? now
        // The longest delay times the largest packet is a fortieth of what a duration holds.
        self.next = start + self.limit.delay * count / self.limit.packet
    }
}
