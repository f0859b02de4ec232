import NIOPosix

/// Copies ranges of one file to the end of another, one after another, while the next ones are being found.
///
/// Used by one task at a time.
actor FileCopies {
    /// Bytes that are copied at once.
    private static let stepSize: Int64 = 8 << 20

    private let copy: @Sendable (Range<Int64>) throws -> Void
    /// The range that isn't being copied yet.
    private var next: Range<Int64>?
    private var running: Task<Void, any Error>?

    /// - Parameter copy: Copies a range. Runs on a thread for blocking calls.
    init(_ copy: @escaping @Sendable (Range<Int64>) throws -> Void) { self.copy = copy }

    /// Adds a range. Waits for the copy before, if there is one and enough is there for another.
    /// - Throws: The error of an earlier copy.
    func add(_ range: Range<Int64>) async throws {
        if let next, next.upperBound == range.lowerBound {
            self.next = next.lowerBound..<range.upperBound
        } else {
            try await self.start()
            self.next = range
        }
        if let next, Int64(next.count) >= Self.stepSize { try await self.start() }
    }

    /// Copies the rest.
    /// - Throws: The error of a copy.
    func finish() async throws {
        try await self.start()
        try await self.running?.value
    }

    /// Waits until nothing is copied any more.
    func end() async {
        self.next = nil
        _ = await self.running?.result
    }

    private func start() async throws {
        try await self.running?.value
        guard let next else { return }
        self.next = nil
        let copy = self.copy
        // Not a child task: it runs while its starter looks for the next range. end() waits for it.
        self.running = Task { try await NIOThreadPool.singleton.runIfActive { try copy(next) } }
    }
}
