import FormworkCore

/// One piece of a body, told without reading it.
public struct LayoutEntry: Sendable {
    /// What the piece is.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Sendable, Hashable {
        /// A delimiter with a header section, or the close delimiter.
        case framing
        /// Content in memory.
        case memory
        /// Content of a file from an offset on; `path` is `nil` for a caller's descriptor.
        case file(path: String?, offset: Int64)
        /// Content made by rule.
        case synthetic(SyntheticBytes.Pattern)
        /// Content of a stream, and what it is.
        case stream(String)
        /// So many parts, framing included, that are made when their turn comes.
        case parts(count: Int)
    }

    /// Where the piece begins; `nil` behind a piece of unknown length.
    public var offset: Int64?
    /// Bytes in it; `nil` when only its end can tell.
    public var length: Int64?
    /// The part it belongs to; `nil` for the close delimiter.
    public var part: PartReference?
    /// The part's `Content-Type`, and why it is that; `nil` for the close delimiter.
    public var contentType: MediaTypeChoice?
    /// How the part's content is encoded; `nil` when it goes out as it is.
    public var transferEncoding: TransferEncoding?
    /// The filename that the receiver is told; `nil` for plain fields.
    public var filename: String?
    /// What the piece is.
    public var kind: Kind
}

extension BodyPlan {
    /// Every piece in order. Costs time by the number of pieces, and reads nothing.
    public var layout: [LayoutEntry] {
        self.layoutPieces.enumerated().map { index, piece in
            let planned = piece.part >= 0 ? self.storage.parts[piece.part] : nil
            return LayoutEntry(
                offset: index < self.storage.layout.knownCount ? piece.start : nil, length: piece.length,
                part: planned?.reference, contentType: planned?.part?.typeChoice,
                transferEncoding: planned?.part?.header.transferEncoding,
                filename: planned?.part?.header.filename, kind: self.kind(of: piece.content))
        }
    }

    private func kind(of content: Layout.Content) -> LayoutEntry.Kind {
        switch content {
        case .framing: return .framing
        case .value: return .memory
        case .source(let number):
            return self.storage.sources[number].layoutKind
        }
    }
}

extension PlannedSource {
    fileprivate var layoutKind: LayoutEntry.Kind {
        switch self {
        case .bytes: return .memory
        case .file(let file): return .file(path: file.path, offset: file.offset)
        case .synthetic(let bytes): return .synthetic(bytes.pattern)
        case .stream(let stream): return .stream(stream.path ?? stream.label)
        case .parts(let parts) where parts.deferral != nil:
            return .stream(parts.deferral!.path ?? parts.deferral!.label)
        case .parts(let parts): return .parts(count: parts.count)
        case .encoded(let content):
            // All of it goes through one encoder; what it begins with names it well enough.
            return content.raw.storage.sources.first?.layoutKind ?? .memory
        }
    }
}
