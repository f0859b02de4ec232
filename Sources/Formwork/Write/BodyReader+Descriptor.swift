import FormworkSystem

extension BodyReader {
    /// Writes the rest of the body to the caller's descriptor, in the fastest way for its kind.
    ///
    /// It blocks the calling thread, also for a rate limit and for a non-blocking descriptor. A closed pipe or a size
    /// limit is an error, never a signal.
    /// - Returns: The number of bytes written.
    /// - Throws: What ``read(into:)`` throws, and ``FormworkError/Code/writeFailed`` with the system's reason.
    @discardableResult
    public func write(to descriptor: FileDescriptor) throws(FormworkError) -> Int64 {
        try self.write(to: descriptor, isNew: false)
    }

    /// - Parameter isNew: Whether it is a file that was made for this: it isn't an input, even if it has the number of a file
    ///   that was removed.
    func write(to descriptor: FileDescriptor, isNew: Bool) throws(FormworkError) -> Int64 {
        let start = self.position
        var writer = try DescriptorWriter(descriptor, for: isNew ? nil : self.plan)
        defer { writer.close() }
        loop: while true {
            let delay = self.delay
            if delay > .zero { SystemCalls.sleep(delay) }
            switch try writer.step(self) {
            case .wrote: continue
            // `read` throws the error.
            case .needsChunk: _ = try self.read(upTo: 1)
            case .ended: break loop
            }
        }
        try writer.finish(self)
        return self.position - start
    }
}

extension ThreadReader {
    /// Writes the rest of the body. Waiting for an async sequence or a rate limit suspends the task.
    func write(to descriptor: FileDescriptor, isNew: Bool = false) async throws -> Int64 {
        let reader = self.reading.reader
        let start = reader.position
        var writer = try DescriptorWriter(descriptor, for: isNew ? nil : reader.plan)
        defer { writer.close() }
        do {
            loop: while true {
                try Task.checkCancellation()
                let delay = reader.delay
                if delay > .zero { try await Task.sleep(for: delay.asWait) }
                switch try writer.step(reader) {
                case .wrote: continue
                case .needsChunk: try await reader.fetchChunk(isolation: self)
                case .ended: break loop
                }
            }
            try writer.finish(reader)
        } catch {
            throw Task.isCancelled ? CancellationError() : error
        }
        return reader.position - start
    }
}

/// Moves a body into one descriptor. In a task, waiting for a pipe or a socket ends when the task is cancelled.
struct DescriptorWriter {
    /// What a step did.
    enum Step {
        case wrote
        /// Nothing can be written before ``BodyReader/fetchChunk(isolation:)``.
        case needsChunk
        case ended
    }

    /// The size of the buffer for framing, streams and small files. Measured on pipes, sockets and files: half of it
    /// costs a tenth of the speed, twice as much gains nothing.
    private static let bufferSize = 256 << 10
    /// A larger pipe lets sendfile pass more pages at once. This is the most that an unprivileged process may request.
    private static let pipeSize: CInt = 1 << 20
    /// The most bytes of one kernel call, so that progress is reported.
    private static let kernelChunk: Int64 = 8 << 20
    /// The least number of bytes at the end of a file that are copied into a pipe after its reader has read all bytes
    /// before them.
    private static let heldBack: Int64 = 4 << 10

    private let descriptor: FileDescriptor
    /// Whether the descriptor was opened here.
    private let isOwned: Bool
    private let isPipe: Bool
    private let isFile: Bool
    /// Whether it is a socket that must not block.
    private let sends: Bool
    private var way: KernelWay?
    /// Whether the pipe may hold references to a file's cached pages. Then a write to the file changes what the reader
    /// gets.
    private var holdsReferences = false
    private var buffer = [UInt8](repeating: 0, count: bufferSize)

    /// - Parameter plan: The body, whose files are refused; `nil` if the descriptor can't be one of them.
    init(_ descriptor: FileDescriptor, for plan: BodyPlan?) throws(FormworkError) {
        let status: FileStatus
        do throws(Errno) { status = try SystemCalls.status(of: descriptor) } catch {
            throw FormworkError(.writeFailed, "descriptor \(descriptor.rawValue) can't be written", cause: error)
        }
        let kind = status.kind
        (self.way, self.isPipe, self.isFile) = (Self.way(for: kind), kind == .fifo, kind == .regular)
        if self.isFile { try plan?.refuseInput(status) }
        if self.isPipe { SystemCalls.enlargePipe(descriptor, to: Self.pipeSize) }
        let isInTask = SystemCalls.isInTask
        let own = self.isPipe && isInTask ? SystemCalls.openAgainNonBlocking(descriptor) : nil
        (self.descriptor, self.isOwned) = (own ?? descriptor, own != nil)
        self.sends = kind == .socket && isInTask
    }

    /// Closes what was opened here. Call it once.
    func close() { if self.isOwned { try? SystemCalls.close(self.descriptor) } }

    /// How the kernel moves file content to a descriptor of this kind, chosen from what `scripts/bench` measures.
    /// Sockets use the buffer: sendfile into loopback takes 1.3 to 1.5 times as long.
    private static func way(for kind: FileType) -> KernelWay? {
        switch kind {
        case .fifo: .sendfile
        case .characterSpecial: .splice(SplicePipe(size: Self.pipeSize))
        case .regular: .copyFileRange
        default: nil
        }
    }

    /// The least file content that the kernel moves. The end of such a file waits for the pipe's reader, so the file
    /// must be longer than the pipe. Otherwise a caller that first writes and then reads would wait for itself.
    private var kernelMinimum: Int64 {
        switch self.way {
        case nil: .max
        case .sendfile where self.isPipe && !self.holdsReferences: Int64(Self.pipeSize) + Self.heldBack
        default: 64 << 10
        }
    }

    /// Moves the next bytes. It waits until the descriptor accepts them.
    mutating func step(_ reader: BodyReader) throws(FormworkError) -> Step {
        if try self.moveByKernel(reader) { return .wrote }
        // The file's end is read and the file is checked only after the pipe holds no references to it.
        try self.waitForReader(reader)
        let (count, needsChunk) = try self.fillBuffer(reader)
        if count > 0 {
            try self.writeBuffer(count, reader)
            return .wrote
        }
        if needsChunk { return .needsChunk }
        return try reader.kernelRun(from: self.kernelMinimum) == nil ? .ended : .wrote
    }

    /// Throws what the file system reports only now of the bytes that it was given.
    func finish(_ reader: BodyReader) throws(FormworkError) {
        guard self.isFile else { return }
        do throws(Errno) { try SystemCalls.flush(self.descriptor) } catch { throw self.failed(error, reader) }
    }

    private mutating func waitForReader(_ reader: BodyReader) throws(FormworkError) {
        guard self.holdsReferences else { return }
        do throws(Errno) { try SystemCalls.waitUntilEmpty(self.descriptor) } catch {
            throw self.failed(error, reader)
        }
        self.holdsReferences = false
    }

    /// Fills the buffer with bytes up to the next file content for the kernel.
    private mutating func fillBuffer(_ reader: BodyReader) throws(FormworkError) -> (count: Int, needsChunk: Bool) {
        let minimum = self.kernelMinimum
        var elements = self.buffer.mutableSpan
        // SAFETY: every bit pattern is a UInt8.
        var bytes = unsafe elements.mutableBytes
        return try reader.fill(&bytes, leavingFilesFrom: minimum)
    }

    private func writeBuffer(_ count: Int, _ reader: BodyReader) throws(FormworkError) {
        var done = 0
        while done < count {
            do throws(Errno) {
                done += try self.waiting { () throws(Errno) in
                    try self.sends
                        ? SystemCalls.sendNow(self.descriptor, self.buffer, done..<count)
                        : SystemCalls.write(self.descriptor, self.buffer, done..<count)
                }
            } catch {
                throw self.failed(error, reader)
            }
        }
    }

    /// Moves one chunk, if file content comes next.
    private mutating func moveByKernel(_ reader: BodyReader) throws(FormworkError) -> Bool {
        guard let way = self.way, let run = try reader.kernelRun(from: self.kernelMinimum) else { return false }
        var offset = run.offset
        let count = Int(min(run.remaining - (self.isPipe ? Self.heldBack : 0), run.packet, Self.kernelChunk))
        let moved: Int
        do throws(Errno) {
            moved = try self.waiting { () throws(Errno) in
                try way.transfer(from: run.descriptor, at: &offset, to: self.descriptor, count: count)
            }
        } catch {
            if Self.isDestinations(error) { throw self.failed(error, reader) }
            // Other errors may come from this system call (append mode, another file system) or from the source. With
            // the buffer, writing either works or throws the right error.
            self.way = nil
            return true
        }
        if moved > 0 {
            self.holdsReferences = self.isPipe
            try reader.advance(by: moved)
        } else {
            // The file ended early, or the kernel returns 0 for this file system. Reading finds out which.
            self.way = nil
        }
        return true
    }

    private static func isDestinations(_ error: Errno) -> Bool {
        switch error {
        case .brokenPipe, .noSpace, .fileTooLarge, .diskQuotaExceeded, .connectionReset, .canceled: true
        default: false
        }
    }

    /// Repeats a call that writes until the descriptor accepts bytes.
    private func waiting(_ call: () throws(Errno) -> Int) throws(Errno) -> Int {
        while true {
            do throws(Errno) {
                return try SystemCalls.withoutWriteSignals(to: self.descriptor, call)
            } catch .wouldBlock {
                try SystemCalls.waitUnlessCancelled(self.descriptor, for: .write)
            } catch .interrupted {
                continue
            }
        }
    }

    private func failed(_ error: Errno, _ reader: BodyReader) -> FormworkError {
        // Bytes that were read are lost, so the reader must not continue as if they had been sent.
        reader.fail(FormworkError(.writeFailed, "the body can't be written", cause: error))
    }
}
