/// Passes a reader's parts and bytes to a ``FramingValidator``.
///
/// A class, so that a reader without one holds only a reference.
final class PlanValidator {
    private let plan: BodyPlan
    private var framing: FramingValidator
    /// The number of the last part of the body itself that the reader reached. Parts inside it have higher numbers, and
    /// the end of the form inside it has the same one.
    private var lastPart = -1
    private var log: PartLog?

    init(_ plan: BodyPlan) {
        self.plan = plan
        self.framing = FramingValidator(plan.storage.framing)
    }

    /// Records a piece of framing, or of content stored with it, before its first byte.
    func comes(to piece: Layout.Piece, at offset: Int64) throws(FormworkError) {
        guard case .framing(let range) = piece.content else { return }
        guard piece.part >= 0 else { return self.framing.expectEnd(from: offset) }
        let planned = self.plan.storage.parts[piece.part]
        guard planned.parent < 0, piece.part > self.lastPart, let part = planned.part else { return }
        self.lastPart = piece.part
        try self.framing.expect(
            planned.reference, part.header, from: offset, contentFrom: offset + Int64(range.count))
    }

    /// Records a source that is opened.
    func opens(_ cursor: any SourceCursor, of piece: Layout.Piece, at offset: Int64) {
        guard let cursor = cursor as? PartsCursor, self.plan.storage.parts[piece.part].parent < 0 else { return }
        self.log = PartLog(at: offset)
        cursor.log = self.log
    }

    /// Records the parts that a source has made meanwhile.
    func readParts() throws(FormworkError) {
        guard let log = self.log, !log.places.isEmpty else { return }
        for place in log.places {
            try self.framing.expect(
                place.part, place.header, from: place.start, contentFrom: place.contentStart)
        }
        log.places.removeAll(keepingCapacity: true)
    }

    /// Checks bytes before they are returned.
    func check(_ bytes: RawSpan, isEnd: Bool) throws(FormworkError) {
        try self.framing.take(bytes)
        if isEnd { try self.framing.finish() }
    }
}

/// The positions of the parts that a sequence's cursor makes.
final class PartLog {
    struct Position {
        var part: PartReference
        var header: PartHeader
        var start: Int64
        var contentStart: Int64
    }

    /// The sequence's offset in the body.
    private let start: Int64
    /// The bytes of the sequence before the current batch.
    var base: Int64 = 0
    var places: [Position] = []

    init(at start: Int64) { self.start = start }

    /// Adds a part that begins at these offsets of the current batch.
    func add(_ header: PartHeader, _ part: PartReference, _ start: Int, contentFrom contentStart: Int) {
        let base = self.start + self.base
        self.places.append(
            Position(part: part, header: header, start: base + Int64(start), contentStart: base + Int64(contentStart)))
    }
}
