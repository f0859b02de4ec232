/// Parts that are made when they are needed and dropped afterwards, so a million of them need the memory of a few.
///
/// ```swift
/// form.append(
///     PartSequence(count: 1_000_000) { index in
///         BodyPart(name: "reading", value: "\(index)")
///     })
/// ```
///
/// The sequence is iterated once when the body is planned, for its length, and again by every reader. Each iteration
/// must give parts of the same lengths; otherwise the reader throws ``FormworkError/Code/sourceChanged``. Several
/// readers may iterate at once, on different threads. Files in such parts are checked for changes like all others,
/// which takes 64 bytes of memory for each.
public struct PartSequence: Sendable {
    /// Shared by all copies.
    let identity = Identity()
    /// The number of parts, if the sequence isn't measured; `nil` if it is.
    let unmeasuredCount: Int?
    /// Begins an iteration. The closure returns the part at an index, or `nil` after the last. Indices rise.
    let walk: @Sendable () -> (_ index: Int) throws -> BodyPart?
    /// Begins to read parts that arrive; `nil` for parts that are made.
    var arrivals: (@Sendable () throws -> PartIterator)?

    /// Parts of a sequence that can be iterated repeatedly, such as a collection or a lazy map of one.
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

    /// `count` parts, each made from its index. Seeking doesn't iterate from the start.
    /// - Parameters:
    ///   - count: The number of parts. A negative number counts as 0.
    ///   - isMeasured: Whether planning makes all parts for their length. If not, they are made only by the reader,
    ///     which takes half the time. Then the body has no known length, no offsets after these parts, and an invalid
    ///     name or file is reported only when its part is read.
    ///   - part: Makes the part at an index. It must return the same part each time.
    public init(count: Int, isMeasured: Bool = true, _ part: @escaping @Sendable (Int) throws -> BodyPart) {
        let count = max(0, count)
        self.unmeasuredCount = isMeasured ? nil : count
        self.walk = { { index in index < count ? try part(index) : nil } }
    }
}

extension PartSequence {
    /// Parts of an async sequence, which are framed as they arrive, such as those of a form that is forwarded.
    /// - Parameter iterator: Begins to read the parts, once.
    init<Parts: AsyncSequence & Sendable>(
        arriving parts: Parts, _ iterator: @escaping @Sendable (Parts.AsyncIterator) -> PartIterator
    ) {
        let once = OneShot(parts)
        self.unmeasuredCount = 1
        self.walk = { { _ in nil } }
        self.arrivals = { () throws in iterator(try once.take().makeAsyncIterator()) }
    }
}
