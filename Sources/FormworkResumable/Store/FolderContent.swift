import Formwork
import Synchronization

/// The bytes of an upload in a folder, locked against other processes while open.
///
/// They are in one file, or in several, one after another: a large file of a form gets a file of its own, which later
/// becomes the stored file without being copied. The upload's record says where each begins, so each but the last has a
/// definite length, and what is beyond that doesn't count.
final class FolderContent: UploadContent {
    /// An open file. The last reference closes it.
    private final class OpenFile: Sendable {
        let file: AppendedFile

        init(_ file: consuming AppendedFile) { self.file = file }
    }

    private struct Files {
        /// It has the lock.
        var first: OpenFile
        /// The one to which bytes are appended.
        var last: OpenFile
        /// The one that ``split()`` makes the last, and where it begins.
        var next: (file: OpenFile, start: Int64)?
        /// Where each after the first begins.
        var starts: [Int64] = []

        var lastStart: Int64 { self.starts.last ?? 0 }
    }

    /// `nil` once it is closed.
    private let files: Mutex<Files?>
    private let path: @Sendable (_ number: Int) -> FilePath
    private let isDurable: Bool
    private let checkPlace: @Sendable () throws(FormworkError) -> Void

    /// - Parameters:
    ///   - first: The first file.
    ///   - checkPlace: Called before another file is created.
    ///   - path: Gives the path of each file by its number; the first one's is 0.
    init(
        _ first: consuming AppendedFile, isDurable: Bool,
        _ checkPlace: @escaping @Sendable () throws(FormworkError) -> Void,
        path: @escaping @Sendable (_ number: Int) -> FilePath
    ) {
        let first = OpenFile(first)
        (self.path, self.isDurable, self.checkPlace) = (path, isDurable, checkPlace)
        self.files = Mutex(Files(first: first, last: first))
    }

    private func withFiles<Result>(
        _ body: (inout Files) throws(FormworkError) -> Result
    ) throws(FormworkError) -> Result? {
        try self.files.withLock { files throws(FormworkError) in
            guard var open = files.take() else { return nil }
            defer { files = open }
            return try body(&open)
        }
    }

    // MARK: its files

    /// Opens the file in which the upload ends, and removes what a process left that was killed.
    /// - Parameter starts: Where each file after the first begins, as the record says.
    /// - Returns: Those whose files are there, after whole ones. A loss of power may have taken the others.
    func open(_ starts: [Int64]) throws(FormworkError) -> [Int64] {
        try self.withFiles { files throws(FormworkError) in
            var (whole, begin): ([Int64], Int64) = ([], 0)
            for start in starts {
                guard start >= begin, let size = self.size(whole.count), size >= start - begin,
                    self.size(whole.count + 1) != nil
                else { break }
                if size > start - begin { try self.cut(whole.count, to: start - begin, files) }
                whole.append(start)
                begin = start
            }
            self.removeFiles(after: whole.count, upTo: starts.count)
            // Closed before it is opened again.
            files.last = files.first
            files.last =
                whole.isEmpty ? files.first : OpenFile(try AppendedFile(self.path(whole.count), creating: false))
            (files.starts, files.next) = (whole, nil)
            return whole
        } ?? starts
    }

    private func size(_ number: Int) -> Int64? { FinishedFile(self.path(number))?.count }

    private func cut(_ number: Int, to count: Int64, _ files: Files) throws(FormworkError) {
        if number == 0 { return try files.first.file.truncate(to: count) }
        try AppendedFile(self.path(number), creating: false).truncate(to: count)
    }

    /// Removes the files after one. The last one goes first, so that there is never a gap before one.
    /// - Parameter last: One that may be there although one before it isn't.
    private func removeFiles(after number: Int, upTo last: Int = 0) {
        var end = max(number, last) + 1
        while self.size(end) != nil { end += 1 }
        for left in (number + 1..<end).reversed() { AtomicFile.remove(self.path(left)) }
    }

    /// Copies the bytes from an offset on, which is in the last file, to a new one. They count where they are, until
    /// ``split()``.
    /// - Throws: `writeFailed`. Nothing has changed then.
    func prepareSplit(at start: Int64) throws(FormworkError) {
        _ = try self.withFiles { files throws(FormworkError) in
            try self.checkPlace()
            let path = self.path(files.starts.count + 1)
            AtomicFile.remove(path)
            let next = OpenFile(try AppendedFile(path, creating: true))
            do throws(FormworkError) {
                var offset = start - files.lastStart
                while case let bytes = try files.last.file.bytes(at: offset, upTo: 256 << 10), !bytes.isEmpty {
                    try next.file.append(bytes)
                    offset += Int64(bytes.count)
                }
                // From now on only the last one is synced.
                try next.file.finishAppending(durably: self.isDurable)
                try files.last.file.finishAppending(durably: self.isDurable)
            } catch {
                AtomicFile.remove(path)
                throw error
            }
            files.next = (next, start)
        }
    }

    /// Appends to the prepared file from now on. The record says so already.
    func split() {
        self.files.withLock { files in
            guard let next = files?.next else { return }
            // If this fails, the file has bytes that don't count, so it is copied when its form is complete.
            try? files?.last.file.truncate(to: next.start - (files?.lastStart ?? 0))
            files?.last = next.file
            files?.next = nil
            files?.starts.append(next.start)
        }
    }

    /// Where each file after the first begins that the first `count` bytes need.
    func starts(within count: Int64) -> [Int64] {
        self.files.withLock { $0?.starts.filter { $0 <= count } ?? [] }
    }

    /// The complete files, which may get a second name each.
    /// - Parameter count: The number of all bytes.
    func finishedFiles(count: Int64) -> [FinishedFile] {
        let starts = [0] + self.starts(within: count)
        return zip(starts, starts.dropFirst() + [count]).enumerated().map { number, range in
            FinishedFile(self.path(number), count: range.1 - range.0)
        }
    }

    // MARK: its bytes

    /// The number of bytes.
    func count() throws(FormworkError) -> Int64 {
        try self.withFiles { files throws(FormworkError) in files.lastStart + (try files.last.file.count()) } ?? 0
    }

    func append(_ bytes: [UInt8], at offset: Int64) async throws { try self.append(bytes) }

    /// The same for any chunk, without a copy.
    func append(_ bytes: some BodyChunk) throws(FormworkError) {
        _ = try self.withFiles { files throws(FormworkError) in try files.last.file.append(bytes) }
    }

    /// Removes the bytes after the first `count`, and the files that only these were in. The record doesn't name them any
    /// more.
    func truncate(to count: Int64) async throws {
        let kept = self.starts(within: count)
        _ = try self.withFiles { files throws(FormworkError) in
            if kept.count < files.starts.count {
                files.last =
                    kept.isEmpty ? files.first : OpenFile(try AppendedFile(self.path(kept.count), creating: false))
                files.starts = kept
            }
            try files.last.file.truncate(to: count - files.lastStart)
            self.removeFiles(after: kept.count)
        }
    }

    func sync() async throws {
        _ = try self.withFiles { files throws(FormworkError) in
            try files.last.file.finishAppending(durably: self.isDurable)
        }
    }

    func finished(count: Int64) async throws -> BodySource {
        let files = self.finishedFiles(count: count)
        return files.count == 1 ? .file(files[0].path) : .slices(files.map(\.whole))
    }

    /// Up to `limit` bytes from an offset on; none at the end.
    func bytes(at offset: Int64, upTo limit: Int) throws(FormworkError) -> [UInt8] {
        try self.withFiles { files throws(FormworkError) in
            guard offset < files.lastStart else {
                return try files.last.file.bytes(at: offset - files.lastStart, upTo: limit)
            }
            let number = files.starts.count { $0 <= offset }
            let begin = number == 0 ? 0 : files.starts[number - 1]
            let limit = Int(min(Int64(limit), files.starts[number] - offset))
            if number == 0 { return try files.first.file.bytes(at: offset, upTo: limit) }
            return try AppendedFile(self.path(number), creating: false).bytes(at: offset - begin, upTo: limit)
        } ?? []
    }

    /// Files that have got other names keep their bytes.
    func empty() async throws {
        _ = try self.withFiles { files throws(FormworkError) in
            try files.first.file.emptyIfUnnamed()
            try files.last.file.emptyIfUnnamed()
        }
    }

    func close() async { self.files.withLock { $0 = nil } }
}
