import FormworkCore
import SystemPackage

/// Where a part's content comes from. Making one reads nothing and opens nothing.
public struct BodySource: Sendable {
    enum Kind: Sendable {
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
        /// Where a regular file's content begins; `nil` for where the descriptor stands when the body is planned.
        var offset: Int64?
        var length: Int64?
        /// What has to live as long.
        var spool: BodySpool?
        /// The descriptor as a stream, for one that is no regular file: shared by all plans, because what one plan
        /// looked at is gone from the descriptor.
        var stream: OneShot<any ByteStream>

        init(_ descriptor: FileDescriptor, offset: Int64? = nil, length: Int64?, keeping spool: BodySpool? = nil) {
            self.descriptor = descriptor
            self.offset = offset
            self.length = length
            self.spool = spool
            self.stream = OneShot(DescriptorStream(descriptor, owned: false))
        }
    }

    var isMultipart: Bool { if case .multipart = self.kind { true } else { false } }

    /// What a file has to be when the body is planned.
    enum ExpectedState: Sendable, Equatable {
        /// As this process saw it.
        case validator(FileValidator)
        /// As an earlier process described it.
        case fingerprint(FileFingerprint)
    }

    /// A stretch of a file.
    struct FileRange: Sendable, Hashable {
        var offset: Int64 = 0
        /// `nil` reaches to the file's end.
        var length: Int64?
    }

    let kind: Kind

    /// The path, when this is all of a file in whatever state it is.
    package var wholeFile: FilePath? {
        if case .file(let path, FileRange(offset: 0, length: nil), nil) = self.kind { path } else { nil }
    }

    /// The file, when this is all of one as it is or as it was when a snapshot was taken of it.
    var namedFile: FilePath? {
        if case .descriptor(let source) = self.kind { source.spool?.original } else { self.wholeFile }
    }

    /// Content up to this many bytes is copied beside the framing; larger content is cheaper left where it is.
    private static let smallLimit = 16 << 10

    /// Whether this is content that is in memory and small.
    var isSmall: Bool {
        switch self.kind {
        case .text(let text): text.utf8.count <= Self.smallLimit
        case .bytes(let content): content.count <= Self.smallLimit
        default: false
        }
    }

    /// Appends content that ``isSmall``.
    /// - Returns: Whether it was.
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

    /// Text, sent as UTF-8 and otherwise as it is: line ends stay what they are.
    public static func text(_ text: String) -> BodySource { .init(.text(text)) }

    /// Bytes in memory; shared, not copied.
    public static func bytes(_ bytes: [UInt8]) -> BodySource { .init(.bytes(bytes)) }

    /// Bytes of any kind in memory, `Data` or a `ByteBuffer`; shared, not copied.
    public static func bytes(_ bytes: some BodyChunk) -> BodySource {
        if let bytes = bytes as? [UInt8] { return .bytes(bytes) }
        let count = Int64(bytes.byteCount)
        return .init(
            .stream(
                StreamSource(
                    chunk: bytes, length: count, isReplayable: true, label: "bytes in memory", waitsForNobody: true,
                    opening: .pull { offset in ChunkStream(bytes, from: Int(clamping: min(offset, count))) })))
    }

    /// Bytes of any sequence, copied once.
    @_disfavoredOverload
    public static func bytes(_ bytes: some Sequence<UInt8>) -> BodySource { .bytes(Array(bytes)) }

    /// A file, or a slice of it: `length` bytes from `offset` on, to the end when `length` is `nil`.
    ///
    /// It is looked at when the body is planned, opened when its turn comes, and must be the same file until its last
    /// byte was read. A path that leads to a FIFO or a device is a stream of unknown length, read once.
    public static func file(
        _ path: some PathConvertible, offset: Int64 = 0, length: Int64? = nil
    ) -> BodySource {
        .init(.file(path.filePath, range: FileRange(offset: offset, length: length), expecting: nil))
    }

    /// A file that has to be in this state when the body is planned, and to stay in it.
    package static func file(_ path: FilePath, expecting state: FileValidator) -> BodySource {
        .init(.file(path, range: FileRange(), expecting: .validator(state)))
    }

    /// A regular file in whatever state each reader finds it: opened anew by each, and never compared with an earlier state.
    /// Of one that has grown the first `length` bytes are read; one that has shrunk is a
    /// ``FormworkError/Code/lengthMismatch``.
    package static func file(unchecked path: FilePath, length: Int64) -> BodySource {
        .init(
            .stream(
                StreamSource(
                    length: length, isReplayable: true, label: "the file", path: path.string, surplus: .leave,
                    waitsForNobody: true,
                    opening: .pull { offset in
                        let descriptor = try SystemCalls.open(path, .readOnly, .nonBlocking)
                        let stream = DescriptorStream(descriptor, owned: true)
                        _ = try SystemCalls.seek(descriptor, by: offset, from: .start)
                        return stream
                    })))
    }

    /// An open descriptor, from where it stands when the body is planned. It stays the caller's: keep it open while
    /// readers live.
    ///
    /// A regular file has a length, is read without moving the descriptor, and can be read again. Anything else is read
    /// once, and has a length only where `length` declares it.
    public static func descriptor(_ descriptor: FileDescriptor, length: Int64? = nil) -> BodySource {
        .init(.descriptor(DescriptorSource(descriptor, length: length)))
    }

    /// Bytes made by rule, without a disk.
    public static func synthetic(_ bytes: SyntheticBytes) -> BodySource { .init(.synthetic(bytes)) }

    /// Parts in their own framing, as another part's content. At most 40 levels deep.
    public static func multipart(_ form: FormData) -> BodySource { .init(.multipart(form)) }

    /// Sources behind one another as one part's content.
    public static func concatenation(_ sources: [BodySource]) -> BodySource { .init(.concatenation(sources)) }

    /// A pull stream that can be opened any number of times.
    /// - Parameters:
    ///   - length: Bytes in all; `nil` when only the end can tell. A stream that gives fewer is an error.
    ///   - surplus: What becomes of bytes beyond `length`.
    ///   - open: Gives a new stream whose first byte is the one at the offset, 0 or more.
    public static func stream(
        length: Int64? = nil, surplus: StreamSurplus = .refuse,
        open: @escaping @Sendable (_ offset: Int64) throws -> any ByteStream
    ) -> BodySource {
        .init(
            .stream(
                StreamSource(
                    length: length, isReplayable: true, label: "a stream", surplus: surplus, opening: .pull(open))))
    }

    /// A pull stream that is read once: a second reader gets ``FormworkError/Code/notReplayable``.
    public static func stream(
        once stream: sending any ByteStream, length: Int64? = nil, surplus: StreamSurplus = .refuse
    ) -> BodySource {
        .init(
            .stream(
                StreamSource(
                    length: length, isReplayable: false, label: "a stream", surplus: surplus,
                    opening: .once(OneShot(stream)))))
    }

    /// Chunks of an async sequence, iterated once. Such a body is read by an ``AsyncBodyReader``.
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        once chunks: Chunks, length: Int64? = nil, surplus: StreamSurplus = .refuse
    ) -> BodySource where Chunks.Element: Sequence<UInt8> {
        let once = OneShot(chunks)
        return .init(
            .stream(
                StreamSource(
                    length: length, isReplayable: false, label: "an async sequence", surplus: surplus,
                    opening: .chunks { _ in TypedChunkIterator(try once.take().makeAsyncIterator()) })))
    }

    /// Chunks of an async sequence of buffers, iterated once. Such a body is read by an ``AsyncBodyReader``.
    @_disfavoredOverload
    public static func chunks<Chunks: AsyncSequence & Sendable>(
        once chunks: Chunks, length: Int64? = nil, surplus: StreamSurplus = .refuse
    ) -> BodySource where Chunks.Element: BodyChunk {
        .chunks(once: chunks.map(\.array), length: length, surplus: surplus)
    }

    /// Bytes of an async sequence, iterated once, which are gathered until there are 16 KiB or no more come.
    public static func chunks<Bytes: AsyncSequence & Sendable>(
        once bytes: Bytes, length: Int64? = nil, surplus: StreamSurplus = .refuse
    ) -> BodySource where Bytes.Element == UInt8 {
        .chunks(once: GatheredBytes(bytes), length: length, surplus: surplus)
    }

    /// Chunks of an async sequence that can be had any number of times.
    /// - Parameters:
    ///   - length: Bytes in all; `nil` when only the end can tell. A sequence that gives fewer is an error.
    ///   - surplus: What becomes of bytes beyond `length`.
    ///   - open: Gives a sequence whose first byte is the one at the offset, 0 or more.
    public static func chunks<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil, surplus: StreamSurplus = .refuse,
        open: @escaping @Sendable (_ offset: Int64) throws -> Chunks
    ) -> BodySource where Chunks.Element: Sequence<UInt8> {
        .init(
            .stream(
                StreamSource(
                    length: length, isReplayable: true, label: "an async sequence", surplus: surplus,
                    opening: .chunks { TypedChunkIterator(try open($0).makeAsyncIterator()) })))
    }
}
