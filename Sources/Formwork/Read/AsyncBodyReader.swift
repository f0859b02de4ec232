import FormworkSystem

/// Reads a body in chunks without blocking its caller: files and streams are read on a separate thread, and waiting for
/// async sequences and rate limits suspends the task.
///
/// ```swift
/// let reader = AsyncBodyReader(plan.makeReader())
/// while let chunk = try await reader.next() {
///     try await send(chunk)
/// }
/// ```
///
/// ``BodyPlan/chunks(of:options:)`` is the same as an async sequence; use this type to also see ``progress`` and
/// ``digestValues``. A body with an async sequence needs one of the two.
///
/// One chunk is in memory at a time, because the next one is read when it is requested. Any task may request it, but
/// only one at a time: each byte is returned once, so with two tasks neither would get all of them.
public final class AsyncBodyReader: AsyncIteratorProtocol, Sendable {
    package let actor: any ReadingActor

    /// Takes over a reader.
    /// - Parameters:
    ///   - reader: The reader. Don't use it elsewhere afterwards.
    ///   - chunkSize: The most bytes of a chunk, clamped to 1 byte to 64 MiB. Default 256 KiB.
    public init(_ reader: sending BodyReader, chunkSize: Int = 256 << 10) {
        let chunkSize = max(1, min(chunkSize, BodyReader.largestChunk))
        self.actor =
            reader.plan.mayBlock
            ? ThreadReader(reader, chunkSize: chunkSize) : PoolReader(reader, chunkSize: chunkSize)
    }

    /// The next chunk; `nil` at the end.
    ///
    /// A task that is cancelled while it waits for a pipe or an async sequence ends the reader: the sequence may have ended
    /// early because of it, so all later calls throw.
    /// - Throws: What ``BodyReader/read(into:)`` throws; `CancellationError` if the task was cancelled;
    ///   ``FormworkError/Code/invalidArgument`` if another task is waiting for a chunk.
    public func next() async throws -> [UInt8]? { try await self.actor.next() }

    /// The reader's progress.
    public var progress: UploadProgress { get async { await self.actor.progress } }

    /// The digests of the whole body; see ``BodyReader/digestValues``.
    public var digestValues: [DigestValue]? { get async { await self.actor.digestValues } }

    /// Closes open files; see ``BodyReader/close()``.
    public func close() async { await self.actor.close() }
}

/// A body as an async sequence of chunks. Every iteration uses a new reader.
public struct BodyChunks: AsyncSequence, Sendable {
    /// A chunk of at least 1 byte.
    public typealias Element = [UInt8]
    let plan: BodyPlan
    let chunkSize: Int
    let options: ReaderOptions

    /// A reader at the body's start.
    public func makeAsyncIterator() -> AsyncBodyReader {
        AsyncBodyReader(BodyReader(self.plan, options: self.options), chunkSize: self.chunkSize)
    }
}

extension BodyPlan {
    /// The body as an async sequence that never blocks its consumer.
    /// - Parameters:
    ///   - size: The most bytes of a chunk, clamped to 1 byte to 64 MiB.
    ///   - options: Additional work of each reader, such as digests and progress.
    public func chunks(of size: Int = 256 << 10, options: ReaderOptions = ReaderOptions()) -> BodyChunks {
        BodyChunks(plan: self, chunkSize: size, options: options)
    }
}
