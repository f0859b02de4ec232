import FormworkSystem
import Synchronization

/// A source whose bytes are known only when they are read.
struct StreamSource: Sendable {
    /// How the stream is opened.
    enum Opening: Sendable {
        /// A pull stream that begins at the byte at the offset.
        case pull(@Sendable (Int64) throws -> any ByteStream)
        /// A pull stream that can be read once.
        case once(OneShot<any ByteStream>)
        /// A sequence of chunks that begins at the byte at the offset.
        case chunks(@Sendable (Int64) throws -> ChunkIterator)
    }

    let identity = Identity()
    let history = StreamHistory()
    /// All bytes, if they are in memory already.
    var chunk: (any BodyChunk)?
    /// The number of bytes; `nil` if it is unknown.
    var length: Int64?
    /// Whether it can be opened again, and at any offset.
    var isReplayable: Bool
    /// A name for layouts and errors, such as "a stream" or "standard input".
    var label: String
    /// The path it comes from; `nil` for the caller's streams.
    var path: String?
    /// The FIFO that it reads; `nil` for another source.
    var pipe: PipeIdentity?
    /// Whether bytes after the declared length are left. Otherwise they are an error, and the reader waits for the end after
    /// the last byte.
    var ignoresSurplus = false
    /// Whether reading waits for nothing but the disk.
    var isReadableWithoutWaiting = false
    /// Whether the caller's code is asked to begin at an offset.
    var beginsAtOffset = false
    var opening: Opening
}

/// Shared by the copies of a value that can't be compared by its content.
final class Identity: Sendable {}

/// What an iterator returns without waiting.
@usableFromInline
enum ReadyStep<Element> {
    case next(Element)
    case end
    /// It can be known only after a wait.
    case unknown
}

/// A type-erased iterator of an async sequence. It belongs to one reader.
class ErasedIterator<Element> {
    func next(isolation: isolated (any Actor)?) async throws -> Element? { nil }
    /// What ``next(isolation:)`` returns if it needn't wait.
    func ready() throws -> ReadyStep<Element> { .unknown }
}

typealias ChunkIterator = ErasedIterator<any BodyChunk>
typealias PartIterator = ErasedIterator<BodyPart>

/// The iterator of a caller's sequence.
final class MappedIterator<Base: AsyncIteratorProtocol, Element>: ErasedIterator<Element> {
    private var base: Base
    private let transform: (Base.Element) -> Element

    init(_ base: Base, _ transform: @escaping (Base.Element) -> Element) {
        (self.base, self.transform) = (base, transform)
    }

    override func next(isolation: isolated (any Actor)?) async throws -> Element? {
        try await self.base.next(isolation: isolation).map(self.transform)
    }
}

extension AsyncSequence where Element: BodyChunk {
    /// The chunks as they are.
    func chunkIterator() -> ChunkIterator { MappedIterator(self.makeAsyncIterator()) { chunk in chunk } }
}

extension AsyncSequence where Element: Sequence<UInt8> {
    /// The bytes of each element as a chunk.
    func byteIterator() -> ChunkIterator {
        MappedIterator(self.makeAsyncIterator()) { bytes in (bytes as? [UInt8]) ?? Array(bytes) }
    }
}

/// Holds a value that can be taken once.
final class OneShot<Value>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: sending Value) { self.value = Mutex(value) }

    /// - Throws: ``FormworkError/Code/notReplayable`` from the second call on.
    func take() throws -> sending Value {
        let value = self.value.withLock { held in
            let value = held
            held = nil
            return value
        }
        guard let value else { throw Self.gone }
        return value
    }

    /// Calls `body` with the value, and keeps it.
    /// - Throws: ``FormworkError/Code/notReplayable`` if it was taken.
    func peek<Result: Sendable>(_ body: (inout Value) throws -> Result) throws -> Result {
        try self.value.withLock { held in
            guard held != nil else { throw Self.gone }
            return try body(&held!)
        }
    }

    private static var gone: FormworkError {
        FormworkError(
            .notReplayable, "this source can be read only once, and was: use a source that can be opened again")
    }
}

/// A descriptor as a pull stream. It waits for a non-blocking descriptor, and closes one that it owns. In a task, waiting ends
/// when the task is cancelled.
final class DescriptorStream: ByteStream {
    private let descriptor: FileDescriptor
    private let owned: Bool

    init(_ descriptor: FileDescriptor, owned: Bool) { (self.descriptor, self.owned) = (descriptor, owned) }

    deinit {
        if self.owned { try? SystemCalls.close(self.descriptor) }
    }

    /// Whether a read returns something within 50 ms.
    var isReady: Bool {
        get throws { try SystemCalls.wait(self.descriptor, for: .read, atMost: .milliseconds(50)) }
    }

    func read(into buffer: inout MutableRawSpan) throws -> Int {
        var waits = SystemCalls.isInTask
        while true {
            do throws(Errno) {
                if waits { try SystemCalls.waitUnlessCancelled(self.descriptor, for: .read) }
                return try SystemCalls.read(self.descriptor, into: &buffer)
            } catch .canceled {
                throw CancellationError()
            } catch {
                guard error == .wouldBlock else { throw error }
                waits = true
            }
        }
    }
}

/// What the readers of a stream of unknown length have seen, shared by the copies of its source.
///
/// A closure that returns a sequence which was read already would otherwise send nothing more, as if that were all.
final class StreamHistory: Sendable {
    /// The first bytes of a stream.
    struct Beginning {
        var count: Int64 = 0
        var checksum: UInt32 = 0
        /// Whether there are no more.
        var isWhole = false
    }

    let longest = Mutex(Beginning())
}
