import FormworkCore
import SystemPackage

/// A form that has arrived completely, with fields in memory and large files in one unnamed file on disk.
///
/// ```swift
/// let form = try await ReceivedForm(collecting: ReceivedParts(body, contentType: contentType))
/// print(form["title"] ?? "untitled", form.files(named: "photo").count)
/// let profile = try FormDataDecoder().decode(Profile.self, from: form)
/// ```
///
/// ``CollectingLimits`` decides how much stays in memory: fields always do, files up to a size. The unnamed file needs
/// one descriptor for any number of files, and other processes can't access it. It is removed with the last copy of the
/// form, of a content, or of a source made from one. If collecting fails, no file is left.
///
/// It is an immutable value that threads may share. Finding a name takes time linear in the number of parts.
public struct ReceivedForm: Sendable {
    /// A part with all of its content.
    public struct Entry: Sendable {
        /// The part's header section.
        public let header: ReceivedHeader
        /// The part's content.
        public let content: CollectedContent

        /// The field's name; `nil` if there is none, which ``ParsingProfile/generic`` allows.
        public var name: String? { self.header.name }
        /// The file's name as the sender wrote it; `nil` for a field. Don't trust it, see
        /// ``ReceivedHeader/safeFilename``.
        public var filename: String? { self.header.filename }
        /// Whether the part is a file.
        public var isFile: Bool { self.header.isFile }
        /// Whether the part is an empty file control: a file without name and content, which browsers send if no file
        /// is chosen.
        public var isEmptyFileControl: Bool {
            self.isFile && self.content.count == 0 && self.filename?.isEmpty ?? true
        }
        /// The content's type as the sender wrote it. `nil`, for none, means `text/plain`.
        public var contentType: String? { self.header.contentType }
        /// The charset that the part declares, or the form with a field `_charset_`, in lower case. `nil`, for none,
        /// means UTF-8.
        public let charset: String?

        init(header: ReceivedHeader, content: CollectedContent, charset: String?) {
            (self.header, self.content) = (header, content)
            self.charset = header.contentType == nil ? charset : header.charset ?? charset
        }

        /// Writes the content to a new file in a folder, see ``FormFile/write(into:durably:)``.
        /// - Returns: The file's path.
        @discardableResult
        public func write(into folder: some PathConvertible, durably: Bool = false) async throws -> FilePath {
            try await self.content.source.write(
                into: folder, as: SafeFilename(self.filename, orField: self.name), durably: durably)
        }

        /// A field's content as text in its charset; `nil` for a file. If it isn't valid, or ``TextDecoding/standard``
        /// doesn't include the charset, it is decoded as UTF-8 and repaired.
        public var text: String? {
            self.isFile ? nil : self.content.inMemory.map { TextDecoding.standard.repaired($0, self.charset) }
        }

        /// A field's content as text.
        /// - Parameter decoding: The accepted charsets.
        /// - Throws: ``FormworkError/Code/malformedBody`` for another charset, and for bytes that are invalid in their
        ///   charset; ``FormworkError/Code/invalidArgument`` for a file.
        public func text(in decoding: TextDecoding) throws(FormworkError) -> String {
            guard !self.isFile, let bytes = self.content.inMemory else {
                throw FormworkError(.invalidArgument, "This part is a file, not a text field")
            }
            return try decoding.text(bytes, self.charset)
        }
    }

    /// The parts in the order of the body. Several may have the same name. The form itself is a collection of them.
    public let entries: [Entry]

    /// Collects all parts of a body.
    /// - Throws: What iterating throws, ``FormworkError/Code/limitExceeded`` for fields that need more memory than
    ///   `limits` allows, and ``FormworkError/Code/writeFailed`` if a file can't be stored on disk.
    @inlinable
    public init<Chunks>(
        collecting parts: ReceivedParts<Chunks>, limits: CollectingLimits = CollectingLimits()
    ) async throws {
        var collector = FormCollector(limits)
        for try await part in parts { try await collector.take(part) }
        self.init(try await collector.entries())
    }

    @usableFromInline
    init(_ parts: [(header: ReceivedHeader, content: CollectedContent)]) {
        let declared = parts.first { !$0.header.isFile && $0.header.name == "_charset_" }?.content.inMemory
        let charset = declared.flatMap { String(decoding: $0, as: UTF8.self).trimmedLabel }
        self.entries = parts.map { Entry(header: $0.header, content: $0.content, charset: charset) }
    }

    /// A form of fields without header sections, such as url-encoded ones.
    package init(fields: some Sequence<(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)>) {
        self.init(
            fields.map {
                (ReceivedHeader(fieldNamed: $0.name), CollectedContent(Array($0.value)))
            })
    }

    /// The text of the first field of that name; `nil` if there is none.
    public subscript(name: String) -> String? { self.entries(named: name).lazy.compactMap(\.text).first }

    /// All parts of that name, compared byte for byte, in their order.
    public func entries(named name: String) -> [Entry] {
        self.entries.filter { $0.name.map { $0.utf8.elementsEqual(name.utf8) } ?? false }
    }

    /// The texts of all fields of that name, in their order.
    public func texts(named name: String) -> [String] { self.entries(named: name).compactMap(\.text) }

    /// All files of that name, in their order. An empty file control is a file without filename and content.
    public func files(named name: String) -> [Entry] { self.entries(named: name).filter(\.isFile) }
}

/// The parts, in the order of the body.
extension ReceivedForm: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of parts.
    public var endIndex: Int { self.entries.count }
    /// The part with this number, from 0.
    public subscript(index: Int) -> Entry { self.entries[index] }
}

/// Collects a form's parts. An unfinished collection leaves no file.
@usableFromInline
struct FormCollector {
    private struct Collected {
        var header: ReceivedHeader
        var bytes: [UInt8]
        /// The content's range on disk; `nil` for content in memory.
        var range: Range<Int64>?
    }

    @usableFromInline let limits: CollectingLimits
    @usableFromInline var memory: Int
    private var collected: [Collected] = []
    private var writer: FileWriter?

    @usableFromInline
    init(_ limits: CollectingLimits) {
        self.limits = limits
        self.memory = limits.memoryBytes
    }

    @inlinable
    mutating func take<Chunks>(_ part: ReceivedPart<Chunks>) async throws {
        let overhead = part.header.bytes.count + CollectingLimits.partOverhead
        guard overhead <= self.memory else { throw self.crossed(part) }
        self.memory -= overhead
        if part.isFile {
            try await self.takeFile(part)
        } else {
            // If the parser's limit is lower, its error is thrown.
            let left = CollectingLimit.form(left: self.memory, of: self.limits.memoryBytes)
            let bytes = try await part.reader.collect(upTo: left, of: part.index)
            self.memory -= bytes.count
            self.append(part.header, bytes)
        }
    }

    @usableFromInline
    func crossed<Chunks>(_ part: ReceivedPart<Chunks>) -> FormworkError {
        CollectingLimit.form(left: self.memory, of: self.limits.memoryBytes).formError
            .naming(PartReference(index: part.index, name: part.name))
    }

    @usableFromInline
    mutating func append(_ header: ReceivedHeader, _ bytes: [UInt8]) {
        self.collected.append(Collected(header: header, bytes: bytes))
    }

    @usableFromInline
    mutating func takeFile<Chunks>(_ part: ReceivedPart<Chunks>) async throws {
        let room = min(self.limits.fileMemoryBytes, self.memory)
        var bytes: [UInt8] = []
        var start: Int64?
        for try await piece in part.content {
            if start == nil, bytes.count + piece.byteCount <= room {
                bytes.append(all: piece)
                continue
            }
            let writer = try await self.openWriter()
            if start == nil {
                start = await writer.count
                if !bytes.isEmpty { try await writer.write(bytes) }
                bytes = []
            }
            try await writer.write(piece)
        }
        self.memory -= bytes.count
        var file = Collected(header: part.header, bytes: bytes)
        if let start, let writer = self.writer { file.range = start..<(await writer.count) }
        self.collected.append(file)
    }

    private mutating func openWriter() async throws -> FileWriter {
        if let writer = self.writer { return writer }
        let writer = FileWriter()
        try await writer.openTemporary(in: self.limits.folder)
        self.writer = writer
        return writer
    }

    @usableFromInline
    func entries() async throws -> [(header: ReceivedHeader, content: CollectedContent)] {
        let spool: BodySpool? =
            if let writer = self.writer { BodySpool(try await writer.closeTemporary()) } else { nil }
        return self.collected.map { part in
            guard let spool, let range = part.range else {
                return (part.header, CollectedContent(part.bytes))
            }
            return (part.header, CollectedContent(spool, range))
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(all chunk: some BodyChunk) {
        chunk.withBytes { self.append($0, 0..<$0.byteCount) }
    }
}

extension ReceivedForm: Sequence {
    /// Iterates over ``entries``.
    public func makeIterator() -> IndexingIterator<[Entry]> { self.entries.makeIterator() }
}
