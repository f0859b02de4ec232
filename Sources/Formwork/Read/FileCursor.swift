import FormworkCore
import SystemPackage

/// Reads a stretch of a file and holds the file to what it was when planned.
///
/// The file is opened at the first byte and checked before any is given, when it ends early, and after the last byte.
/// A stretch that one read takes whole is checked once, after that read: the check covers the opening too, and no byte
/// was given before it.
final class FileCursor: SourceCursor {
    private let file: PlannedFile
    private var descriptor: FileDescriptor?
    /// Where the next byte stands in the file.
    private var position: Int64
    private var remaining: Int64
    private var isChecked = false
    private(set) var isFinished = false

    init(_ file: PlannedFile, at offset: Int64) {
        self.file = file
        self.position = file.offset + offset
        self.remaining = file.length - offset
    }

    /// Opens a file that no plan saw, and takes its state as it is now.
    /// - Throws: `sourceUnavailable` for anything else than a regular file.
    init(opening path: FilePath) throws(FormworkError) {
        do throws(Errno) {
            let descriptor = try SystemCalls.open(path, .readOnly, .nonBlocking)
            self.descriptor = descriptor
            let status = try SystemCalls.status(of: descriptor)
            self.file = PlannedFile(origin: .path(path), offset: 0, length: status.validator.size, status: status)
        } catch {
            throw FormworkError(.sourceUnavailable, "can't be opened", path: path.string, cause: error)
        }
        SystemCalls.waitForTick(after: self.file.status.validator.modified)
        self.position = 0
        self.remaining = self.file.length
        self.isChecked = true
        guard self.file.status.kind == .regular else {
            self.close()
            throw self.error(.sourceUnavailable, "is not a regular file")
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
            // Unchanged, and yet shorter than it says.
            throw self.error(
                .sourceUnavailable,
                "says that it has \(self.file.status.validator.size) bytes but ended at file offset \(self.position), as "
                    + "files of /sys do: \(self.wayOut)")
        }
        guard self.remaining == 0 else { return }
        try self.check(descriptor)
        self.isFinished = true
        self.close()
    }

    private func open() throws(FormworkError) -> FileDescriptor {
        if let descriptor = self.descriptor { return descriptor }
        // What is read has to be one state, and a write in this tick couldn't be told from the one before.
        SystemCalls.waitForTick(after: self.file.status.validator.modified)
        switch self.file.origin {
        case .descriptor(let descriptor, _): self.descriptor = descriptor
        case .path(let path):
            do {
                // Non-blocking, because a FIFO may have taken the file's place; regular files don't mind.
                self.descriptor = try SystemCalls.open(path, .readOnly, .nonBlocking)
            } catch .noSuchFileOrDirectory {
                throw self.error(.sourceChanged, "the file vanished since it was planned")
            } catch {
                throw self.error(.sourceUnavailable, "can't be opened", error)
            }
        }
        return self.descriptor!
    }

    private func checkOnce(_ descriptor: FileDescriptor) throws(FormworkError) {
        guard !self.isChecked else { return }
        try self.check(descriptor)
        self.isChecked = true
    }

    /// Compares the open file, and where its inode was touched the path too, with what was planned.
    private func check(_ descriptor: FileDescriptor) throws(FormworkError) {
        let now: FileStatus
        do { now = try SystemCalls.status(of: descriptor) } catch {
            throw self.error(.sourceUnavailable, "can't be looked at", error)
        }
        if let change = self.file.status.validator.change(to: now.validator) {
            throw self.error(.sourceChanged, "the file \(change) since it was planned")
        }
        // Renaming and unlinking show in the change time alone: then the path tells whether the file is still there.
        guard now.changed != self.file.status.changed, case .path(let path) = self.file.origin else { return }
        guard let there = try? SystemCalls.status(of: path) else {
            throw self.error(.sourceChanged, "the file vanished since it was planned")
        }
        if let change = self.file.status.validator.change(to: there.validator) {
            throw self.error(.sourceChanged, "the file \(change) since it was planned")
        }
    }

    /// Files of /proc say 0 bytes and have some: they would be lost without a word.
    private func checkReallyEmpty(_ descriptor: FileDescriptor) throws(FormworkError) {
        guard self.file.status.validator.size == 0 else { return }
        var probe: [UInt8] = []
        do throws(Errno) {
            try probe.append(upTo: 1) { room throws(Errno) in try SystemCalls.read(descriptor, at: 0, into: &room) }
        } catch {
            throw self.error(.sourceUnavailable, "can't be read at file offset 0", error)
        }
        if !probe.isEmpty {
            try self.check(descriptor)
            throw self.error(
                .sourceUnavailable, "says that it has 0 bytes but has some, as files of /proc do: \(self.wayOut)")
        }
    }

    /// How to send a file whose length is not what it says.
    private var wayOut: String {
        if case .path = self.file.origin { "pass it as a stream" } else { "pass it through a pipe, as cat writes it" }
    }

    private func close() {
        if case .path = self.file.origin, let descriptor = self.descriptor { try? SystemCalls.close(descriptor) }
        self.descriptor = nil
    }

    private func error(_ code: FormworkError.Code, _ message: String, _ cause: Errno? = nil) -> FormworkError {
        FormworkError(code, message, path: self.file.path, cause: cause)
    }
}
