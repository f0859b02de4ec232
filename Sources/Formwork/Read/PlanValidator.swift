/// Passes a reader's parts and bytes to a ``FramingValidator``.
///
/// A class, so that a reader without one holds only a reference.
final class PlanValidator {
    private let plan: BodyPlan
    private var framing: FramingValidator
    /// The number of the last part of the body itself that the reader reached. Parts inside it have higher numbers, and
    /// the end of the form inside it has the same one.
    private var lastPart = -1
    /// Where the open sequence of parts begins in the body.
    private var start: Int64 = 0
    /// The bytes of that sequence before its current batch.
    var base: Int64 = 0

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
        (self.start, self.base) = (offset, 0)
        cursor.validator = self
    }

    /// Records a part of the open sequence, which begins at these offsets of its current batch.
    func comes(
        to part: PartReference, _ header: PartHeader, at start: Int, contentFrom contentStart: Int
    ) throws(FormworkError) {
        let base = self.start + self.base
        try self.framing.expect(part, header, from: base + Int64(start), contentFrom: base + Int64(contentStart))
    }

    /// Checks bytes before they are returned.
    func check(_ bytes: RawSpan, isEnd: Bool) throws(FormworkError) {
        try self.framing.take(bytes)
        if isEnd { try self.framing.finish() }
    }
}
