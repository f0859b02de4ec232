import Formwork
import FormworkSystem
import FormworkEssentials

/// Uploads in a folder: `NAME.data` contains the bytes, `NAME.json` the record. A form with large files continues in
/// `NAME.1.data`, and so on (``FolderContent``).
///
/// Several processes may share the folder: only one at a time uses an upload. All state is in the files, so it survives
/// the end of the process at any moment.
struct FolderUploads: UploadStorage {
    let folder: FilePath
    /// Whether bytes and records are written to the disk before they are reported to a client.
    let isDurable: Bool

    /// The folder above, if the folder isn't a link to one: the receiver's, beside whose files others may write. Another
    /// folder may get its path later.
    private let above: AtomicFolder?
    /// Whether missing folders above it are made, too.
    private let isDeep: Bool

    init(folder: FilePath, isDurable: Bool) {
        (self.folder, self.isDurable, self.above, self.isDeep) = (folder, isDurable, nil, true)
    }

    /// The folder above must exist.
    /// - Parameter mayBeLink: Whether the folder may be a link to one.
    init(folder: FilePath, isDurable: Bool, mayBeLink: Bool) throws(FormworkError) {
        (self.folder, self.isDurable, self.isDeep) = (folder, isDurable, false)
        let above = folder.removingLastComponent()
        self.above = mayBeLink ? nil : try AtomicFolder(above.isEmpty ? "." : above)
    }

    /// Creates the folder, accessible to this user only.
    /// - Throws: `writeFailed`.
    func makeFolder() throws(FormworkError) {
        try self.checkPlace()
        // The folder above a receiver's is its destination. If that was removed, nothing could be moved there.
        try self.folder.makePrivateFolder(for: "uploads", andAbove: self.isDeep)
    }

    /// Checks that what is at the path now is the folder that was there at the start, and in it no link.
    private func checkPlace() throws(FormworkError) {
        guard let above else { return }
        try above.checkPlace()
        // A missing folder is made.
        guard let status = try? SystemCalls.linkStatus(of: self.folder), status.kind != .directory else { return }
        throw FormworkError(
            .writeFailed, "is a link, and isn't followed: remove it, or give its target with --resume-dir",
            path: self.folder.string)
    }

    func create(_ name: String, record: [UInt8]) async throws {
        try self.makeFolder()
        // The record is written last: an upload without a record doesn't exist.
        _ = try AppendedFile(self.dataPath(name), creating: true)
        do {
            try await self.keep(record, of: name)
        } catch {
            // The record may exist without having been written to the disk.
            AtomicFile.remove(self.recordPath(name))
            AtomicFile.remove(self.dataPath(name))
            throw error
        }
    }

    func record(of name: String) async throws -> [UInt8]? {
        try self.checkPlace()
        let path = self.recordPath(name).string
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        } catch let error as CocoaError {
            // Foundation's text names its domains and keys; only the system's error in it is shown.
            throw FormworkError(
                .sourceUnavailable, "an upload's record can't be read", path: path,
                cause: (error.underlying as? POSIXError).map { Errno($0.code) })
        }
    }

    func keep(_ record: [UInt8], of name: String) async throws {
        try self.checkPlace()
        try AtomicFile.writePrivate(record, to: self.recordPath(name), durably: self.isDurable)
    }

    func count(of name: String) async throws -> Int64 {
        // Only the record says how many bytes of each file count.
        if FinishedFile(self.dataPath(name, 1)) != nil,
            let starts = try await self.record(of: name).flatMap(UploadRecord.init)?.starts, let start = starts.last
        {
            let last = FinishedFile(self.dataPath(name, starts.count))?.count ?? 0
            return max(0, start) + min(last, .max - max(0, start))
        }
        // Another failure isn't an upload without bytes: its client would send them again, after those that are there.
        do throws(Errno) { return try FileValidator(ofRegularFile: self.dataPath(name))?.size ?? 0 } catch {
            guard error == .noSuchFileOrDirectory else {
                throw FormworkError(
                    .sourceUnavailable, "an upload can't be examined", path: self.dataPath(name).string, cause: error)
            }
            return 0
        }
    }

    func open(_ name: String, for memory: (any UploadMemory)?) async throws -> (any UploadContent)? {
        try self.checkPlace()
        do throws(FormworkError) {
            let first = try AppendedFile(self.dataPath(name), creating: false)
            return FolderContent(first, isDurable: self.isDurable, self.checkPlace) { self.dataPath(name, $0) }
        } catch {
            switch error.cause as? Errno {
            case .noSuchFileOrDirectory?: return nil
            case .wouldBlock?: throw UploadIsBusy()
            default: throw error
            }
        }
    }

    func discardBytes(of name: String) async throws {
        try self.checkPlace()
        self.removeData(of: name)
    }

    func discard(_ name: String) async throws {
        try self.checkPlace()
        // The record is removed first, and the upload with it.
        AtomicFile.remove(self.recordPath(name))
        self.removeData(of: name)
    }

    /// Removes all files with an upload's bytes. The last one goes first, so that the first one shows that there may be
    /// others.
    private func removeData(of name: String) {
        var end = 1
        while FinishedFile(self.dataPath(name, end)) != nil { end += 1 }
        for number in (0..<end).reversed() { AtomicFile.remove(self.dataPath(name, number)) }
    }

    func names() async throws -> [String] { try self.files().records }

    /// Removes bytes without a record that are older than an hour: the process ended while it created or removed an
    /// upload.
    func removeLeftovers(now: Date) {
        guard let files = try? self.files() else { return }
        let records = Set(files.records)
        for name in files.data where !records.contains(name) && self.age(self.dataPath(name), now) ?? 0 > 3600 {
            // A list may lack a record that was replaced while the folder was read.
            guard (try? FileValidator(ofRegularFile: self.recordPath(name))) == nil else { continue }
            self.removeData(of: name)
        }
    }

    /// The state that an upload's files show without being read; `nil` without a record.
    func stamp(of name: String) -> (record: FileValidator, size: Int64, written: Double)? {
        guard let record = try? FileValidator(ofRegularFile: self.recordPath(name)) else { return nil }
        var data = try? FileValidator(ofRegularFile: self.dataPath(name))
        var (size, number) = (data?.size ?? 0, 1)
        while data != nil, let next = try? FileValidator(ofRegularFile: self.dataPath(name, number)) {
            (data, size, number) = (next, size + min(next.size, .max - size), number + 1)
        }
        return (record, size, Double((data ?? record).modified.seconds))
    }

    /// Seconds since a record was written; `nil` if that can't be determined.
    func age(ofRecord name: String, now: Date) -> TimeInterval? { self.age(self.recordPath(name), now) }

    /// Whether the disk has room for this many bytes; `true` if that can't be determined.
    func diskHasRoom(for length: Int64) -> Bool {
        // If the folder doesn't exist yet, it will be on the same disk as its parent.
        let above = self.folder.removingLastComponent()
        let bytes = DiskSpace.available(at: self.folder) ?? DiskSpace.available(at: above.isEmpty ? "." : above)
        return bytes.map { length <= $0 } ?? true
    }

    /// - Parameter number: Of the file; the first is 0.
    private func dataPath(_ name: String, _ number: Int = 0) -> FilePath {
        self.folder.appending(number == 0 ? "\(name).data" : "\(name).\(number).data")
    }

    private func recordPath(_ name: String) -> FilePath { self.folder.appending("\(name).json") }

    /// The uploads' names, by kind of file.
    private struct Files {
        var records: [String] = []
        var data: [String] = []
    }

    /// Lists both kinds at once, so that bytes don't look as if they had no record.
    private func files() throws(FormworkError) -> Files {
        try self.checkPlace()
        let all: [String]
        do throws(Errno) {
            let folder = try SystemCalls.open(self.folder, .readOnly, .directory)
            defer { try? SystemCalls.close(folder) }
            all = try SystemCalls.names(in: folder)
        } catch {
            // The folder is created for the first upload.
            if error == .noSuchFileOrDirectory { return Files() }
            throw FormworkError(
                .writeFailed, "the uploads in it can't be listed", path: self.folder.string, cause: error)
        }
        func names(_ suffix: String) -> [String] {
            all.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
                .filter(UploadStore.isName)
        }
        return Files(records: names(".json"), data: names(".data"))
    }

    private func age(_ path: FilePath, _ now: Date) -> TimeInterval? {
        guard let modified = (try? FileValidator(ofRegularFile: path))?.modified else { return nil }
        return now.timeIntervalSince1970 - Double(modified.seconds)
    }
}

extension FilePath {
    /// Makes the folder, unless it exists. Only this user may read a new one.
    /// - Parameters:
    ///   - content: What is kept in it, for the error.
    ///   - isDeep: Whether missing folders above it are made, too.
    /// - Throws: ``FormworkError/Code/writeFailed``.
    func makePrivateFolder(for content: String, andAbove isDeep: Bool = true) throws(FormworkError) {
        do throws(Errno) {
            if isDeep { try self.makePrivateFolders() } else { try SystemCalls.makePrivateFolder(self) }
        } catch {
            guard error != .noSuchFileOrDirectory else { throw AtomicFolder.unusable(self, error) }
            throw FormworkError(
                .writeFailed, "can't be used as a folder for \(content)", path: self.string, cause: error)
        }
    }

    private func makePrivateFolders() throws(Errno) {
        do throws(Errno) { try SystemCalls.makePrivateFolder(self) } catch {
            let above = self.removingLastComponent()
            guard error == .noSuchFileOrDirectory, !above.isEmpty else { throw error }
            try above.makePrivateFolders()
            try SystemCalls.makePrivateFolder(self)
        }
    }
}
