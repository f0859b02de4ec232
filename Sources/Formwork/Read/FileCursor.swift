import FormworkSystem

/// Reads a slice of a file, and checks that the file is in the state in which it was planned.
///
/// The file is opened for the first byte. It is checked before any byte is returned, if it ends early, and after the
/// last byte. A slice that fits in one read is checked once, after that read, which also covers the opening.
final class FileCursor: SourceCursor {
    private let file: PlannedFile
    private var descriptor: FileDescriptor?
    /// The next byte's offset in the file.
    private var position: Int64
    private var remaining: Int64
    private var isChecked = false
    private(set) var isFinished = false

    init(_ file: PlannedFile, at offset: Int64) {
        self.file = file
        self.position = file.offset + offset
        self.remaining = file.length - offset
    }

    /// Opens a file that was not planned, in its current state.
    /// - Throws: `sourceUnavailable` for anything but a regular file.
    init(opening path: FilePath) throws(FormworkError) {
        do throws(Errno) {
            let (descriptor, status) = try Self.open(path)
            self.descriptor = descriptor
            self.file = PlannedFile(origin: .path(path), offset: 0, length: status.validator.size, status: status)
        } catch {
            throw FormworkError(.sourceUnavailable, "can't be opened", path: path.string, cause: error)
        }
        self.position = 0
        self.remaining = self.file.length
        self.isChecked = true
        self.waitForWriter(self.descriptor!)
        guard self.file.status.kind == .regular else {
            self.close()
            throw self.error(.sourceUnavailable, "is not a regular file")
        }
    }

    private static func open(_ path: FilePath) throws(Errno) -> (FileDescriptor, FileStatus) {
        let descriptor = try SystemCalls.open(path, .readOnly, .nonBlocking)
        do throws(Errno) { return (descriptor, try SystemCalls.status(of: descriptor)) } catch {
            try? SystemCalls.close(descriptor)
            throw error
        }
    }

    deinit { self.close() }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        guard !self.isFinished else { return 0 }
        let descriptor = try self.open()
        if self.remaining > buffer.byteCount { try self.checkOnce(descriptor) }
        let count = Int(min(Int64(buffer.byteCount), self.remaining))
        var done = 0
        while done < count {
            var room = buffer._mutatingExtracting(done..<count)
            let got: Int
            do {
                got = try SystemCalls.read(descriptor, at: self.position + Int64(done), into: &room)
            } catch {
                // A folder or FIFO that has replaced the file can be opened, but not read.
                try self.check(descriptor)
                throw self.error(.sourceUnavailable, "can't be read at file offset \(self.position)", error)
            }
            guard got > 0 else { break }
            done += got
        }
        if self.file.length == 0 { try self.checkReallyEmpty(descriptor) }
        try self.take(done, endedEarly: done < count, descriptor)
        return done
    }

    var fileCount: Int64 { self.isFinished ? 0 : self.remaining }

    var kernelRun: KernelRun? {
        get throws(FormworkError) {
            guard !self.isFinished, self.remaining > 0 else { return nil }
            let descriptor = try self.open()
            try self.checkOnce(descriptor)
            return KernelRun(descriptor: descriptor, offset: self.position, remaining: self.remaining)
        }
    }

    func advance(by count: Int) throws(FormworkError) {
        guard let descriptor = self.descriptor else { return }
        try self.take(count, endedEarly: false, descriptor)
    }

    func verify() throws(FormworkError) {
        if let descriptor = self.descriptor { try self.check(descriptor) }
    }

    private func take(_ count: Int, endedEarly: Bool, _ descriptor: FileDescriptor) throws(FormworkError) {
        self.position += Int64(count)
        self.remaining -= Int64(count)
        if endedEarly {
            try self.check(descriptor)
            // The file is unchanged, but shorter than its size.
            throw self.error(
                .sourceUnavailable,
                "has a size of \(self.file.status.validator.size, "byte") but ended at file offset \(self.position), as "
                    + "files of /sys do: \(self.wayOut)")
        }
        guard self.remaining == 0 else { return }
        try self.check(descriptor)
        self.isFinished = true
        self.close()
    }

    private func open() throws(FormworkError) -> FileDescriptor {
        if let descriptor = self.descriptor { return descriptor }
        switch self.file.origin {
        case .descriptor(let descriptor, _): self.descriptor = descriptor
        case .path(let path):
            do {
                // Non-blocking, because a FIFO may have replaced the file. It has no effect on regular files.
                self.descriptor = try SystemCalls.open(path, .readOnly, .nonBlocking)
            } catch .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels {
                throw self.error(.sourceChanged, "the file was removed since it was planned")
            } catch {
                throw self.error(.sourceUnavailable, "can't be opened", error)
            }
        }
        self.waitForWriter(self.descriptor!)
        return self.descriptor!
    }

    /// All bytes must be of one state. Neither a write that is under way nor a second one in the same tick changes the
    /// modification time.
    private func waitForWriter(_ descriptor: FileDescriptor) {
        let modified = self.file.status.validator.modified
        SystemCalls.waitForTick(after: modified)
        let isOurs = if case .path = self.file.origin { true } else { false }
        SystemCalls.waitForWrite(to: descriptor, modified: modified, keepsPosition: !isOurs)
    }

    private func checkOnce(_ descriptor: FileDescriptor) throws(FormworkError) {
        guard !self.isChecked else { return }
        try self.check(descriptor)
        self.isChecked = true
    }

    /// Compares the open file with its planned state, and the path too if the inode was changed.
    private func check(_ descriptor: FileDescriptor) throws(FormworkError) {
        let now: FileStatus
        do { now = try SystemCalls.status(of: descriptor) } catch {
            throw self.error(.sourceUnavailable, "can't be checked", error)
        }
        if let change = self.file.status.validator.change(to: now.validator) {
            throw self.error(.sourceChanged, "the file \(change) since it was planned: plan again")
        }
        // Renaming and unlinking change only the change time. Then the path shows whether the file still exists.
        guard now.changed != self.file.status.changed, case .path(let path) = self.file.origin else { return }
        guard let there = try? SystemCalls.status(of: path) else {
            throw self.error(.sourceChanged, "the file was removed since it was planned")
        }
        if let change = self.file.status.validator.change(to: there.validator) {
            throw self.error(.sourceChanged, "the file \(change) since it was planned: plan again")
        }
    }

    /// Files of /proc have a size of 0 but have content, which would be lost silently.
    private func checkReallyEmpty(_ descriptor: FileDescriptor) throws(FormworkError) {
        guard self.file.status.validator.size == 0 else { return }
        var probe: [UInt8] = []
        do throws(Errno) {
            try probe.append(upTo: 1) { room throws(Errno) in try SystemCalls.read(descriptor, at: 0, into: &room) }
        } catch {
            try self.check(descriptor)
            throw self.error(.sourceUnavailable, "can't be read at file offset 0", error)
        }
        if !probe.isEmpty {
            try self.check(descriptor)
            throw self.error(
                .sourceUnavailable, "has a size of 0 bytes but has content, as files of /proc do: \(self.wayOut)")
        }
    }

    /// How to send a file whose length is not its size.
    private var wayOut: String {
        if case .path = self.file.origin { FormworkError.streamAdvice } else { "pass it through a pipe, as with cat" }
    }

    private func close() {
        if case .path = self.file.origin, let descriptor = self.descriptor { try? SystemCalls.close(descriptor) }
        self.descriptor = nil
    }

    private func error(_ code: FormworkError.Code, _ message: String, _ cause: Errno? = nil) -> FormworkError {
        FormworkError(code, message, path: self.file.path, cause: cause)
    }
}

extension FormworkError {
    /// The end of the message for a file that has content but no size. The command replaces it.
    package static let streamAdvice = "pass it as a stream"
}
