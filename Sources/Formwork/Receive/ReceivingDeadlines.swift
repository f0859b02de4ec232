/// How long a body may take, counted from when its parts are first asked for. The consumer's own time counts too.
///
/// None is set unless said otherwise: servers have idle time-outs of their own. One above 10⁹ seconds (31 years) counts as
/// that, and a negative one as 0.
public struct ReceivingDeadlines: Sendable, Hashable {
    /// For the whole body; `nil` for no bound.
    public var total: Duration?
    /// For one part, from when it was given to its last byte; `nil` for no bound.
    public var part: Duration?
    /// For the next chunk of the source; `nil` for no bound.
    public var chunk: Duration?

    /// No bound, unless said otherwise.
    public init(total: Duration? = nil, part: Duration? = nil, chunk: Duration? = nil) {
        (self.total, self.part, self.chunk) = (total, part, chunk)
    }
}

/// The deadlines of a body that is being read.
struct RunningDeadlines: Sendable {
    private let chunk: Duration?
    private let part: Duration?
    private let bodyEnd: ContinuousClock.Instant?
    private var partEnd: ContinuousClock.Instant?

    /// - Returns: `nil` where none is set.
    init?(_ deadlines: ReceivingDeadlines) {
        guard deadlines != ReceivingDeadlines() else { return nil }
        (self.chunk, self.part) = (deadlines.chunk, deadlines.part)
        self.bodyEnd = deadlines.total.map { .after($0) }
    }

    mutating func partBegan() { self.partEnd = self.part.map { .after($0) } }
    mutating func partEnded() { self.partEnd = nil }

    /// The first of them, and what it is a deadline of; `nil` for none.
    var next: (instant: ContinuousClock.Instant, subject: String)? {
        guard self.bodyEnd != nil || self.partEnd != nil || self.chunk != nil else { return nil }
        return [
            (self.bodyEnd, "the body"), (self.partEnd, "the part"),
            (self.chunk.map { .after($0) }, "the next chunk"),
        ].compactMap { instant, subject in instant.map { ($0, subject) } }.min { $0.0 < $1.0 }
    }
}
