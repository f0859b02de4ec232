import FormworkSystem

/// Where a part's content comes from. Creating one reads and opens nothing.
///
/// ```swift
/// form.append(name: "log", source: .file("app.log", offset: 4096), filename: "app.log")
/// form.append(name: "readme", source: .concatenation([.text("# Harbour\n"), .file("notes.md")]))
/// form.append(name: "input", source: .descriptor(.standardInput))
/// ```
///
/// The source decides what the whole body can do:
///
/// - Text, bytes, regular files, synthetic bytes and multiparts of them have a length and can be read any number of
///   times: the body has a `Content-Length`, and can be sent again.
/// - A stream or an async sequence has a length only if it is declared. One that is passed `once` can be read once, and
///   so can a pipe, a device or a socket. Collect it in a ``BodySpool`` if the body needs a length or must be sent
///   again.
///
/// Bytes in memory are shared, not copied. Files and streams are read in pieces, as the body's reader needs them. A
/// source can be used in several parts, plans and tasks at once, unless it can be read only once.
public struct BodySource: Sendable {
    enum Kind: Sendable, Equatable {
        case text(String)
        case bytes([UInt8])
        // Boxed, so that the common parts, fields with text, stay small to copy.
        indirect case file(FilePath, range: FileRange, expecting: ExpectedState?)
        indirect case descriptor(DescriptorSource)
        indirect case synthetic(SyntheticBytes)
        indirect case stream(StreamSource)
        case concatenation([BodySource])
        indirect case multipart(FormData)
        indirect case encoded(BodySource, TransferEncoding)
    }

    /// An open descriptor.
    struct DescriptorSource: Sendable {
        var descriptor: FileDescriptor
        /// Where a regular file's content begins; `nil` for the descriptor's position when the body is planned.
        var offset: Int64?
        var length: Int64?
        /// Kept alive with the descriptor.
        var spool: BodySpool?
        /// The descriptor as a stream, if it isn't a regular file. All plans share it, because bytes that one plan
        /// looked at can't be read from the descriptor again.
        var stream: OneShot<any ByteStream>

        init(_ descriptor: FileDescriptor, offset: Int64? = nil, length: Int64?, keeping spool: BodySpool? = nil) {
            self.descriptor = descriptor
            self.offset = offset
            self.length = length
            self.spool = spool
            self.stream = OneShot(DescriptorStream(descriptor, owned: false))
        }
    }

    /// Whether this is a form inside a part.
    package var isMultipart: Bool { if case .multipart = self.kind { true } else { false } }

    /// Whether this is the text `""`.
    var isEmptyText: Bool { if case .text("") = self.kind { true } else { false } }

    /// The state that a file must have when the body is planned.
    enum ExpectedState: Sendable, Equatable {
        /// Seen by this process.
        case validator(FileValidator)
        /// Described by an earlier process.
        case fingerprint(FileFingerprint)
    }

    /// A slice of a file.
    struct FileRange: Sendable, Hashable {
        var offset: Int64 = 0
        /// `nil` extends to the file's end.
        var length: Int64?
    }

    let kind: Kind

    /// The path, if this is a whole file without an expected state.
    var wholeFile: FilePath? {
        if case .file(let path, FileRange(offset: 0, length: nil), nil) = self.kind { path } else { nil }
    }

    /// The path, if this is a whole file or a snapshot of one.
    var namedFile: FilePath? {
        if case .descriptor(let source) = self.kind { source.spool?.original } else { self.wholeFile }
    }

    /// Content of up to this many bytes is copied into the framing. Copying larger content costs more than it saves.
    private static let smallLimit = 16 << 10

    /// Whether this is small content in memory.
    var isSmall: Bool {
        switch self.kind {
        case .text(let text): text.utf8.count <= Self.smallLimit
        case .bytes(let content): content.count <= Self.smallLimit
        default: false
        }
    }

    /// The number of bytes of a text that ``isSmall``; `nil` for other sources.
    var smallTextCount: Int? {
        guard case .text(let text) = self.kind, text.utf8.count <= Self.smallLimit else { return nil }
        return text.utf8.count
    }

    /// Appends the content if it ``isSmall``.
    /// - Returns: Whether it is.
    @discardableResult
    func appendIfSmall(to bytes: inout [UInt8]) -> Bool {
        switch self.kind {
        case .text(let text) where text.utf8.count <= Self.smallLimit: bytes.append(text)
        case .bytes(let content) where content.count <= Self.smallLimit: bytes.append(contentsOf: content)
        default: return false
        }
        return true
    }

    init(_ kind: Kind) { self.kind = kind }

    /// Text, sent as UTF-8. Line ends are not changed.
    public static func text(_ text: String) -> BodySource { .init(.text(text)) }

    /// Bytes in memory; shared, not copied.
    public static func bytes(_ bytes: [UInt8]) -> BodySource { .init(.bytes(bytes)) }

    /// Bytes in memory of any type, such as `Data` or a `ByteBuffer`; shared, not copied.
    public static func bytes(_ bytes: some BodyChunk) -> BodySource {
        if let bytes = bytes as? [UInt8] { return .bytes(bytes) }
        let count = Int64(bytes.byteCount)
        return .init(
            .stream(
                StreamSource(
                    chunk: bytes, length: count, isReplayable: true, label: "bytes in memory",
                    isReadableWithoutWaiting: true,
                    opening: .pull { offset in ChunkStream(bytes, from: Int(clamping: min(offset, count))) })))
    }

    /// Bytes of any sequence, copied once.
    @_disfavoredOverload
    public static func bytes(_ bytes: some Sequence<UInt8>) -> BodySource { .bytes(Array(bytes)) }

    /// A file, or a slice of it: `length` bytes from `offset`, or all bytes to the end if `length` is `nil`.
    ///
    /// Planning a body records the file's state. The file is opened when the reader reaches it, and must not change
    /// until its last byte was read. A path of a FIFO or a device is a stream of unknown length that is read once.
    public static func file(
        _ path: some PathConvertible, offset: Int64 = 0, length: Int64? = nil
    ) -> BodySource {
        .init(.file(path.filePath, range: FileRange(offset: offset, length: length), expecting: nil))
    }

    /// A file that must be in this state when the body is planned, and stay in it.
    package static func file(_ path: FilePath, expecting state: FileValidator) -> BodySource {
        .init(.file(path, range: FileRange(), expecting: .validator(state)))
    }

    /// A regular file in any state. Each reader opens it again, and its state is not compared. If it has grown, its
    /// first `length` bytes are read; if it has shrunk, that is a ``FormworkError/Code/lengthMismatch``.
    package static func file(unchecked path: FilePath, length: Int64) -> BodySource {
        .init(
            .stream(
                StreamSource(
                    length: length, isReplayable: true, label: "the file", path: path.string, ignoresSurplus: true,
                    isReadableWithoutWaiting: true,
                    opening: .pull { offset in
                        let descriptor = try SystemCalls.open(path, .readOnly, .nonBlocking)
                        let stream = DescriptorStream(descriptor, owned: true)
                        _ = try SystemCalls.seek(descriptor, by: offset, from: .start)
                        return stream
                    })))
    }

    /// An open descriptor, from its position when the body is planned. The caller owns it: keep it open as long as any
    /// reader of the body lives.
    ///
    /// A regular file has a length, is read without moving the descriptor, and can be read again. Any other descriptor
    /// is read once, and has a length only if `length` declares it.
    public static func descriptor(_ descriptor: FileDescriptor, length: Int64? = nil) -> BodySource {
        .init(.descriptor(DescriptorSource(descriptor, length: length)))
    }

    /// Bytes that are generated while they are read: a body of any size for a test, without a disk, and the same on every
    /// machine.
    /// - Parameters:
    ///   - count: The number of bytes, 0 or more.
    ///   - seed: Equal seeds give equal random bytes; `nil` gives zeros.
    public static func synthetic(count: Int64, seed: UInt64? = nil) -> BodySource {
        .synthetic(SyntheticBytes(seed.map { .random(seed: $0) } ?? .zeros, count: count))
    }

    /// Bytes that are generated by a rule.
    package static func synthetic(_ bytes: SyntheticBytes) -> BodySource { .init(.synthetic(bytes)) }

    /// Parts in their own framing, as another part's content. At most 40 levels deep.
    public static func multipart(_ form: FormData) -> BodySource { .init(.multipart(form)) }

    /// Several sources, one after the other, as one part's content.
    public static func concatenation(_ sources: [BodySource]) -> BodySource {
        // Flat: everything that walks sources calls itself for each level, and would overflow the stack.
        .init(
            .concatenation(
                sources.flatMap { source in
                    if case .concatenation(let pieces) = source.kind { pieces } else { [source] }
                }))
    }

    /// A pull stream that can be opened any number of times.
    /// - Parameters:
    ///   - length: The number of bytes; `nil` if it is unknown. Fewer are an error.
    ///   - ignoringSurplus: Whether bytes beyond `length` are left; otherwise they are an error.
    ///   - open: Returns a new stream that begins at the byte at the offset, 0 or more.
    public static func stream(
        length: Int64? = nil, ignoringSurplus: Bool = false,
        open: @escaping @Sendable (_ offset: Int64) throws -> any ByteStream
    ) -> BodySource {
        .stream(length, ignoringSurplus, beginsAtOffset: true, .pull(open))
    }

    /// A pull stream that is read once. A second reader throws ``FormworkError/Code/notReplayable``.
    public static func stream(
        once stream: sending any ByteStream, length: Int64? = nil, ignoringSurplus: Bool = false
    ) -> BodySource {
        .stream(length, ignoringSurplus, isReplayable: false, .once(OneShot(stream)))
    }

    /// Chunks of an async sequence, iterated once. Read such a body with an ``AsyncBodyReader``.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        once chunks: Chunks, length: Int64? = nil, ignoringSurplus: Bool = false
    ) -> BodySource where Chunks.Element: Sequence<UInt8> {
        let once = OneShot(chunks)
        return .readOnce(length, ignoringSurplus) { try once.take().byteIterator() }
    }

    /// Chunks of an async sequence of buffers, iterated once. Read such a body with an ``AsyncBodyReader``.
    @_disfavoredOverload
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        once chunks: Chunks, length: Int64? = nil, ignoringSurplus: Bool = false
    ) -> BodySource where Chunks.Element: BodyChunk {
        let once = OneShot(chunks)
        return .readOnce(length, ignoringSurplus) { try once.take().chunkIterator() }
    }

    /// - Parameter open: Begins to read the chunks, once.
    static func readOnce(
        _ length: Int64?, _ ignoresSurplus: Bool, _ open: @escaping @Sendable () throws -> ChunkIterator
    ) -> BodySource {
        .stream(length, ignoresSurplus, isReplayable: false, .chunks { _ in try open() })
    }

    /// Bytes of an async sequence, iterated once and collected into chunks of 16 KiB.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        once bytes: Bytes, length: Int64? = nil, ignoringSurplus: Bool = false
    ) -> BodySource where Bytes.Element == UInt8 {
        let once = OneShot(bytes)
        return .readOnce(length, ignoringSurplus) { try once.take().gatheringIterator() }
    }

    /// Chunks of an async sequence that can be opened any number of times.
    /// - Parameters:
    ///   - length: The number of bytes; `nil` if it is unknown. Fewer are an error.
    ///   - ignoringSurplus: Whether bytes beyond `length` are left; otherwise they are an error.
    ///   - open: Returns a sequence that begins at the byte at the offset, 0 or more.
    public static func chunks<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil, ignoringSurplus: Bool = false,
        open: @escaping @Sendable (_ offset: Int64) throws -> Chunks
    ) -> BodySource where Chunks.Element: Sequence<UInt8> {
        .stream(length, ignoringSurplus, beginsAtOffset: true, .chunks { try open($0).byteIterator() })
    }

    /// A stream or an async sequence of the caller's.
    static func stream(
        _ length: Int64?, _ ignoresSurplus: Bool, isReplayable: Bool = true, beginsAtOffset: Bool = false,
        _ opening: StreamSource.Opening
    ) -> BodySource {
        let label = if case .chunks = opening { "an async sequence" } else { "a stream" }
        return .init(
            .stream(
                StreamSource(
                    length: length, isReplayable: isReplayable, label: label, ignoresSurplus: ignoresSurplus,
                    beginsAtOffset: beginsAtOffset, opening: opening)))
    }
}

/// A type that names a file: `String`, `FilePath`, and with FormworkFoundation `URL`.
public protocol PathConvertible {
    /// The file's path.
    var filePath: FilePath { get }
}

extension FilePath: PathConvertible {
    /// The path itself.
    public var filePath: FilePath { self }
}

extension String: PathConvertible {
    /// The text as a path, relative to the working directory unless it begins with `/`. A NUL, which no path has, becomes
    /// U+2400 (␀): it isn't the end of another file's name.
    public var filePath: FilePath { FilePath(self.withoutNUL) }
}

extension String {
    /// The text with U+2400 for each NUL, at which a path would end.
    var withoutNUL: String {
        guard self.utf8.contains(0) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in self.unicodeScalars { scalars.append(scalar == "\0" ? "\u{2400}" : scalar) }
        return String(scalars)
    }
}

/// A stream collected in an unlinked temporary file, so that it has a length and can be read again.
///
/// ```swift
/// let spool = try await BodySpool(collecting: input)
/// var form = FormData()
/// form.append(name: "dump", source: spool.source, filename: "dump.sql")
/// let plan = try await form.plan()
/// print(plan.contentLength ?? 0, plan.isReplayable)
/// ```
///
/// It uses disk, not memory: as many bytes as the stream has, in `$TMPDIR` or the given folder. The file has no name,
/// so nothing is left of it after a crash. It lives as long as the spool, a source of it, or a plan with such a source.
/// Any number of readers may read it at once.
///
/// A spool isn't needed for files, which have a length themselves. To upload a body with a stream to a server that
/// requires a length, use ``UploadOptions/Length/fixed`` instead, which collects a short body in memory.
public final class BodySpool: Sendable {
    let descriptor: FileDescriptor
    /// The number of bytes collected.
    public let count: Int64
    /// The file of which this is a snapshot; `nil` for a collected stream.
    let original: FilePath?

    /// Takes over a file without a name.
    init(_ descriptor: FileDescriptor, count: Int64, of original: FilePath? = nil) {
        (self.descriptor, self.count, self.original) = (descriptor, count, original)
    }

    deinit { try? SystemCalls.close(self.descriptor) }

    /// The collected bytes, as a source that can be read any number of times.
    public var source: BodySource { self.source(0, self.count) }

    /// A slice of the collected bytes.
    func source(_ offset: Int64, _ length: Int64) -> BodySource {
        BodySource(.descriptor(.init(self.descriptor, offset: offset, length: length, keeping: self)))
    }
}
