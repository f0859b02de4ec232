/// The list of a body's pieces. Content-Length, reading, seeking and the layout all use it, so that they can't
/// disagree.
struct Layout: Sendable {
    /// The content of a piece.
    enum Content: Sendable {
        /// A delimiter with a header section, or the close delimiter: these bytes of ``Layout/bytes``.
        case framing(Range<Int>)
        /// A part's small content, stored with the framing.
        case value(Range<Int>)
        /// A part's content, or a slice of it, from the source with this number.
        case source(Int)
    }

    /// A piece of the body.
    struct Piece: Sendable {
        /// Its offset; meaningless after a piece of unknown length (see ``Layout/knownCount``).
        var start: Int64
        /// The number of its bytes; `nil` if it is unknown.
        var length: Int64?
        /// The part it belongs to; -1 for the close delimiter.
        var part: Int
        var content: Content
    }

    /// Framing and small values, one after the other.
    private(set) var bytes: [UInt8] = []
    private(set) var pieces: [Piece] = []
    /// How many pieces, from the first, have a known start.
    private(set) var knownCount = 0
    /// The number of bytes of the body, or `nil` after a piece of unknown length was appended.
    private(set) var length: Int64? = 0

    init() {}

    /// Makes room for a number of parts, each with a head of the usual length and one source.
    mutating func reserveCapacity(parts count: Int) {
        self.pieces.reserveCapacity(2 * count + 1)
        self.bytes.reserveCapacity(count * 160)
    }

    /// Appends the bytes that `write` adds to the end of ``bytes``.
    mutating func append(
        part: Int, isFraming: Bool, _ write: (inout [UInt8]) throws(FormworkError) -> Void
    ) throws(FormworkError) {
        let start = self.bytes.count
        try write(&self.bytes)
        let range = start..<self.bytes.count
        guard !range.isEmpty else { return }
        try self.append(Int64(range.count), part: part, isFraming ? .framing(range) : .value(range))
    }

    /// Appends a piece of `length` bytes; `nil` if it is unknown.
    mutating func append(_ length: Int64?, part: Int, _ content: Content) throws(FormworkError) {
        self.pieces.append(Piece(start: self.length ?? -1, length: length, part: part, content: content))
        guard let start = self.length else { return }
        self.knownCount = self.pieces.count
        guard let length else {
            self.length = nil
            return
        }
        self.length = try start.addingLength(length)
    }

    /// The piece at `offset`: the first that begins there, otherwise the one that contains it.
    ///
    /// The first, so that an empty file that begins there is checked too.
    func pieceIndex(at offset: Int64) -> Int {
        let index = self.pieces[..<self.knownCount].partitioningIndex { $0.start >= offset }
        return index < self.knownCount && self.pieces[index].start == offset ? index : index - 1
    }
}

extension Int64? {
    /// The sum of two lengths; `nil` if either is unknown.
    func addingLength(_ other: Int64?) throws(FormworkError) -> Int64? {
        guard let length = self, let other else { return nil }
        return try length.addingLength(other)
    }
}
