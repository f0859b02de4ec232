import FormworkCore
import SystemPackage

/// Walks one source's content from an offset to its end. Lives in one reader; what it holds open goes with it.
protocol SourceCursor: AnyObject {
    /// Whether everything was given and checked.
    var isFinished: Bool { get }
    /// Whether the next read may have to wait for somebody else than the disk.
    var mayWait: Bool { get }
    /// Whether a chunk has to be fetched, by ``ChunkCursor/fetch(isolation:)``, before anything can be read.
    var needsChunk: Bool { get }
    /// Bytes of file content that come next, told without opening anything; 0 when there are none.
    var fileCount: Int64 { get }
    /// The file stretch that comes next, for the kernel to move; `nil` when it has to be read.
    var kernelRun: KernelRun? { get throws(FormworkError) }
    /// Whose ``ChunkCursor/fetch(isolation:)`` has to be called when ``needsChunk``; `nil` when nobody's.
    var chunkCursor: ChunkCursor? { get }
    /// The part inside this source and how far it has come; `nil` for a source that belongs to one part.
    var innerPart: InnerPart? { get }

    /// Writes the next bytes into `buffer`, which is not empty.
    /// - Returns: How many; 0 at the end.
    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int
    /// Takes note that the kernel moved `count` bytes of ``kernelRun``.
    func advance(by count: Int) throws(FormworkError)
    /// Checks what can be checked now, because the caller stops here.
    func verify() throws(FormworkError)
}

extension SourceCursor {
    var mayWait: Bool { false }
    var needsChunk: Bool { false }
    var fileCount: Int64 { 0 }
    var kernelRun: KernelRun? { nil }
    var chunkCursor: ChunkCursor? { nil }
    var innerPart: InnerPart? { nil }
    func advance(by count: Int) throws(FormworkError) { preconditionFailure("no kernel run was offered") }
    func verify() throws(FormworkError) {}
}

/// File bytes that the kernel may move by itself.
struct KernelRun {
    var descriptor: FileDescriptor
    /// Where they begin in the file.
    var offset: Int64
    /// Bytes up to the end of the file's stretch, or to where the reader stops.
    var remaining: Int64
    /// Bytes that may be moved at once.
    var packet = Int64.max
}

/// A part that a source of many parts has come to.
struct InnerPart {
    var reference: PartReference
    var position: Int64
    var length: Int64?
}

extension PlannedSource {
    /// A cursor at `offset` of the content.
    func makeCursor(at offset: Int64) throws(FormworkError) -> any SourceCursor {
        switch self {
        case .bytes(let bytes): return MemoryCursor(bytes, at: Int(offset))
        case .file(let file): return FileCursor(file, at: offset)
        case .synthetic(let bytes): return SyntheticCursor(bytes, at: offset)
        case .encoded(let content): return try EncodedCursor(content, at: offset)
        case .parts(let parts): return try PartsCursor(parts, at: offset)
        case .stream(let stream):
            guard stream.isReplayable || offset == 0 else {
                throw FormworkError(.notReplayable, "\(stream.label) can be read only once, and only from its start")
            }
            do {
                switch stream.opening {
                case .pull(let open):
                    return StreamCursor(stream, try SystemCalls.withWriteSignals { try open(offset) }, at: offset)
                case .once(let once): return StreamCursor(stream, try once.take(), at: offset)
                case .chunks(let open): return ChunkCursor(stream, try open(offset), at: offset)
                }
            } catch let error as FormworkError {
                throw error
            } catch {
                throw FormworkError(
                    .sourceUnavailable, "\(stream.label) can't be opened", path: stream.path, cause: error)
            }
        }
    }
}

/// Bytes in memory.
final class MemoryCursor: SourceCursor {
    private let bytes: [UInt8]
    private var position: Int

    init(_ bytes: [UInt8], at position: Int) { (self.bytes, self.position) = (bytes, position) }

    var isFinished: Bool { self.position == self.bytes.count }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        let count = buffer.copy(self.bytes, self.position..<self.bytes.count, at: 0)
        self.position += count
        return count
    }
}

/// Bytes made by rule.
final class SyntheticCursor: SourceCursor {
    private let bytes: SyntheticBytes
    private var position: Int64

    init(_ bytes: SyntheticBytes, at position: Int64) { (self.bytes, self.position) = (bytes, position) }

    var isFinished: Bool { self.position == self.bytes.count }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        let count = self.bytes.fill(&buffer, from: self.position)
        self.position += Int64(count)
        return count
    }
}
