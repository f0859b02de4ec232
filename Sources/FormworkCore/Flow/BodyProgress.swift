/// How far a body has come, in one part and in all.
public struct BodyProgress: Hashable, Sendable {
    /// The part being read; `nil` before the first and after the last.
    public var part: PartReference?
    /// Bytes of this part's content read so far, framing not counted.
    public var partPosition: Int64
    /// Bytes of this part's content in all; `nil` when unknown.
    public var partLength: Int64?
    /// Bytes of the body read so far, framing counted.
    public var position: Int64
    /// Bytes of the body in all; `nil` when unknown.
    public var length: Int64?

    /// Describes a moment.
    public init(part: PartReference?, partPosition: Int64, partLength: Int64?, position: Int64, length: Int64?) {
        self.part = part
        self.partPosition = partPosition
        self.partLength = partLength
        self.position = position
        self.length = length
    }
}

/// Who is told of progress, and how often.
public struct ProgressObserver: Sendable {
    /// The least time between two reports; the first and the last are always given.
    public var interval: Duration
    /// Called on the thread that reads, between two reads.
    public var report: @Sendable (BodyProgress) -> Void

    /// Ten reports a second at most, unless `interval` says otherwise.
    public init(every interval: Duration = .milliseconds(100), report: @escaping @Sendable (BodyProgress) -> Void) {
        self.interval = interval
        self.report = report
    }
}

/// Bounds the rate of reports; it is told the time.
package struct ProgressMeter: Sendable {
    package let observer: ProgressObserver
    private var last: ContinuousClock.Instant?
    private var ended = false

    package init(_ observer: ProgressObserver) { self.observer = observer }

    /// Whether a report is due. The end is reported once.
    package mutating func isDue(at now: ContinuousClock.Instant, isEnd: Bool) -> Bool {
        if self.ended { return false }
        if !isEnd, let last = self.last, last.duration(to: now) < self.observer.interval { return false }
        self.last = now
        self.ended = isEnd
        return true
    }
}
