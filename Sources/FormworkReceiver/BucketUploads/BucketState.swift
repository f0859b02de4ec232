import FormworkEssentials
import FormworkResumable

/// What the bucket knows of one unfinished upload: an object that is replaced as a whole, and only by a receiver that has
/// read its current version.
struct BucketState: Codable, Hashable, Sendable {
    /// The upload's bytes: those of the parts, in order, and then those of the tail.
    struct Bytes: Codable, Hashable, Sendable {
        /// Pieces that are large enough to become parts of an object.
        var parts: [StoredPieces.Piece] = []
        /// Bytes that are fewer.
        var tail: StoredPieces.Piece?
        /// Where the files of a form are in these bytes; `nil` if that isn't known.
        var map: FormMap?
        /// The saved states of digests of these bytes, by their algorithms; `nil` if none is computed.
        var digests: [String: Data]?

        /// Bytes in parts.
        var inParts: Int64 { self.parts.reduce(0) { $0 + $1.count } }
        var count: Int64 { self.inParts + (self.tail?.count ?? 0) }
        var pieces: [StoredPieces.Piece] { self.parts + (self.tail.map { [$0] } ?? []) }
    }

    /// How many of the parts and the map's files there were at some moment, and the tail of that moment.
    struct Mark: Codable, Hashable, Sendable {
        var parts: Int
        var tail: StoredPieces.Piece?
        var files: Int?
        /// The map's position; `nil` if there was no map.
        var position: FormMap.Position?
        var digests: [String: Data]?

        init(_ bytes: Bytes) {
            (self.parts, self.tail) = (bytes.parts.count, bytes.tail)
            (self.files, self.position) = (bytes.map?.files.count, bytes.map?.position)
            self.digests = bytes.digests
        }

        /// The bytes of that moment.
        /// - Parameter bytes: Those of a later one.
        func bytes(in bytes: Bytes) -> Bytes {
            let map = self.position.flatMap { position in
                bytes.map.map { FormMap(files: Array($0.files.prefix(self.files ?? 0)), position: position) }
            }
            return Bytes(parts: Array(bytes.parts.prefix(self.parts)), tail: self.tail, map: map, digests: self.digests)
        }
    }

    /// What is left of the upload.
    enum Location: String, Codable, Sendable {
        case kept
        /// The bytes are gone: the upload was processed.
        case gone
        /// The upload itself is being removed.
        case removed
    }

    /// What makes a file of a complete upload. A receiver that takes over ends it first, so that only one of them makes the
    /// file.
    struct Placing: Codable, Hashable, Sendable {
        var key: String
        /// The store's upload; `nil` for a short file that one request makes.
        var upload: String?
        /// The mark of a form's file. A receiver that takes over removes the object with it: it makes all of the form's
        /// files itself. `nil` for a file that is the whole upload, which it uses instead.
        var marker: String?
    }

    /// Raised with each change. So no two versions of this object are equal, and one that was read is known to be current
    /// by its entity tag.
    private(set) var fence = 0
    /// The upload store's own record.
    var record: Data
    var place = Location.kept
    var bytes = Bytes()
    /// The bytes when the receiver that changed them last had opened them, which may have to be restored: a digest may
    /// show that what came afterwards is wrong.
    var mark: Mark?
    var placings: [Placing]?

    init(record: [UInt8]) { self.record = Data(record) }

    init?(_ object: [UInt8]) {
        guard let state = try? JSONDecoder().decode(Self.self, from: Data(object)), state.isUsable else { return nil }
        self = state
    }

    /// Whether its numbers can be those of an upload. What uses them relies on that, and anyone who may write to the
    /// bucket can change them.
    private var isUsable: Bool {
        let pieces = self.bytes.pieces + (self.mark?.tail.map { [$0] } ?? [])
        return self.fence >= 0 && self.fence < .max && pieces.count <= S3Storage.maximumParts + 1
            && pieces.allSatisfy { 1...Self.longestPiece ~= $0.count }
            && (self.mark.map { $0.parts >= 0 && ($0.files ?? 0) >= 0 && $0.position?.isUsable ?? true } ?? true)
            && (self.bytes.map?.isUsable ?? true)
    }

    /// More than any piece has: 10,000 of them can be added.
    private static let longestPiece: Int64 = 1 << 45

    func encoded() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// The next version.
    func changed() -> BucketState {
        var next = self
        next.fence += 1
        return next
    }

    /// The bytes at the mark; `nil` without one.
    var marked: Bytes? { self.mark?.bytes(in: self.bytes) }

    /// Removes the bytes.
    mutating func clear(_ place: Location) {
        (self.place, self.bytes, self.mark, self.placings) = (place, Bytes(), nil, nil)
    }

    mutating func removePlacings(where isOver: (Placing) -> Bool) {
        let left = (self.placings ?? []).filter { !isOver($0) }
        self.placings = left.isEmpty ? nil : left
    }

    /// The keys of all pieces that it needs.
    var keys: Set<String> { Set(self.bytes.pieces.map(\.key) + [self.mark?.tail?.key].compactMap { $0 }) }
}
