import FormworkCore

/// Parts that are made when their turn comes and dropped behind it: a million of them take the memory of a few.
///
/// The sequence is walked once when the body is planned, for its length, and again by every reader. Each walk has to
/// give parts of the same lengths: a reader that finds others throws ``FormworkError/Code/sourceChanged``. Files in
/// such parts are held to promise as others are, at 64 bytes of memory each.
public struct PartSequence: Sendable {
    /// What copies share, and nobody else.
    let identity = Identity()
    /// How many parts a sequence that isn't measured has; `nil` for one that is.
    let unmeasuredCount: Int?
    /// Begins a walk, which gives the part of an index, or `nil` behind the last. It is called with rising indices.
    let walk: @Sendable () -> (_ index: Int) throws -> BodyPart?

    /// Parts of a sequence that can be iterated again, such as any collection or a lazy map of one.
    public init<Parts: Sequence<BodyPart> & Sendable>(_ sequence: Parts) {
        self.unmeasuredCount = nil
        self.walk = {
            var iterator = sequence.makeIterator()
            var next = 0
            return { index in
                while next < index, iterator.next() != nil { next += 1 }
                next += 1
                return iterator.next()
            }
        }
    }

    /// `count` parts, each made from its index. Seeking in these costs no walk from the start.
    /// - Parameters:
    ///   - count: Parts in all; fewer than 0 count as 0.
    ///   - isMeasured: Whether planning walks them for their length. When not, they are made once for each reader,
    ///     which takes half the time; the body has no known length then, no offsets behind them, and what is wrong with
    ///     a name or a file is told when its turn comes.
    ///   - part: Makes the part of an index, the same each time.
    public init(count: Int, isMeasured: Bool = true, _ part: @escaping @Sendable (Int) throws -> BodyPart) {
        let count = max(0, count)
        self.unmeasuredCount = isMeasured ? nil : count
        self.walk = { { index in index < count ? try part(index) : nil } }
    }
}
