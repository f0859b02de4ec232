import FormworkCore
import SystemPackage

/// A plan in words that any `Codable` format can carry: a later process makes the same bytes from the same files.
///
/// Content in memory is part of it; files are named with the fingerprint they had. Making a plan of it again throws
/// ``FormworkError/Code/sourceChanged`` where a file is not what it was.
///
/// It is checked when it is read as if a stranger had written it: it can't add a line to a header section, hide the
/// boundary or lead past a file's end. It does name the files that are sent, so don't let a stranger choose them.
public struct PlanDescription: Codable, Sendable, Hashable {
    /// How the parts are framed, boundary included.
    public var framing: MultipartFraming
    /// The parts in order.
    public var parts: [Part]

    init(framing: MultipartFraming, parts: [Part]) {
        self.framing = framing
        self.parts = parts
    }

    /// One part.
    public struct Part: Codable, Sendable, Hashable {
        /// Its header section.
        public var header: PartHeader
        /// Its type, and why it is that.
        public var type: MediaTypeChoice
        /// What its content is made of, in order.
        public var content: [Content]
    }

    /// A stretch of content.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Content: Codable, Sendable, Hashable {
        /// Text as it is.
        case text(value: String)
        /// Bytes, written in base64.
        case bytes(base64: Base64Bytes)
        /// A stretch of a file in the state `fingerprint`; the path is as the caller gave it.
        case file(path: String, offset: Int64, length: Int64, fingerprint: FileFingerprint)
        /// Bytes made by rule.
        case synthetic(bytes: SyntheticBytes)
        /// Parts in their own framing.
        indirect case multipart(framing: MultipartFraming, parts: [Part])
    }

    /// Bytes that are written as base64 text (RFC 4648 §4).
    public struct Base64Bytes: Codable, Sendable, Hashable {
        /// The bytes themselves.
        public var bytes: [UInt8]

        /// Wraps bytes.
        public init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// Reads base64 text.
        public init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let bytes = Base64.decode(text) else {
                throw FormworkError(.invalidArgument, "The description holds bytes that are not base64.")
            }
            self.bytes = bytes
        }

        /// Writes base64 text.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(Base64.encode(self.bytes))
        }
    }

    /// Reads a description.
    /// - Throws: ``FormworkError`` with the part: `invalidArgument` for what ``BodyPlan/describe()`` doesn't write,
    ///   `limitExceeded` for parts in more than 40 others.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.framing = try container.decode(MultipartFraming.self, forKey: .framing)
        self.parts = try container.decode([Part].self, forKey: .parts)
        try self.check()
    }

    /// Checks what a plan leaves to its caller, or couldn't see.
    fileprivate func check() throws(FormworkError) {
        try Self.check(self.framing, self.parts, enclosing: [])
    }

    private static func check(
        _ framing: MultipartFraming, _ parts: [Part], enclosing: [Int]
    ) throws(FormworkError) {
        guard enclosing.count <= FormPlace.depthLimit else {
            throw FormworkError(
                .limitExceeded, "the multipart is in more than \(FormPlace.depthLimit) others: nest less deep")
        }
        try framing.checkBoundary(in: framing.contentType)
        try framing.checkParameters()
        for (index, part) in parts.enumerated() {
            do throws(FormworkError) {
                try part.check(framing.escaping)
                for case .multipart(let framing, let parts) in part.content {
                    try framing.checkBoundary(in: part.header.typeAsSent)
                    try self.check(framing, parts, enclosing: enclosing + [index])
                }
            } catch {
                throw error.naming(PartReference(index: index, name: part.header.name, enclosing: enclosing))
            }
        }
    }

    /// The form this describes; its files must be in the state described when it is planned.
    public var form: FormData {
        FormData(describing: self.parts, framing: self.framing)
    }
}

extension PartHeader {
    /// The part's type as it goes out; empty for none.
    fileprivate var typeAsSent: String {
        self.contentType ?? self.fields.filter { $0.isNamed("Content-Type") }.map(\.value).joined(separator: ", ")
    }
}

extension PlanDescription.Part {
    fileprivate func check(_ escaping: ParameterEscaping) throws(FormworkError) {
        let forbidden: [UInt8] =
            switch escaping {
            case .raw: [0x00, 0x0A, 0x0D, 0x22]
            case .backslashUnchecked: [0x0A, 0x0D]
            case .whatwg, .backslash, .refuse: []
            }
        for text in [self.header.name, self.header.filename].compactMap(\.self)
        where text.utf8.contains(where: forbidden.contains) {
            throw FormworkError(
                .invalidArgument,
                "the name \"\(text)\" breaks the header where the rule \"\(escaping.rawValue)\" sends it as it is, which "
                    + "no description may have")
        }
        guard self.type.mediaType == self.header.contentType else {
            throw FormworkError(
                .invalidArgument,
                "the description shows the type \(self.type.mediaType ?? "none") and sends "
                    + (self.header.contentType ?? "none"))
        }
        for case .file(let path, _, _, _) in self.content where path.isEmpty || path.utf8.contains(0) {
            throw FormworkError(.invalidArgument, "\"\(path)\" is not a path")
        }
    }
}

extension FormData {
    fileprivate init(describing parts: [PlanDescription.Part], framing: MultipartFraming) {
        self.init(framing: framing)
        for described in parts {
            let sources = described.content.map(\.source)
            var part = BodyPart(
                header: described.header, source: sources.count == 1 ? sources[0] : .concatenation(sources))
            part.typing = .decided(described.type)
            self.append(part)
        }
    }
}

extension PlanDescription.Content {
    fileprivate var source: BodySource {
        switch self {
        case .multipart(let framing, let parts): .multipart(FormData(describing: parts, framing: framing))
        case .text(let text): .text(text)
        case .bytes(let content): .bytes(content.bytes)
        case .file(let path, let offset, let length, let fingerprint):
            BodySource(
                .file(
                    FilePath(path), range: BodySource.FileRange(offset: offset, length: length),
                    expecting: .fingerprint(fingerprint)))
        case .synthetic(let bytes): .synthetic(bytes)
        }
    }
}

extension BodyPlan {
    /// Describes the plan for a later process. Reads the first and last 64 KiB of each file.
    /// - Throws: ``FormworkError/Code/notReplayable`` for a part whose content another process can't have: a stream, a
    ///   descriptor, or parts made by a closure; ``FormworkError/Code/invalidArgument`` for names that break their header
    ///   where the rule is ``ParameterEscaping/raw``; `sourceChanged` and `sourceUnavailable` for a file that changed since
    ///   the body was planned, or can't be read.
    public func describe() throws(FormworkError) -> PlanDescription {
        var contents = [[PlanDescription.Content]](repeating: [], count: self.storage.parts.count)
        for piece in self.layoutPieces where piece.part >= 0 {
            contents[piece.part] += try self.content(of: piece)
        }
        let description = PlanDescription(
            framing: self.storage.framing, parts: try self.parts(in: -1, contents, self.partNumbers))
        try description.check()
        return description
    }

    /// Describes the parts that lie in the part of a number, -1 for the body.
    private func parts(
        in parent: Int, _ contents: [[PlanDescription.Content]], _ numbers: [[Int]]
    ) throws(FormworkError) -> [PlanDescription.Part] {
        var parts: [PlanDescription.Part] = []
        for number in numbers[parent + 1] {
            let planned = self.storage.parts[number]
            guard let part = planned.part else {
                throw .undescribable("a sequence of parts made by code", planned.reference)
            }
            guard !part.header.fields.contains(where: { $0.verbatimLine != nil }) else {
                throw .undescribable("a header line as curl sends it, unchecked,", planned.reference)
            }
            var content = contents[number]
            if case .multipart(let form) = part.content.kind {
                content = [.multipart(framing: form.framing, parts: try self.parts(in: number, contents, numbers))]
            }
            parts.append(PlanDescription.Part(header: part.header, type: part.typeChoice, content: content))
        }
        return parts
    }

    private func content(of piece: Layout.Piece) throws(FormworkError) -> [PlanDescription.Content] {
        switch piece.content {
        case .framing: return []
        case .value(let range): return [.init(self.storage.layout.bytes[range])]
        case .source(let number):
            let reference = self.storage.parts[piece.part].reference
            if case .encoded(let content) = self.storage.sources[number] {
                guard !(self.storage.parts[piece.part].part?.goesOutAsItIs ?? true) else {
                    throw .undescribable("an encoded part of a form in a concatenation", reference)
                }
                // The header says how it is encoded: what is described is the content before that.
                do throws(FormworkError) {
                    var parts: [PlanDescription.Content] = []
                    for piece in content.raw.layoutPieces { parts += try content.raw.content(of: piece) }
                    return parts
                } catch {
                    throw error.withoutPlace.naming(reference)
                }
            }
            return [try .init(self.storage.sources[number], in: reference)]
        }
    }
}

extension PlanDescription.Content {
    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        self = String(validating: bytes, as: UTF8.self).map(Self.text(value:)) ?? .bytes(base64: .init(Array(bytes)))
    }

    fileprivate init(_ source: PlannedSource, in part: PartReference) throws(FormworkError) {
        switch source {
        case .bytes(let bytes): self.init(bytes[...])
        case .synthetic(let bytes): self = .synthetic(bytes: bytes)
        case .file(let file):
            guard case .path(let path) = file.origin else { throw .undescribable("an open descriptor", part) }
            let fingerprint: FileFingerprint
            do throws(FormworkError) {
                fingerprint = try FileFingerprint(of: path, in: file.status.validator)
            } catch {
                throw error.naming(part)
            }
            self = .file(path: path.string, offset: file.offset, length: file.length, fingerprint: fingerprint)
        case .stream(let stream): throw .undescribable(stream.label, part)
        case .parts(let parts) where parts.deferral != nil: throw .undescribable(parts.deferral!.label, part)
        case .parts: throw .undescribable("a sequence of parts made by code", part)
        case .encoded: preconditionFailure("taken apart before")
        }
    }
}

extension FormworkError {
    fileprivate static func undescribable(_ what: String, _ part: PartReference) -> FormworkError {
        FormworkError(
            .notReplayable, "\(what) can't be described for another process: use a file, or bytes in memory",
            part: part)
    }
}
