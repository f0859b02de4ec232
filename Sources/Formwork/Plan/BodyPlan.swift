/// A body whose every byte is decided, but not yet read: boundary, order, lengths, and each file's state.
///
/// ```swift
/// let plan = try await form.plan()
/// print(plan.contentType, plan.contentLength ?? 0)
/// let whole = try plan.makeReader().collect(upTo: 1 << 20)
/// let rest = try plan.makeReader(from: 100).collect(upTo: 1 << 20)
/// print(rest == Array(whole.dropFirst(100)))  // true
/// ```
///
/// A plan is immutable and cheap to copy, and can be used by several threads. It gives the same bytes to any number of
/// readers, at any offset, as long as it ``isReplayable`` and its files don't change. A reader that finds a changed
/// file throws ``FormworkError/Code/sourceChanged`` instead of mixing two states. The documentation of that code lists the
/// few changes that can't be detected.
///
/// Memory grows with the number of parts, not with their files: the plan keeps the header sections, content in memory,
/// and a few words for each file. It keeps no file open. The parts of a ``PartSequence`` aren't kept.
public struct BodyPlan: Sendable {
    /// A part, or a sequence of parts. They are numbered in order, the parts inside a part directly after it.
    struct Part: Sendable {
        /// Names the part, or the sequence's first.
        var reference: PartReference
        /// The part as it is sent; `nil` for a sequence.
        var part: BodyPart?
        /// The number of the part that contains it; -1 for the body itself.
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
        let lengthBlocker: FormworkError?
        let replayBlocker: FormworkError?
        /// Whether the pieces are a form's, not one source with a collected form.
        let isForm: Bool

        /// - Parameter contentType: The type, instead of the framing's.
        init(
            _ framing: MultipartFraming, _ builder: PlanBuilder, contentType: String? = nil
        ) throws(FormworkError) {
            self.framing = framing
            self.contentType = if let contentType { contentType } else { try framing.contentType }
            self.layout = builder.layout
            self.sources = builder.sources
            self.parts = builder.parts
            self.lengthBlocker = builder.lengthBlocker
            self.replayBlocker = builder.replayBlocker
            self.isForm = builder.isForm
        }
    }

    let storage: Storage

    /// Whether a reader may have to wait for anything but the disk.
    var mayWait: Bool {
        self.storage.sources.contains { source in
            switch source {
            case .stream: true
            case .encoded(let content): content.raw.mayWait
            case .parts(let parts): parts.sequence.arrivals != nil
            default: false
            }
        }
    }

    /// Whether a reader may block its thread. It doesn't for bytes in memory, and suspends its task for async sequences.
    var mayBlock: Bool { self.storage.sources.contains(where: \.mayBlock) }

    /// Whether all content is on the disk or in memory.
    package var isReadableWithoutWaiting: Bool { self.storage.sources.allSatisfy(\.isReadableWithoutWaiting) }

    /// For each part, at its number plus one, the numbers of the parts in it. Index 0 has those of the body itself.
    var partNumbers: [[Int]] {
        var numbers = [[Int]](repeating: [], count: self.storage.parts.count + 1)
        for (number, part) in self.storage.parts.enumerated() { numbers[part.parent + 1].append(number) }
        return numbers
    }

    var layoutPieces: [Layout.Piece] { self.storage.layout.pieces }

    /// The request's `Content-Type`, including the boundary.
    public var contentType: String { self.storage.contentType }

    /// The request's `Content-Length` in bytes; `nil` if it is unknown, see ``lengthBlocker``.
    public var contentLength: Int64? { self.storage.layout.length }

    /// The first part of unknown length, and the reason, in ``FormworkError/message``; `nil` if ``contentLength`` is known.
    public var lengthBlocker: FormworkError? { self.storage.lengthBlocker }

    /// Whether every reader gets the same bytes: on a retry, a redirect, or at an offset.
    public var isReplayable: Bool { self.storage.replayBlocker == nil }

    /// The first part that can be read only once, and the reason; `nil` if ``isReplayable``.
    public var replayBlocker: FormworkError? { self.storage.replayBlocker }

    /// Only one source's bytes, to read and write them as a body.
    package init(copying source: BodySource) throws(FormworkError) {
        try self.init(copying: source, resolver: SourceResolver())
    }

    /// A body that isn't a form: one source's content, such as a file that a `PUT` sends.
    package init(content source: BodySource, contentType: String) throws(FormworkError) {
        var builder = PlanBuilder()
        try builder.build(content: source)
        self.storage = try Storage(Self.unused, builder, contentType: contentType)
    }

    /// Whether the body is a form. Otherwise it is one source's content.
    package var isForm: Bool { self.storage.isForm }

    /// This body after its bytes were collected in another source, with the same `Content-Type`.
    func collected(as source: BodySource) throws(FormworkError) -> BodyPlan {
        var builder = PlanBuilder()
        try builder.build(content: source)
        return BodyPlan(storage: try Storage(self.storage.framing, builder, contentType: self.contentType))
    }

    private init(storage: Storage) { self.storage = storage }

    init(copying source: BodySource, resolver: SourceResolver) throws(FormworkError) {
        var builder = PlanBuilder(resolver: resolver)
        try builder.build(content: source)
        self.storage = try Storage(Self.unused, builder, contentType: Self.unusedType)
    }

    private static let unused = MultipartFraming()
    private static let unusedType = "multipart/form-data; boundary=\(unused.boundary.parameterValue)"

    init(_ form: FormData) throws(FormworkError) {
        var builder = PlanBuilder()
        try builder.build(form)
        self.storage = try Storage(form.framing, builder)
    }

    /// Makes a reader at `offset`. It opens nothing yet. Any number of readers may exist at once.
    /// - Parameters:
    ///   - offset: The first byte to read. Bytes before it are not read.
    ///   - count: The most bytes to read; `nil` reads up to the end.
    ///   - options: Additional work of the reader, such as digests and progress.
    /// - Throws: What ``BodyReader/seek(to:)`` throws, and ``FormworkError/Code/invalidArgument`` for a negative count.
    public func makeReader(
        from offset: Int64 = 0, count: Int64? = nil, options: ReaderOptions = ReaderOptions()
    ) throws(FormworkError) -> BodyReader {
        let reader = BodyReader(self, options: options)
        if offset != 0 { try reader.seek(to: offset) }
        if let count { try reader.limit(to: count) }
        return reader
    }

    /// Makes a reader of the whole body.
    public func makeReader() -> BodyReader { BodyReader(self, options: ReaderOptions()) }
}

extension BodyPlan {
    /// The form's own parts as planned, with their types; `nil` if some are made or arrive while the body is read.
    package var outerParts: [(part: BodyPart, reference: PartReference)]? {
        var parts: [(BodyPart, PartReference)] = []
        for planned in self.storage.parts where planned.parent < 0 {
            guard let part = planned.part else { return nil }
            parts.append((part, planned.reference))
        }
        return parts
    }
}
