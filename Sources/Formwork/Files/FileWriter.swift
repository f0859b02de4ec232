/// Writes arriving bytes to one file on a separate thread, so that a slow disk doesn't block an event loop.
///
/// A file that isn't published or made a spool is removed with the writer.
struct FileWriter: Sendable {
    private let thread = BlockingThread()
    private let file: AtomicFile
    /// The number of bytes written.
    private(set) var count: Int64 = 0

    init(_ open: @Sendable () throws(FormworkError) -> AtomicFile) async throws(FormworkError) {
        self.file = try await self.thread.run(open)
    }

    /// Begins a file without a name, which only this process can access.
    init(temporaryIn folder: FilePath?) async throws(FormworkError) {
        try await self.init { () throws(FormworkError) in try AtomicFile(temporaryIn: folder ?? BodySpool.usualFolder) }
    }

    /// Writes all of a chunk.
    mutating func write(_ bytes: some BodyChunk) async throws(FormworkError) {
        try await self.run { file throws(FormworkError) in try file.write(bytes) }
        self.count += Int64(bytes.byteCount)
    }

    func run<Result: Sendable>(
        _ work: @Sendable (AtomicFile) throws(FormworkError) -> Result
    ) async throws(FormworkError) -> Result {
        try await self.thread.run { [file] () throws(FormworkError) in try work(file) }
    }

    /// What was written.
    var collected: (file: AtomicFile, count: Int64) { (self.file, self.count) }
}
