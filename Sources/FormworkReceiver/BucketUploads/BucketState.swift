#if Transfer
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the bucket knows of one unfinished upload: an object that is replaced as a whole, and only by a receiver that has
/// read its current version.
struct BucketState: Codable, Hashable, Sendable {
    /// Some of the upload's bytes, in an object of their own.
    struct Piece: Codable, Hashable, Sendable {
        var key: String
        var count: Int64
    }

    /// The upload's bytes: those of the parts, in order, and then those of the tail.
    struct Bytes: Codable, Hashable, Sendable {
        /// Pieces that are large enough to become parts of an object.
        var parts: [Piece] = []
        /// Bytes that are fewer.
        var tail: Piece?

        /// Bytes in parts.
        var inParts: Int64 { self.parts.reduce(0) { $0 + $1.count } }
        var count: Int64 { self.inParts + (self.tail?.count ?? 0) }
        var pieces: [Piece] { self.parts + (self.tail.map { [$0] } ?? []) }
    }

    /// How many of the parts there were at some moment, and the tail of that moment.
    struct Mark: Codable, Hashable, Sendable {
        var parts: Int
        var tail: Piece?

        init(_ bytes: Bytes) { (self.parts, self.tail) = (bytes.parts.count, bytes.tail) }
    }

    /// What is left of the upload.
    enum Place: String, Codable, Sendable {
        case kept
        /// The bytes are gone: the upload was processed.
        case gone
        /// The upload itself is being removed.
        case removed
    }

    /// The store's upload that makes the final file of a complete upload. A receiver that takes over aborts it first, so
    /// that only one of them makes the file.
    struct Placing: Codable, Hashable, Sendable {
        var key: String
        var upload: String
    }

    /// Raised with each change. So no two versions of this object are equal, and one that was read is known to be current
    /// by its entity tag.
    private(set) var fence = 0
    /// The upload store's own record.
    var record: Data
    var place = Place.kept
    var bytes = Bytes()
    /// The bytes when the receiver that changed them last had opened them, which may have to be restored: a digest may
    /// show that what came afterwards is wrong.
    var mark: Mark?
    var placing: Placing?

    init(record: [UInt8]) { self.record = Data(record) }

    init?(_ object: [UInt8]) {
        guard let state = try? JSONDecoder().decode(Self.self, from: Data(object)) else { return nil }
        self = state
    }

    func encoded() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// The next version.
    func changed() -> BucketState {
        var next = self
        next.fence += 1
        return next
    }

    /// The bytes at the mark; `nil` without one.
    var marked: Bytes? {
        self.mark.map { Bytes(parts: Array(self.bytes.parts.prefix($0.parts)), tail: $0.tail) }
    }

    /// Removes the bytes.
    mutating func clear(_ place: Place) {
        (self.place, self.bytes, self.mark, self.placing) = (place, Bytes(), nil, nil)
    }

    /// The keys of all pieces that it needs.
    var keys: Set<String> { Set(self.bytes.pieces.map(\.key) + [self.mark?.tail?.key].compactMap { $0 }) }
}
#endif
