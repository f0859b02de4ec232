import FormworkCore

/// Splits url-encoded text that arrives in pieces: for bodies that shouldn't be in memory as a whole.
///
/// It never waits: ``append(_:)`` adds bytes, and ``next()`` returns pairs, wherever the text was cut. It keeps one
/// pair and the bytes appended last; after an error every later call throws it again.
///
/// ```swift
/// var parser = URLEncodedParser()
/// for chunk in chunks {
///     parser.append(chunk)
///     while let pair = try parser.next() { use(pair) }
/// }
/// parser.finish()
/// while let pair = try parser.next() { use(pair) }
/// ```
public struct URLEncodedParser: Sendable {
    private let rules: URLEncodedParsing
    private var pending: [UInt8] = []
    /// Where the next pair begins in `pending`, and up to where there is no `&`.
    private var (start, searched) = (0, 0)
    private var isFinished = false
    private var pairs = 0
    /// Bytes of the text before `pending`.
    private var offset = 0
    private var failure: FormworkError?

    /// - Parameter rules: Their ``URLEncodedParsing/duplicates`` don't apply: all pairs are returned.
    public init(rules: URLEncodedParsing = URLEncodedParsing()) { self.rules = rules }

    /// Bytes kept: never more than one pair and the bytes appended last.
    var retainedBytes: Int { self.pending.count - self.start }

    /// Adds the next bytes of the text.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        if self.start > 0 {
            self.pending.removeSubrange(..<self.start)
            self.offset += self.start
            self.searched -= self.start
            self.start = 0
        }
        self.pending += bytes
    }

    /// Marks the text as complete: the remaining bytes are the last pair.
    public mutating func finish() { self.isFinished = true }

    /// The next pair; `nil` if more bytes are needed, or none are left.
    /// - Throws: What ``URLEncodedPairs/init(_:rules:)-([UInt8],_)`` throws.
    public mutating func next() throws(FormworkError) -> URLEncodedPair? {
        if let failure { throw failure }
        do throws(FormworkError) {
            return try self.cutPair()
        } catch {
            self.failure = error
            throw error
        }
    }

    private mutating func cutPair() throws(FormworkError) -> URLEncodedPair? {
        let limits = self.rules.limits
        guard self.pending.count <= limits.bytes - self.offset else {
            throw FormworkError(
                .limitExceeded, "the text has more than \(limits.bytes, "byte") (limits.bytes)",
                offset: Int64(limits.bytes))
        }
        while self.start < self.pending.count {
            let end = self.pending[self.searched...].firstIndex(of: 0x26)
            self.searched = end ?? self.pending.count
            let length = self.searched - self.start
            guard length <= limits.pairBytes, self.pairs < limits.pairs || length == 0 else {
                throw limits.exceeded(pairs: self.pairs + 1, length: length, offset: self.offset + self.start)
            }
            guard end != nil || self.isFinished else { return nil }
            let (from, piece) = (self.start, Array(self.pending[self.start..<self.searched]))
            self.searched = min(self.searched + 1, self.pending.count)
            self.start = self.searched
            guard length > 0 else { continue }
            self.pairs += 1
            var rules = self.rules
            rules.limits = .unlimited
            do throws(FormworkError) {
                // There is none if the rules drop the pair.
                if let pair = try URLEncodedPairs(piece, rules: rules).first { return pair.pair }
            } catch {
                throw error.at(Int64(self.offset + from) + (error.offset ?? 0))
            }
        }
        return nil
    }
}
