import FormworkCore
import SystemPackage

/// A part that is arriving: what names it, and the way to its content.
///
/// Its content is to be had until the next part is asked for; later uses throw
/// ``FormworkError/Code/invalidArgument``, and so does reading it in two tasks at once.
public struct ReceivedPart<Chunks: AsyncSequence & Sendable>: Sendable where Chunks.Element: BodyChunk {
    @usableFromInline let reader: PartsReader<Chunks>
    /// The part's header section.
    public let header: ReceivedHeader
    /// The part's place in the body, from 0.
    public let index: Int

    @inlinable
    init(reader: PartsReader<Chunks>, header: ReceivedHeader, index: Int) {
        (self.reader, self.header, self.index) = (reader, header, index)
    }

    /// The field's name; `nil` when there is none, which ``ParsingProfile/generic`` allows.
    public var name: String? { self.header.name }
    /// The file's name as the sender wrote it, not to be trusted: see ``ReceivedHeader/safeFilename``; `nil` for a field.
    public var filename: String? { self.header.filename }
    /// Whether the part is a file: it has a filename, maybe an empty one.
    @inlinable public var isFile: Bool { self.header.isFile }
    /// Whether the part is what browsers send for a file control without a file: a file with an empty name. It has no
    /// content.
    public var isEmptyFileControl: Bool { self.isFile && self.filename?.isEmpty ?? false }
    /// The content's type as the sender wrote it; `nil` for none, which means `text/plain`.
    public var contentType: String? { self.header.contentType }

    /// Bytes of the body before the part's content; to be asked for before any of the content is read.
    package var contentOffset: Int64 { self.reader.state.machine.offset }

    /// The content as it arrives.
    @inlinable public var content: ReceivedContent<Chunks> { ReceivedContent(reader: self.reader, index: self.index) }

    /// Sets how many bytes of content the part may have, in place of ``ParsingLimits/fieldBytes`` or
    /// ``ParsingLimits/fileBytes``; what was read already counts.
    /// - Throws: ``FormworkError/Code/invalidArgument`` when the part is over.
    public func limit(to bytes: Int64) throws(FormworkError) { try self.reader.limitContent(to: bytes, of: self.index) }

    /// The rest of the content in memory.
    /// - Parameter limit: Bytes allowed, beside what the parser's limits allow.
    /// - Throws: ``FormworkError/Code/limitExceeded`` at the first byte more; the part can still be skipped then. Else what
    ///   iterating throws.
    @inlinable
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        try await self.reader.collect(upTo: .content(limit), of: self.index)
    }

    /// The rest of the content as text, in the charset that the part itself declares, see ``TextDecoding/standard``;
    /// what isn't valid is repaired as UTF-8, as WHATWG has it.
    /// - Throws: What ``collect(upTo:)`` throws.
    @inlinable
    public func text(upTo limit: Int) async throws -> String {
        TextDecoding.repaired(try await self.collect(upTo: limit), of: self.header)
    }

    /// Reads the rest of the content, and keeps none of it.
    @inlinable
    public func skip() async throws { try await self.reader.skipContent(of: self.index) }

    /// Writes the rest of the content to a file that appears only when it is whole, on a thread of its own.
    ///
    /// Whatever fails, nothing is left, and what was there stays.
    /// - Parameters:
    ///   - path: The file to make.
    ///   - replacing: Whether a file that is there already is replaced; an error otherwise.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: Bytes written.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what iterating throws.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false
    ) async throws -> Int64 {
        let writer = FileWriter()
        try await writer.open(path.filePath, replacing: replacing)
        try await self.write(to: writer)
        return try await writer.publish(durably: durably)
    }

    /// Writes the rest of the content to a new file in a folder, under the sender's name made safe: `a.txt`, or
    /// `a (1).txt` where that is taken.
    ///
    /// The name is ``ReceivedHeader/safeFilename``; a part without one is named as its field is, or `file`. Any number of
    /// parts may be written into a folder at once. Whatever fails, nothing is left.
    /// - Parameters:
    ///   - folder: Where the file is made; it is made too if only its last component is missing.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The file.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what iterating throws.
    @discardableResult
    public func write(into folder: some PathConvertible, durably: Bool = false) async throws -> FilePath {
        let writer = FileWriter()
        try await writer.open(in: folder.filePath)
        try await self.write(to: writer)
        return try await writer.publish(as: SafeFilename(self.filename, orField: self.name), durably: durably)
    }

    private func write(to writer: FileWriter) async throws {
        let content = self.content.makeAsyncIterator()
        while let bytes = try await content.next() { try await writer.write(bytes) }
    }
}

/// The content of a part that is arriving, in pieces that share the chunks' storage.
public struct ReceivedContent<Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element: BodyChunk {
    /// A stretch of a chunk, 1 byte or more.
    public typealias Element = Chunks.Element.Content

    @usableFromInline let reader: PartsReader<Chunks>
    @usableFromInline let index: Int

    @inlinable
    init(reader: PartsReader<Chunks>, index: Int) { (self.reader, self.index) = (reader, index) }

    /// Gives piece after piece.
    public struct AsyncIterator: AsyncIteratorProtocol {
        @usableFromInline let reader: PartsReader<Chunks>
        @usableFromInline let index: Int

        @inlinable
        init(reader: PartsReader<Chunks>, index: Int) { (self.reader, self.index) = (reader, index) }

        /// The next piece; `nil` at the content's end.
        @inlinable
        public func next() async throws -> Chunks.Element.Content? { try await self.reader.nextContent(of: self.index) }

        /// The next piece; `nil` at the content's end.
        @inlinable
        public func next(isolation actor: isolated (any Actor)?) async throws -> Chunks.Element.Content? {
            try await self.reader.nextContent(of: self.index)
        }
    }

    /// Goes on where the content was left.
    @inlinable
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: self.reader, index: self.index) }
}
