/// How long a body may take, counted from the first request for a part. The consumer's own time counts too. When a
/// deadline passes, reading throws ``FormworkError/Code/timedOut``.
///
/// By default none is set, because servers have their own idle time-outs. Values are clamped to 0 to 10⁹ seconds (31
/// years).
public struct ReceivingDeadlines: Sendable, Hashable {
    /// For the whole body; `nil` for no bound.
    public var total: Duration?
    /// For one part, from its header section to its last byte; `nil` for no bound.
    public var part: Duration?
    /// For the next chunk of the source; `nil` for no bound.
    public var chunk: Duration?

    /// Deadlines. By default there is none.
    public init(total: Duration? = nil, part: Duration? = nil, chunk: Duration? = nil) {
        (self.total, self.part, self.chunk) = (total, part, chunk)
    }
}

/// The deadlines of a body that is being read.
///
/// They are times since ``origin``: the size of an `Instant` is only known when a program runs, and so would be the size of
/// every type that has one. Copying such a type takes several times as long.
struct RunningDeadlines: Sendable {
    private static let origin = ContinuousClock.now

    private let chunk: Duration?
    private let part: Duration?
    private let bodyEnd: Duration?
    private var partEnd: Duration?

    /// - Returns: `nil` if none is set.
    init?(_ deadlines: ReceivingDeadlines) {
        guard deadlines != ReceivingDeadlines() else { return nil }
        (self.chunk, self.part) = (deadlines.chunk, deadlines.part)
        self.bodyEnd = deadlines.total.map(Self.after)
    }

    /// The time after a duration from now.
    private static func after(_ duration: Duration) -> Duration {
        Self.origin.duration(to: .after(duration))
    }

    mutating func partBegan() { self.partEnd = self.part.map(Self.after) }
    mutating func partEnded() { self.partEnd = nil }

    /// Pulls the next chunk before the earliest deadline.
    /// - Parameter offset: The bytes of the body that arrived before.
    /// - Throws: What `pull` throws, and `timedOut`.
    func race<Chunk: Sendable>(
        at offset: Int64, _ pull: @escaping @Sendable () async throws -> Chunk?
    ) async throws -> Chunk? {
        let ends = [
            (self.bodyEnd, "the body"), (self.partEnd, "the part"), (self.chunk.map(Self.after), "the next chunk"),
        ]
        let set = ends.compactMap { time, subject in time.map { (Self.origin + $0, subject) } }
        guard let (end, subject) = set.min(by: { $0.0 < $1.0 }) else { return try await pull() }
        let late = FormworkError(.timedOut, "\(subject) took longer than its deadline allows", offset: offset)
        return try await Race.run(until: end, late: late, pull)
    }
}
