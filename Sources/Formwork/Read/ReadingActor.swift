import FormworkSystem

/// An actor that owns a reader, and runs where its reads may.
package protocol ReadingActor: Actor {
    var reading: Reading { get }
}

/// A reader, and whether a task is using it.
package final class Reading {
    let reader: BodyReader
    fileprivate let chunkSize: Int
    /// While a task waits for a chunk, the actor can be called by another one.
    fileprivate var isUsed = false
    /// Where bytes are read before they are copied to an array of their size.
    private var room: [UInt8] = []

    init(_ reader: BodyReader, chunkSize: Int) { (self.reader, self.chunkSize) = (reader, chunkSize) }

    /// The next bytes, in an array of just their size. It is `nil` at the end, and if they have to be waited for.
    fileprivate func bytes() throws(FormworkError) -> (bytes: [UInt8]?, needsChunk: Bool) {
        if let chunk = try self.reader.takeChunk(upTo: self.chunkSize) {
            return ((chunk as? [UInt8]) ?? chunk.array, false)
        }
        if self.room.isEmpty {
            // Little if the length isn't known: such bodies often come in small pieces.
            let length = self.reader.plan.contentLength.map { max($0, 1) } ?? 16 << 10
            self.room = [UInt8](repeating: 0, count: Int(min(Int64(self.chunkSize), length)))
        }
        let step = try self.room.withMutableRawSpan { room throws(FormworkError) in try self.reader.fill(&room) }
        guard step.count > 0 else { return (nil, step.needsChunk) }
        let bytes = self.room.withRawSpan { [UInt8](copying: $0, 0..<step.count) }
        if step.count == self.room.count, step.count < self.chunkSize, self.reader.plan.contentLength == nil {
            self.room = [UInt8](repeating: 0, count: min(self.chunkSize, step.count * 4))
        }
        return (bytes, step.needsChunk)
    }
}

/// Reads on a thread of its own, where it may block.
actor ThreadReader: ReadingActor {
    let reading: Reading
    private let executor = ThreadExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    init(_ reader: sending BodyReader, chunkSize: Int) {
        reader.mayBlock = true
        self.reading = Reading(reader, chunkSize: chunkSize)
    }
}

/// Reads where all tasks run: a chunk that another task has made needs no switch between threads.
actor PoolReader: ReadingActor {
    let reading: Reading

    /// - Parameter reader: Its plan never blocks (``BodyPlan/mayBlock``).
    init(_ reader: sending BodyReader, chunkSize: Int) { self.reading = Reading(reader, chunkSize: chunkSize) }
}

extension ReadingActor {
    /// The next chunk, in the caller's storage; `nil` at the end.
    /// - Parameter read: Allocates storage for the given number of bytes, has `fill` write into it, and returns it, or
    ///   `nil` if nothing was written. Runs where the reader is.
    package func next<Chunk: Sendable>(
        _ read: @Sendable (Int, (inout MutableRawSpan) throws(FormworkError) -> Int) throws(FormworkError) -> Chunk?
    ) async throws -> Chunk? {
        try await self.next { reading throws(FormworkError) in
            var needsChunk = false
            let chunk = try read(reading.chunkSize) { room throws(FormworkError) in
                let step = try reading.reader.fill(&room)
                needsChunk = step.needsChunk
                return step.count
            }
            return (chunk, needsChunk)
        }
    }

    /// The next chunk; `nil` at the end.
    func next() async throws -> [UInt8]? {
        try await self.next { reading throws(FormworkError) in try reading.bytes() }
    }

    private func next<Chunk: Sendable>(
        taking take: (Reading) throws(FormworkError) -> (Chunk?, needsChunk: Bool)
    ) async throws -> Chunk? {
        guard !self.reading.isUsed else {
            throw FormworkError(.invalidArgument, "two tasks read this body at once: read it in one of them")
        }
        self.reading.isUsed = true
        defer { self.reading.isUsed = false }
        let reader = self.reading.reader
        while true {
            try Task.checkCancellation()
            let delay = reader.delay
            if delay > .zero { try await Task.sleep(for: delay.asWait) }
            do {
                if !reader.awaitsChunk {
                    let (chunk, needsChunk) = try take(self.reading)
                    if let chunk { return chunk }
                    guard needsChunk else { return nil }
                }
                try await reader.fetchChunk(isolation: self)
            } catch {
                throw Task.isCancelled ? CancellationError() : error
            }
        }
    }

    var progress: UploadProgress { self.reading.reader.progress }
    var digestValues: [DigestValue]? { self.reading.reader.digestValues }
    func close() { self.reading.reader.close() }
}

/// Runs what may block on a thread of its own, so that no task waits for a disk.
actor BlockingThread {
    private let executor = ThreadExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    func run<Result: Sendable>(
        _ work: @Sendable () throws(FormworkError) -> Result
    ) throws(FormworkError) -> Result { try work() }

    /// - Throws: What the work throws, or `CancellationError` if the task was cancelled meanwhile.
    static func run<Result: Sendable>(_ work: @Sendable () throws(FormworkError) -> Result) async throws -> Result {
        do { return try await BlockingThread().run(work) } catch {
            throw Task.isCancelled ? CancellationError() : error
        }
    }
}
