import FormworkCore
import SystemPackage

/// A body that is decided, byte for byte, and not yet read: boundary, order, lengths, and which file in which state.
///
/// Immutable, and cheap to copy. The same plan yields the same bytes in any number of readers, at any offset, as long
/// as ``isReplayable`` holds and its files stay what they are.
public struct BodyPlan: Sendable {
    /// One entry of the form, by its number: a part, or a sequence of parts.
    struct Part: Sendable {
        /// The index of the part, or of the sequence's first, in the body.
        var index: Int
        /// Bytes of content; `nil` when unknown.
        var length: Int64?
    }

    final class Storage: Sendable {
        let form: FormData
        let layout: Layout
        let sources: [PlannedSource]
        let parts: [Part]
        let lengthBlocker: Blocker?
        let replayBlocker: Blocker?

        init(_ builder: PlanBuilder) {
            self.form = builder.form
            self.layout = builder.layout
            self.sources = builder.sources
            self.parts = builder.parts
            self.lengthBlocker = builder.lengthBlocker
            self.replayBlocker = builder.replayBlocker
        }
    }

    let storage: Storage

    /// The part that an entry of the form is; `nil` for a sequence of parts.
    func part(_ number: Int) -> BodyPart? {
        guard case .part(let part) = self.storage.form.entries[number] else { return nil }
        return part
    }

    /// Names an entry of the form in errors and progress.
    func reference(_ number: Int) -> PartReference {
        PartReference(index: self.storage.parts[number].index, name: self.part(number)?.header.name)
    }

    var layoutPieces: [Layout.Piece] { self.storage.layout.pieces }

    /// The request's `Content-Type`, boundary included.
    public var contentType: String { self.storage.form.framing.contentType }

    /// The request's `Content-Length` in bytes; `nil` when it can't be known, for which see ``lengthBlocker``.
    public var contentLength: Int64? { self.storage.layout.length }

    /// The first part whose length only its end can tell; `nil` when ``contentLength`` is known.
    public var lengthBlocker: Blocker? { self.storage.lengthBlocker }

    /// Whether every reader gets the bytes that the first got: on a retry, a redirect, or at an offset.
    public var isReplayable: Bool { self.storage.replayBlocker == nil }

    /// The first part that can be read only once; `nil` when ``isReplayable``.
    public var replayBlocker: Blocker? { self.storage.replayBlocker }

    init(_ builder: PlanBuilder) { self.storage = Storage(builder) }

    /// One source's bytes and nothing else, to move them by the ways that bodies have.
    package init(copying source: BodySource) throws(FormworkError) {
        var form = FormData()
        form.append(BodyPart(header: PartHeader(name: nil), source: source))
        var builder = PlanBuilder(form)
        try builder.buildContent()
        self.init(builder)
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

extension FormData {
    /// Decides the body: looks at every file, checks every name, and adds up the lengths. Reads no content.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument` for what can't be framed, `sourceUnavailable` for a
    ///   file that isn't there or a directory, `sourceChanged` for a file that isn't the one described.
    public func plan() throws(FormworkError) -> BodyPlan {
        var builder = PlanBuilder(self)
        try builder.build()
        return BodyPlan(builder)
    }
}
