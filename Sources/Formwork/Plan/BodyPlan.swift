import FormworkCore
import SystemPackage

/// A body that is decided, byte for byte, and not yet read: boundary, order, lengths, and which file in which state.
///
/// Immutable, and cheap to copy. The same plan yields the same bytes in any number of readers, at any offset, as long
/// as ``isReplayable`` holds and its files stay what they are.
public struct BodyPlan: Sendable {
    /// A part, or a sequence of parts, by its number: first to last, those inside a part behind it.
    struct Part: Sendable {
        /// Names the part, or the sequence's first.
        var reference: PartReference
        /// The part as it goes out; `nil` for a sequence.
        var part: BodyPart?
        /// The number of the part it lies in; -1 for the body itself.
        var parent: Int
        /// Bytes of content; `nil` when unknown.
        var length: Int64?
    }

    final class Storage: Sendable {
        let framing: MultipartFraming
        let contentType: String
        let layout: Layout
        let sources: [PlannedSource]
        let parts: [Part]
        let lengthBlocker: Blocker?
        let replayBlocker: Blocker?
        /// Whether the pieces are a form's, and not what one was collected in.
        let isForm: Bool

        init(_ framing: MultipartFraming, _ builder: PlanBuilder) throws(FormworkError) {
            self.framing = framing
            self.contentType = try framing.contentType
            self.layout = builder.layout
            self.sources = builder.sources
            self.parts = builder.parts
            self.lengthBlocker = builder.lengthBlocker
            self.replayBlocker = builder.replayBlocker
            self.isForm = builder.isForm
        }
    }

    let storage: Storage

    /// Whether a reader may have to wait for somebody else than the disk.
    var mayWait: Bool {
        self.storage.sources.contains { source in
            switch source {
            case .stream: true
            case .encoded(let content): content.raw.mayWait
            default: false
            }
        }
    }

    /// Whether every reader finds all it gives on the disk or in memory.
    package var waitsForNobody: Bool { self.storage.sources.allSatisfy(\.waitsForNobody) }

    /// The numbers of the parts in each part, in order, at the part's own number plus one; at 0 those of the body itself.
    var partNumbers: [[Int]] {
        var numbers = [[Int]](repeating: [], count: self.storage.parts.count + 1)
        for (number, part) in self.storage.parts.enumerated() { numbers[part.parent + 1].append(number) }
        return numbers
    }

    var layoutPieces: [Layout.Piece] { self.storage.layout.pieces }

    /// The request's `Content-Type`, boundary included.
    public var contentType: String { self.storage.contentType }

    /// The request's `Content-Length` in bytes; `nil` when it can't be known, for which see ``lengthBlocker``.
    public var contentLength: Int64? { self.storage.layout.length }

    /// The first part whose length only its end can tell; `nil` when ``contentLength`` is known.
    public var lengthBlocker: Blocker? { self.storage.lengthBlocker }

    /// Whether every reader gets the bytes that the first got: on a retry, a redirect, or at an offset.
    public var isReplayable: Bool { self.storage.replayBlocker == nil }

    /// The first part that can be read only once; `nil` when ``isReplayable``.
    public var replayBlocker: Blocker? { self.storage.replayBlocker }

    /// One source's bytes and nothing else, to move them by the ways that bodies have.
    package init(copying source: BodySource) throws(FormworkError) {
        try self.init(copying: source, resolver: SourceResolver())
    }

    /// What this body's bytes are once they are collected: another source, behind the same `Content-Type`.
    package func collected(as source: BodySource) throws(FormworkError) -> BodyPlan {
        var builder = PlanBuilder()
        try builder.build(content: source)
        return BodyPlan(storage: try Storage(self.storage.framing, builder))
    }

    private init(storage: Storage) { self.storage = storage }

    init(copying source: BodySource, resolver: SourceResolver) throws(FormworkError) {
        var builder = PlanBuilder(resolver: resolver)
        try builder.build(content: source)
        self.storage = try Storage(Self.unused, builder)
    }

    private static let unused = MultipartFraming()

    init(_ form: FormData) throws(FormworkError) {
        var builder = PlanBuilder()
        try builder.build(form)
        self.storage = try Storage(form.framing, builder)
    }

    /// A reader at `offset`, 0 unless said otherwise. Opens nothing yet. Any number may live at once.
    /// - Parameters:
    ///   - offset: Bytes of the body to leave out, unread.
    ///   - count: Bytes to give at most; `nil` gives all up to the end.
    ///   - options: What the reader does besides reading.
    /// - Throws: What ``BodyReader/seek(to:)`` throws, and ``FormworkError/Code/invalidArgument`` for a negative count.
    public func makeReader(
        from offset: Int64 = 0, count: Int64? = nil, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> BodyReader {
        let reader = BodyReader(self, options: options)
        if offset != 0 { try reader.seek(to: offset) }
        if let count { try reader.limit(to: count) }
        return reader
    }

    /// A reader of the whole body.
    public func makeReader() -> BodyReader { BodyReader(self, options: ReaderOptions()) }
}
