/// A part that is arriving: its header section, and access to its content.
///
/// ```swift
/// for try await part in parts where part.isFile {
///     try part.limit(to: 20 << 20)
///     if let path = try await part.write(into: "uploads") { print(part.name ?? "", path) }
/// }
/// ```
///
/// The content is read once, in one of these ways: ``collect(upTo:)`` and ``text(upTo:)`` keep it in memory, up to a
/// limit; ``write(into:durably:)`` and ``write(toFile:replacing:durably:)`` store it, one chunk in memory at a time;
/// ``content`` returns it in pieces; ``source`` passes it on; ``skip()`` discards it. To look at its first bytes before,
/// use ``peek(_:)``.
///
/// Each of these calls but ``skip()`` throws ``FormworkError/Code/invalidArgument`` if some of the content was read before,
/// because the rest would be taken for all of it. If that is wanted, use ``rest``. Read the content before you request the
/// next part, or the end. Later reads throw the same error, and so does reading in two tasks at once.
public struct ReceivedPart<Chunks: AsyncSequence & Sendable>: Sendable where Chunks.Element: BodyChunk {
    @usableFromInline let reader: PartsReader<Chunks>
    /// The part's header section.
    public let header: ReceivedHeader
    /// The part's place in the body, from 0.
    public let index: Int
    @usableFromInline var access = ContentAccess.whole

    @inlinable
    init(reader: PartsReader<Chunks>, header: ReceivedHeader, index: Int) {
        (self.reader, self.header, self.index) = (reader, header, index)
    }

    /// The same part, whose calls read what is left of the content after some of it was read.
    public var rest: ReceivedPart {
        var part = self
        part.access = .rest
        return part
    }

    /// The field's name; `nil` if there is none, which the profile of `multipart/mixed` allows.
    public var name: String? { self.header.name }
    /// The file's name as the sender wrote it; `nil` for a field. Don't trust it, see ``ReceivedHeader/safeFilename``.
    public var filename: String? { self.header.filename }
    /// Whether the part is a file: it has a filename, which may be empty.
    @inlinable public var isFile: Bool { self.header.isFile }
    /// The content's type as the sender wrote it. `nil`, for none, means `text/plain`.
    public var contentType: String? { self.header.contentType }

    /// Bytes of the body before the part's content; to be asked for before any of the content is read.
    package var contentOffset: Int64 { self.reader.state.machine.offset }

    /// The content as it arrives.
    @inlinable public var content: ReceivedContent<Chunks> { ReceivedContent(self) }

    /// The first bytes of the content. They are still unread: the next call gets them too.
    ///
    /// ```swift
    /// guard try await part.peek(8).starts(with: [0x89, 0x50, 0x4E, 0x47]) else { throw NotAPNG() }
    /// try await part.write(into: "uploads")
    /// ```
    /// - Parameter count: The number of bytes, clamped to 0 to 1 MiB.
    /// - Returns: Fewer bytes only if the content has no more.
    /// - Throws: ``FormworkError/Code/invalidArgument`` if some of the content was read before, and what iterating throws.
    @inlinable
    public func peek(_ count: Int) async throws -> [UInt8] {
        try await self.reader.peek(Swift.max(0, Swift.min(count, 1 << 20)), of: self.index)
    }

    /// Sets the most bytes of content of this part, instead of ``ParsingLimits/fieldBytes`` or
    /// ``ParsingLimits/fileBytes``. Bytes that were read already count. ``ParsingLimits/totalBytes`` holds for the whole body,
    /// this part included.
    /// - Throws: ``FormworkError/Code/invalidArgument`` if the part has ended.
    public func limit(to bytes: Int64) throws(FormworkError) { try self.reader.limitContent(to: bytes, of: self.index) }

    /// Reads the content into memory.
    /// - Parameter limit: The most bytes, in addition to the parser's limits. A negative limit counts as 0.
    /// - Throws: ``FormworkError/Code/limitExceeded`` at the first byte above the limit, after which the part can still
    ///   be skipped, and what iterating throws.
    @inlinable
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        try await self.reader.collect(upTo: Swift.max(0, limit), of: self.index, self.access)
    }

    /// Reads the content as text, in the charset that the part declares, see ``TextDecoding/standard``.
    /// Invalid text is decoded as UTF-8 and repaired, as in WHATWG.
    /// - Throws: What ``collect(upTo:)`` throws.
    @inlinable
    public func text(upTo limit: Int) async throws -> String {
        TextDecoding.repaired(try await self.collect(upTo: limit), of: self.header)
    }

    /// Discards what wasn't read of the content.
    @inlinable
    public func skip() async throws { try await self.reader.skipContent(of: self.index) }

    /// Writes the content to a file on a separate thread. The file appears only when it is complete.
    ///
    /// If anything fails, no new file is left, and an existing file is unchanged.
    /// - Parameters:
    ///   - path: The file to create.
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The number of bytes written.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what iterating throws.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false
    ) async throws -> Int64 {
        try self.reader.checkUnread(self.index, self.access)
        let path = path.filePath
        var writer = try await FileWriter { () throws(FormworkError) in try AtomicFile(path, replacing: replacing) }
        for try await bytes in self.content { try await writer.write(bytes) }
        try await writer.run { file throws(FormworkError) in try file.publish(durably: durably) }
        return writer.count
    }

    /// Writes the content to a new file in a folder, under the sender's name made safe: `a.txt`, or
    /// `a (1).txt` if that exists.
    ///
    /// The name is ``ReceivedHeader/safeFilename``. A part without one gets its field's name, or `file`. Any number of
    /// parts may be written into a folder at once. If anything fails, no file is left.
    /// - Parameters:
    ///   - folder: The folder. It is created if only its last component is missing.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The file's path; `nil` for a file without a name and content, which browsers send if no file is
    ///   chosen. It isn't written.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what iterating throws.
    @discardableResult
    public func write(into folder: some PathConvertible, durably: Bool = false) async throws -> FilePath? {
        try await self.write(into: folder.filePath, from: nil, durably: durably)
    }

    /// - Parameter file: A finished file that has the whole body: the system copies the content from there. `nil` for none.
    package func write(into folder: FilePath, from file: FinishedFile?, durably: Bool) async throws -> FilePath? {
        var copied = self.contentOffset
        var read = copied
        var content = self.content.makeAsyncIterator()
        var next = try await content.next()
        if next == nil, self.isFile, self.filename?.isEmpty ?? true { return nil }
        var writer = try await FileWriter { () throws(FormworkError) in try AtomicFolder(folder).makeFile() }
        while let bytes = next {
            if file == nil { try await writer.write(bytes) }
            read += Int64(bytes.byteCount)
            next = try await content.next()
            guard let file, next == nil || read - copied >= FinishedFile.stepSize else { continue }
            let range = copied..<read
            try await writer.run { target throws(FormworkError) in try target.append(file, range) }
            copied = read
        }
        let name = SafeFilename(self.filename, orField: self.name)
        return try await writer.run { target throws(FormworkError) in try target.place(as: name, durably: durably) }
    }
}

/// The content of an arriving part, in pieces that share the chunks' storage.
public struct ReceivedContent<Chunks: AsyncSequence & Sendable>: AsyncSequence, AsyncIteratorProtocol, Sendable
where Chunks.Element: BodyChunk {
    /// A slice of a chunk, at least 1 byte.
    public typealias Element = Chunks.Element.Content

    @usableFromInline let reader: PartsReader<Chunks>
    @usableFromInline let index: Int
    @usableFromInline let access: ContentAccess
    /// Whether a loop over the content begins.
    @usableFromInline var isFirst = true

    @inlinable
    init(_ part: ReceivedPart<Chunks>) {
        (self.reader, self.index, self.access) = (part.reader, part.index, part.access)
    }

    /// The next piece; `nil` at the content's end.
    @inlinable
    public mutating func next() async throws -> Chunks.Element.Content? { try await self.next(isolation: #isolation) }

    /// The next piece; `nil` at the content's end.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Chunks.Element.Content? {
        let access = self.isFirst ? self.access : nil
        self.isFirst = false
        return try await self.reader.nextContent(of: self.index, beginning: access)
    }

    /// Begins to read the content. If some of it was read before, the first call throws
    /// ``FormworkError/Code/invalidArgument``; see ``ReceivedPart/rest``.
    @inlinable
    public func makeAsyncIterator() -> ReceivedContent {
        var content = self
        content.isFirst = true
        return content
    }
}
