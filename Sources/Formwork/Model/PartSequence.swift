import FormworkCore

/// Parts that are made when their turn comes and dropped behind it: a million of them take the memory of a few.
///
/// The sequence is walked once when the body is planned, for its length, and again by every reader. Each walk has to
/// give parts of the same lengths: a reader that finds others throws ``FormworkError/Code/sourceChanged``. Files in
/// such parts are held to promise as others are, at 64 bytes of memory each.
public struct PartSequence: Sendable {
    /// How many parts a sequence that isn't measured has; `nil` for one that is.
    let unmeasuredCount: Int?
    /// Gives the parts from an index on, one a call, then `nil`.
    let parts: @Sendable (_ from: Int) -> () throws -> BodyPart?

    /// Parts of a sequence that can be iterated again, such as any collection or a lazy map of one.
    public init<Parts: Sequence<BodyPart> & Sendable>(_ sequence: Parts) {
        self.unmeasuredCount = nil
        self.parts = { first in
            var iterator = sequence.makeIterator()
            var skipped = 0
            return {
                while skipped < first, iterator.next() != nil { skipped += 1 }
                return iterator.next()
            }
        }
    }

    /// `count` parts, each made from its index. Seeking in these costs no walk from the start.
    /// - Parameters:
    ///   - count: Parts in all, 0 or more.
    ///   - isMeasured: Whether planning walks them for their length. When not, they are made once for each reader,
    ///     which takes half the time; the body has no known length then, no offsets behind them, and what is wrong with
    ///     a name or a file is told when its turn comes.
    ///   - part: Makes the part of an index, the same each time.
    public init(count: Int, isMeasured: Bool = true, _ part: @escaping @Sendable (Int) throws -> BodyPart) {
        precondition(count >= 0, "a count of parts is not negative")
        self.unmeasuredCount = isMeasured ? nil : count
        self.parts = { first in
            var index = first
            return {
                guard index < count else { return nil }
                defer { index += 1 }
                return try part(index)
            }
        }
    }
}
