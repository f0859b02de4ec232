#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import Synchronization
import SystemPackage

/// Uploads in a folder: `NAME.data` holds the bytes, `NAME.json` the record.
///
/// Several processes may share the folder: an upload is one's at a time. Nothing is kept in memory that the files
/// don't hold, so it survives the end of the process at any moment.
struct FolderUploads: UploadStorage {
    let folder: FilePath
    /// Whether bytes and records are on the disk before anybody is told of them.
    let isDurable: Bool

    /// Makes the folder, for this user alone.
    /// - Throws: `writeFailed`.
    func makeFolder() throws(FormworkError) {
        do {
            try FileManager.default.createDirectory(
                atPath: self.folder.string, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw FormworkError(.writeFailed, "uploads can't be kept there", path: self.folder.string, cause: error)
        }
    }

    func create(_ name: String, record: [UInt8]) async throws {
        try self.makeFolder()
        // The record comes last: an upload that has none doesn't exist.
        _ = try AppendedFile(self.dataPath(name), creating: true)
        do {
            try await self.keep(record, of: name)
        } catch {
            // It may be there, and not on the disk.
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
        (try? FileValidator(ofRegularFile: self.dataPath(name)))?.size ?? 0
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
        // The record goes first, and the upload with it.
        PrivateFile.remove(self.recordPath(name))
        PrivateFile.remove(self.dataPath(name))
    }

    func names() async throws -> [String] { try self.files().records }

    /// Removes bytes that have had no record for an hour: the process ended while it made or removed an upload.
    func removeLeftovers(now: Date) {
        guard let files = try? self.files() else { return }
        let records = Set(files.records)
        for name in files.data where !records.contains(name) && self.age(self.dataPath(name), now) ?? 0 > 3600 {
            PrivateFile.remove(self.dataPath(name))
        }
    }

    /// What an upload's files show without being read; `nil` without a record.
    func stamp(of name: String) -> (record: FileValidator, size: Int64, written: Double)? {
        guard let record = try? FileValidator(ofRegularFile: self.recordPath(name)) else { return nil }
        let data = try? FileValidator(ofRegularFile: self.dataPath(name))
        return (record, data?.size ?? 0, Double((data ?? record).modified.seconds))
    }

    /// Seconds since a record was written; `nil` for one that can't be looked at.
    func age(ofRecord name: String, now: Date) -> TimeInterval? { self.age(self.recordPath(name), now) }

    /// Whether the disk has that many bytes; `true` where it doesn't tell.
    func diskHasRoom(for length: Int64) -> Bool {
        // Where the folder is made only for the first upload, it will be on the disk of the one above.
        let above = self.folder.removingLastComponent()
        let bytes = DiskSpace.available(at: self.folder) ?? DiskSpace.available(at: above.isEmpty ? "." : above)
        return bytes.map { length <= $0 } ?? true
    }

    private func dataPath(_ name: String) -> FilePath { self.folder.appending("\(name).data") }
    private func recordPath(_ name: String) -> FilePath { self.folder.appending("\(name).json") }

    /// The uploads' names, by the files that there are of them.
    private struct Files {
        var records: [String] = []
        var data: [String] = []
    }

    /// Lists both at once, so that no failure makes one of them look like what was left alone.
    private func files() throws(FormworkError) -> Files {
        let all: [String]
        do { all = try FileManager.default.contentsOfDirectory(atPath: self.folder.string) } catch {
            // It is made for the first upload.
            if (error as? CocoaError)?.code == .fileReadNoSuchFile { return Files() }
            throw FormworkError(.writeFailed, "uploads can't be listed", path: self.folder.string, cause: error)
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

/// The bytes of an upload in a folder, locked against other processes while this is open.
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
        guard self.isDurable else { return }
        try self.file.withLock { file throws(FormworkError) in try file?.sync() }
    }

    func finished(count: Int64) async throws -> BodySource { .file(self.path) }

    func close() async { self.file.withLock { $0 = nil } }
}
#endif
