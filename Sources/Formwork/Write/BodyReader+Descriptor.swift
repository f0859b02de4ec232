import FormworkCore
import SystemPackage

extension BodyReader {
    /// Writes the rest of the body to a descriptor, which stays the caller's, by the fastest way for its kind.
    ///
    /// Blocks the calling thread, and sleeps it where a rate limit asks for that. A non-blocking descriptor is waited
    /// for. A closed pipe or a size limit is an error, never a signal.
    /// - Returns: Bytes written.
    /// - Throws: What ``read(into:)`` throws, and ``FormworkError/Code/writeFailed`` with the system's reason.
    @discardableResult
    public func write(to descriptor: FileDescriptor) throws(FormworkError) -> Int64 {
        let start = self.position
        try SystemCalls.withoutWriteSignals { () throws(FormworkError) in
            var writer = try DescriptorWriter(descriptor)
            try writer.write(self)
        }
        return self.position - start
    }
}

/// Moves a body into one descriptor.
struct DescriptorWriter {
    /// Framing, streams and small files go through a buffer of this size. Measured on pipes, sockets and files:
    /// half of it costs a tenth, twice as much gains nothing.
    private static let bufferSize = 256 << 10
    /// A larger pipe lets sendfile hand over more pages a wake-up; this is what an unprivileged process may ask for.
    private static let pipeSize: CInt = 1 << 20
    /// The most bytes of one kernel call, so that progress is seen.
    private static let kernelChunk: Int64 = 8 << 20
    /// Bytes at the end of a file, at least, that are copied into a pipe after its reader has taken all before them.
    private static let heldBack: Int64 = 4 << 10

    private let descriptor: FileDescriptor
    private let isPipe: Bool
    private var way: KernelWay?
    /// Whether the pipe may hold references to a file's cached pages: what is written to the file now changes what the
    /// reader gets.
    private var holdsReferences = false
    private var buffer = [UInt8](repeating: 0, count: bufferSize)

    init(_ descriptor: FileDescriptor) throws(FormworkError) {
        self.descriptor = descriptor
        do throws(Errno) {
            let kind = try SystemCalls.status(of: descriptor).kind
            (self.way, self.isPipe) = (Self.way(for: kind), kind == .fifo)
        } catch {
            throw FormworkError(.writeFailed, "descriptor \(descriptor.rawValue) can't be written", cause: error)
        }
        if self.isPipe { SystemCalls.enlargePipe(descriptor, to: Self.pipeSize) }
    }

    /// How the kernel moves file content to a descriptor of this kind: the one place where that is chosen, by what
    /// `scripts/bench` measures. Sockets go through the buffer: sendfile into loopback takes 1.3 to 1.5 times as long.
    private static func way(for kind: FileType) -> KernelWay? {
        switch kind {
        case .fifo, .characterSpecial: .sendfile
        case .regular: .copyFileRange
        default: nil
        }
    }

    /// File content of this many bytes or more is moved by calls of its own. A file that is begun like that waits for the
    /// pipe's reader once, so it has to be longer than the pipe: a caller that reads afterwards what it wrote never waits.
    private var kernelMinimum: Int64 {
        switch self.way {
        case nil: .max
        case .sendfile where self.isPipe && !self.holdsReferences: Int64(Self.pipeSize) + Self.heldBack
        default: 64 << 10
        }
    }

    mutating func write(_ reader: BodyReader) throws(FormworkError) {
        while true {
            let delay = reader.delay
            if delay > .zero { SystemCalls.sleep(delay) }
            if try self.moveByKernel(reader) { continue }
            // The file's end is read, and the file is checked, when nothing of it can change any more.
            try self.waitForReader(reader)
            let count = try self.fillBuffer(reader)
            if count > 0 {
                try self.writeBuffer(count, reader)
            } else if try reader.kernelRun(from: self.kernelMinimum) == nil {
                return
            }
        }
    }

    private mutating func waitForReader(_ reader: BodyReader) throws(FormworkError) {
        guard self.holdsReferences else { return }
        do throws(Errno) { try SystemCalls.waitUntilEmpty(self.descriptor) } catch {
            throw self.failed(error, reader)
        }
        self.holdsReferences = false
    }

    /// Reads as much as fits and precedes file content for the kernel.
    private mutating func fillBuffer(_ reader: BodyReader) throws(FormworkError) -> Int {
        let minimum = self.kernelMinimum
        var elements = self.buffer.mutableSpan
        // SAFETY: every bit pattern is a UInt8.
        var bytes = unsafe elements.mutableBytes
        let (count, needsChunk) = try reader.fill(&bytes, leavingFilesFrom: minimum)
        // An async sequence can't be waited for here: `read` says so.
        return count == 0 && needsChunk ? try reader.read(into: &bytes) : count
    }

    private func writeBuffer(_ count: Int, _ reader: BodyReader) throws(FormworkError) {
        var done = 0
        while done < count {
            do throws(Errno) {
                done += try self.waiting { () throws(Errno) in
                    try SystemCalls.write(self.descriptor, self.buffer, done..<count)
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
                try SystemCalls.transfer(way, from: run.descriptor, at: &offset, to: self.descriptor, count: count)
            }
        } catch {
            if Self.isDestinations(error) { throw self.failed(error, reader) }
            // Anything else may be the way's own refusal (append mode, another file system) or the source's fault:
            // the buffer works where it does, and says which it is.
            self.way = nil
            return true
        }
        if moved > 0 {
            self.holdsReferences = self.isPipe
            try reader.advance(by: moved)
        } else {
            // The file ended early, or this file system has the kernel say 0: reading tells.
            self.way = nil
        }
        return true
    }

    private static func isDestinations(_ error: Errno) -> Bool {
        switch error {
        case .brokenPipe, .noSpace, .fileTooLarge, .diskQuotaExceeded, .connectionReset: true
        default: false
        }
    }

    private func waiting(_ call: () throws(Errno) -> Int) throws(Errno) -> Int {
        while true {
            do throws(Errno) {
                return try call()
            } catch .wouldBlock {
                try SystemCalls.wait(self.descriptor, for: .write)
            } catch .interrupted {
                continue
            }
        }
    }

    private func failed(_ error: Errno, _ reader: BodyReader) -> FormworkError {
        // Bytes that were taken from the reader are lost: it must not go on as if they had been sent.
        reader.fail(FormworkError(.writeFailed, "the body can't be written", cause: error))
    }
}
