#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import FormworkSystem
import FormworkFiles
import Synchronization
import SystemPackage

/// Uploads in a folder: `NAME.data` contains the bytes, `NAME.json` the record.
///
/// Several processes may share the folder: only one at a time uses an upload. All state is in the files, so it survives
/// the end of the process at any moment.
struct FolderUploads: UploadStorage {
    let folder: FilePath
    /// Whether bytes and records are written to the disk before they are reported to a client.
    let isDurable: Bool

    /// Creates the folder, accessible to this user only.
    /// - Throws: `writeFailed`.
    func makeFolder() throws(FormworkError) { try self.folder.makePrivateFolder(for: "uploads") }

    func create(_ name: String, record: [UInt8]) async throws {
        try self.makeFolder()
        // The record is written last: an upload without a record doesn't exist.
        _ = try AppendedFile(self.dataPath(name), creating: true)
        do {
            try await self.keep(record, of: name)
        } catch {
            // The record may exist without having been written to the disk.
            PrivateFile.remove(self.recordPath(name))
            PrivateFile.remove(self.dataPath(name))
            throw error
        }
    }

    func record(of name: String) async throws -> [UInt8]? {
        do {
            return Array(try Data(contentsOf: URL(filePath: self.recordPath(name).string)))
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        }
    }

    func keep(_ record: [UInt8], of name: String) async throws {
        try PrivateFile.write(record, to: self.recordPath(name), durably: self.isDurable)
    }

    func count(of name: String) async throws -> Int64 {
        // Another failure isn't an upload without bytes: its client would send them again, after those that are there.
        do throws(Errno) { return try FileValidator(ofRegularFile: self.dataPath(name))?.size ?? 0 } catch {
            guard error == .noSuchFileOrDirectory else {
                throw FormworkError(
                    .sourceUnavailable, "an upload can't be examined", path: self.dataPath(name).string, cause: error)
            }
            return 0
        }
    }

    func open(_ name: String) async throws -> (any UploadContent)? {
        do throws(FormworkError) {
            return FolderContent(try AppendedFile(self.dataPath(name), creating: false), isDurable: self.isDurable)
        } catch {
            switch error.cause as? Errno {
            case .noSuchFileOrDirectory?: return nil
            case .wouldBlock?: throw UploadIsBusy()
            default: throw error
            }
        }
    }

    func discardBytes(of name: String) async throws { PrivateFile.remove(self.dataPath(name)) }

    func discard(_ name: String) async throws {
        // The record is removed first, and the upload with it.
        PrivateFile.remove(self.recordPath(name))
        PrivateFile.remove(self.dataPath(name))
    }

    func names() async throws -> [String] { try self.files().records }

    /// Removes bytes without a record that are older than an hour: the process ended while it created or removed an
    /// upload.
    func removeLeftovers(now: Date) {
        guard let files = try? self.files() else { return }
        let records = Set(files.records)
        for name in files.data where !records.contains(name) && self.age(self.dataPath(name), now) ?? 0 > 3600 {
            PrivateFile.remove(self.dataPath(name))
        }
    }

    /// The state that an upload's files show without being read; `nil` without a record.
    func stamp(of name: String) -> (record: FileValidator, size: Int64, written: Double)? {
        guard let record = try? FileValidator(ofRegularFile: self.recordPath(name)) else { return nil }
        let data = try? FileValidator(ofRegularFile: self.dataPath(name))
        return (record, data?.size ?? 0, Double((data ?? record).modified.seconds))
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

    private func dataPath(_ name: String) -> FilePath { self.folder.appending("\(name).data") }
    private func recordPath(_ name: String) -> FilePath { self.folder.appending("\(name).json") }

    /// The uploads' names, by kind of file.
    private struct Files {
        var records: [String] = []
        var data: [String] = []
    }

    /// Lists both kinds at once, so that bytes don't look as if they had no record.
    private func files() throws(FormworkError) -> Files {
        let all: [String]
        do { all = try FileManager.default.contentsOfDirectory(atPath: self.folder.string) } catch {
            // The folder is created for the first upload.
            if (error as? CocoaError)?.code == .fileReadNoSuchFile { return Files() }
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

/// The bytes of an upload in a folder, locked against other processes while open.
final class FolderContent: UploadContent {
    private let file: Mutex<AppendedFile?>
    private let path: FilePath
    private let isDurable: Bool

    init(_ file: consuming AppendedFile, isDurable: Bool) {
        self.path = file.path
        self.isDurable = isDurable
        self.file = Mutex(consume file)
    }

    func append(_ bytes: [UInt8], at offset: Int64) async throws { try self.append(bytes) }

    /// The same for any chunk, without a copy.
    func append(_ bytes: some BodyChunk) throws(FormworkError) {
        try self.file.withLock { file throws(FormworkError) in try file?.append(bytes) }
    }

    func truncate(to count: Int64) async throws {
        try self.file.withLock { file throws(FormworkError) in try file?.truncate(to: count) }
    }

    func sync() async throws {
        try self.file.withLock { file throws(FormworkError) in try file?.finishAppending(durably: self.isDurable) }
    }

    func finished(count: Int64) async throws -> BodySource { .file(self.path) }

    /// The complete file, which may get a second name.
    func finishedFile(count: Int64) -> FinishedFile { FinishedFile(self.path, count: count) }

    /// Up to `limit` bytes from an offset on; none at the end.
    func bytes(at offset: Int64, upTo limit: Int) throws(FormworkError) -> [UInt8] {
        try self.file.withLock { file throws(FormworkError) in try file?.bytes(at: offset, upTo: limit) ?? [] }
    }

    /// Frees the space of bytes that were discarded, unless the file has got another name.
    func empty() throws(FormworkError) {
        try self.file.withLock { file throws(FormworkError) in try file?.emptyIfUnnamed() }
    }

    func close() async { self.file.withLock { $0 = nil } }
}
#endif
