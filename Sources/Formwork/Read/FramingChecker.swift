import FormworkCore

/// Tells a ``FramingCheck`` what a reader comes to, and lends it what the reader gives.
///
/// A class, so that a reader without one carries a reference and nothing else.
final class FramingChecker {
    private let plan: BodyPlan
    private var framing: FramingCheck
    /// The number of the last part of the body itself that was come to. Parts inside it have higher ones, and the end of
    /// the form inside it has its own.
    private var lastPart = -1
    private var log: PartLog?

    init(_ plan: BodyPlan) {
        self.plan = plan
        self.framing = FramingCheck(plan.storage.framing)
    }

    /// Takes note of a piece of framing, or of content that is kept with it, before its first byte.
    func comes(to piece: Layout.Piece, at offset: Int64) throws(FormworkError) {
        guard case .framing(let range) = piece.content else { return }
        guard piece.part >= 0 else { return self.framing.expectEnd(from: offset) }
        let planned = self.plan.storage.parts[piece.part]
        guard planned.parent < 0, piece.part > self.lastPart, let part = planned.part else { return }
        self.lastPart = piece.part
        try self.framing.expect(
            planned.reference, part.header, from: offset, contentFrom: offset + Int64(range.count))
    }

    /// Takes note of a source that is opened.
    func opens(_ cursor: any SourceCursor, of piece: Layout.Piece, at offset: Int64) {
        let chunks = (cursor as? ChunkCursor)?.iterator
        guard let maker = (cursor as? any PartLogging) ?? (chunks as? any PartLogging),
            self.plan.storage.parts[piece.part].parent < 0
        else { return }
        self.log = PartLog(at: offset)
        maker.log = self.log
    }

    /// Takes note of the parts that a source has made meanwhile.
    func readParts() throws(FormworkError) {
        guard let log = self.log, !log.places.isEmpty else { return }
        for place in log.places {
            try self.framing.expect(
                place.part, place.header, from: place.start, contentFrom: place.contentStart)
        }
        log.places.removeAll(keepingCapacity: true)
    }

    /// Checks bytes before they are given.
    func check(_ bytes: RawSpan, isEnd: Bool) throws(FormworkError) {
        try self.framing.take(bytes)
        if isEnd { try self.framing.finish() }
    }
}

/// Who makes parts while a body is read, and tells where they lie.
protocol PartLogging: AnyObject {
    /// Who is told; `nil` for nobody.
    var log: PartLog? { get set }
}

/// Where the parts lie that a sequence's cursor makes.
final class PartLog {
    struct Place {
        var part: PartReference
        var header: PartHeader
        var start: Int64
        var contentStart: Int64
    }

    /// Where the sequence begins in the body.
    private let start: Int64
    /// Bytes of the sequence before those that are gathered now.
    var base: Int64 = 0
    var places: [Place] = []

    init(at start: Int64) { self.start = start }

    /// Adds a part that begins at these places of what is gathered now.
    func add(_ header: PartHeader, _ part: PartReference, _ start: Int, contentFrom contentStart: Int) {
        let base = self.start + self.base
        self.places.append(
            Place(part: part, header: header, start: base + Int64(start), contentStart: base + Int64(contentStart)))
    }
}
