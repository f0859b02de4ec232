#if Transfer
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the bucket knows of one unfinished upload: an object that is replaced as a whole, and only by a receiver that has
/// read its current version.
///
/// The upload's bytes are those of the parts, in the order of their numbers, followed by those of the tail.
struct BucketState: Codable, Hashable, Sendable {
    /// Consecutive parts of the same size.
    struct Run: Codable, Hashable, Sendable {
        var first: Int
        var count: Int
        var size: Int64
    }

    /// Bytes that are fewer than a part can have, in an object of their own.
    struct Tail: Codable, Hashable, Sendable {
        var key: String
        var count: Int64
    }

    /// The bytes at some moment.
    struct Bytes: Codable, Hashable, Sendable {
        var runs: [Run] = []
        var tail: Tail?

        /// Bytes in parts.
        var inParts: Int64 { self.runs.reduce(0) { $0 + Int64($1.count) * $1.size } }
        var count: Int64 { self.inParts + (self.tail?.count ?? 0) }

        /// Adds a part, whose number is above all before.
        mutating func add(part number: Int, size: Int64) {
            if let last = self.runs.last, last.first + last.count == number, last.size == size {
                self.runs[self.runs.count - 1].count += 1
            } else {
                self.runs.append(Run(first: number, count: 1, size: size))
            }
        }

        var numbers: [Int] { self.runs.flatMap { $0.first..<($0.first + $0.count) } }
    }

    /// Where the bytes are.
    enum Place: Codable, Hashable, Sendable {
        /// In no upload of the store's yet: there is a tail at most.
        case tail
        /// In the parts of this upload of the store's, and a tail.
        case parts(upload: String)
        /// In an object: the upload is complete.
        case object
        /// Nowhere any more: the upload was processed.
        case gone
        /// The upload itself is being removed.
        case removed
    }

    /// Raised with each change. So no two versions of this object are equal, and one that was read is known to be current
    /// by its entity tag.
    private(set) var fence = 0
    /// The upload store's own record.
    var record: Data
    var place = Place.tail
    var bytes = Bytes()
    /// The bytes when the receiver that changed them last had opened them, which may have to be restored: a digest may
    /// show that what came afterwards is wrong.
    var mark: Bytes?
    /// The store's upload that makes the final file of a complete upload. A receiver that takes over aborts it first, so
    /// that only one of them makes the file.
    struct Placing: Codable, Hashable, Sendable {
        var key: String
        var upload: String
    }

    var placing: Placing?
    /// The first part number that no receiver has claimed. A receiver claims numbers before it sends their parts, so the
    /// parts of one that was overtaken are never taken for those of another.
    private(set) var nextPart = 1

    init(record: [UInt8]) { self.record = Data(record) }

    init?(_ object: [UInt8]) {
        guard let state = try? JSONDecoder().decode(Self.self, from: Data(object)) else { return nil }
        self = state
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return Array(try encoder.encode(self))
    }

    /// The next version.
    func changed() -> BucketState {
        var next = self
        next.fence += 1
        return next
    }

    /// Claims part numbers.
    mutating func claim(_ count: Int) -> Range<Int> {
        let claimed = self.nextPart..<(self.nextPart + count)
        self.nextPart = claimed.upperBound
        return claimed
    }

    /// The keys of all tails that it needs.
    var tails: Set<String> { Set([self.bytes.tail?.key, self.mark?.tail?.key].compactMap { $0 }) }
}
#endif
