/// The progress of reading a body, in the current part and in the whole body.
public struct BodyProgress: Hashable, Sendable {
    /// The part being read; `nil` before the first and after the last.
    public var part: PartReference?
    /// Bytes of this part's content read so far, without framing.
    public var partPosition: Int64
    /// The total bytes of this part's content; `nil` if unknown.
    public var partLength: Int64?
    /// Bytes of the body read so far, with framing.
    public var position: Int64
    /// The total bytes of the body; `nil` if unknown.
    public var length: Int64?

    init(part: PartReference?, partPosition: Int64, partLength: Int64?, position: Int64, length: Int64?) {
        self.part = part
        self.partPosition = partPosition
        self.partLength = partLength
        self.position = position
        self.length = length
    }
}

/// Receives progress reports.
public struct ProgressObserver: Sendable {
    /// The least time between two reports. The first and the last are always made.
    public var interval: Duration
    /// Called on the thread that reads, between two reads.
    public var report: @Sendable (BodyProgress) -> Void

    /// An observer. By default it gets at most ten reports per second.
    public init(every interval: Duration = .milliseconds(100), report: @escaping @Sendable (BodyProgress) -> Void) {
        self.interval = interval
        self.report = report
    }
}

/// Limits the rate of reports. The caller passes the time.
struct ProgressMeter: Sendable {
    let observer: ProgressObserver
    private var last: ContinuousClock.Instant?
    private var ended = false

    init(_ observer: ProgressObserver) { self.observer = observer }

    /// Whether a report is due. The end is reported once.
    mutating func isDue(at now: ContinuousClock.Instant, isEnd: Bool) -> Bool {
        if self.ended { return false }
        if !isEnd, let last = self.last, last.duration(to: now) < self.observer.interval { return false }
        self.last = now
        self.ended = isEnd
        return true
    }
}
