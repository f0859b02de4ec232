import FormworkCore
import Synchronization

/// A source that is known by its bytes only as they come.
struct StreamSource: Sendable {
    /// How the bytes are had.
    enum Opening: Sendable {
        /// A pull stream whose first byte is the one at the offset.
        case pull(@Sendable (Int64) throws -> any ByteStream)
        /// A pull stream that is there once.
        case once(OneShot<any ByteStream>)
        /// A sequence of chunks whose first byte is the one at the offset.
        case chunks(@Sendable (Int64) throws -> ChunkIterator)
    }

    let identity = Identity()
    /// All of the bytes, where they are in memory already.
    var chunk: (any BodyChunk)?
    /// Bytes in all; `nil` when only the end can tell.
    var length: Int64?
    /// Whether it can be opened again, and at any offset.
    var isReplayable: Bool
    /// What it is, for layouts and errors: "a stream", "standard input".
    var label: String
    /// The path it comes from; `nil` for streams of the caller's.
    var path: String?
    /// What comes after the declared length.
    var surplus: StreamSurplus = .refuse
    /// Whether reading waits for the disk at most.
    var waitsForNobody = false
    var opening: Opening
}

/// What copies of a value share that can't be compared by what it holds.
final class Identity: Sendable {}

/// What becomes of bytes that a stream has beyond its declared length.
public enum StreamSurplus: Sendable {
    /// They are an error. The end is looked for behind the last byte, so a stream that stays open is waited for.
    case refuse
    /// They are left unread: exactly the declared length is sent.
    case leave
}

/// An async sequence's iterator without its type; lives in one reader.
class ChunkIterator {
    func next(isolation: isolated (any Actor)?) async throws -> [UInt8]? { nil }
}

/// The iterator with its type.
final class TypedChunkIterator<Iterator: AsyncIteratorProtocol>: ChunkIterator
where Iterator.Element: Sequence<UInt8> {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    override func next(isolation: isolated (any Actor)?) async throws -> [UInt8]? {
        try await self.iterator.next(isolation: isolation).map { ($0 as? [UInt8]) ?? Array($0) }
    }
}

/// Holds what can be had once, and hands it out once.
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

    /// Works on what is held, and leaves it there.
    /// - Throws: ``FormworkError/Code/notReplayable`` when it was taken.
    func peek<Result: Sendable>(_ body: (inout Value) throws -> Result) throws -> Result {
        try self.value.withLock { held in
            guard held != nil else { throw Self.gone }
            return try body(&held!)
        }
    }

    private static var gone: FormworkError {
        FormworkError(.notReplayable, "this source can be read once and was: give a source that can be opened again")
    }
}
