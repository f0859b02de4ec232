#if Transfer
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import Synchronization
import SystemPackage

/// Uploads on their way, in a folder: `NAME.data` holds the bytes, `NAME.json` what was said of them.
///
/// Several processes may share the folder: an upload is one's at a time. Nothing is kept in memory that the files
/// don't hold, so it survives the end of the process at any moment.
package final class UploadStore: Sendable {
    package let folder: FilePath
    package let options: UploadStoreOptions
    /// Those in use, or used before; one object for each.
    private let uploads = Mutex<[String: StoredUpload]>([:])
    private let index = UploadIndex()
    private let afterReading: (@Sendable () -> Void)?

    /// Opens a folder, or makes it, for this user alone.
    /// - Parameters:
    ///   - makesFolder: Whether it is made now, and not only for the first upload.
    ///   - afterReading: Is called whenever a request has read a record: what other processes do then can be tried.
    /// - Throws: `writeFailed`.
    package init(
        _ folder: FilePath, options: UploadStoreOptions = UploadStoreOptions(), makesFolder: Bool = true,
        afterReading: (@Sendable () -> Void)? = nil
    ) throws(FormworkError) {
        (self.folder, self.options, self.afterReading) = (folder, options, afterReading)
        if makesFolder { try self.makeFolder() }
    }

    private func makeFolder() throws(FormworkError) {
        do {
            try FileManager.default.createDirectory(
                atPath: self.folder.string, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw FormworkError(.writeFailed, "uploads can't be kept there", path: self.folder.string, cause: error)
        }
    }

    /// Begins an upload.
    /// - Returns: `nil` when there are too many, or too many bytes.
    /// - Throws: `writeFailed`.
    func create(
        _ creation: UploadCreation, _ request: HTTPRequest, now: Date = Date()
    ) throws(FormworkError) -> StoredUpload? {
        try self.makeFolder()
        let record = UploadRecord(creation, request, now: now, lifetime: self.options.lifetime)
        let name = Self.newName()
        // The record comes last: an upload that has none doesn't exist.
        return try self.uploads.withLock { uploads throws(FormworkError) -> StoredUpload? in
            guard try self.hasRoom(for: creation.length ?? 0) else { return nil }
            _ = try AppendedFile(self.dataPath(name), creating: true)
            do throws(FormworkError) {
                try record.write(to: self.recordPath(name), durably: self.options.isDurable)
            } catch {
                // It may be there, and not on the disk.
                PrivateFile.remove(self.recordPath(name))
                PrivateFile.remove(self.dataPath(name))
                throw error
            }
            let upload = StoredUpload(name, in: self, record)
            uploads[name] = upload
            return upload
        }
    }

    /// The upload of a name; `nil` when there is none that this version knows, or its time is over. A whole one that is
    /// being processed then can still be asked for its answer.
    /// - Throws: `unreadable`.
    func upload(_ name: String, now: Date = Date()) throws(StoredUpload.Failure) -> StoredUpload? {
        guard Self.isName(name) else { return nil }
        return try self.uploads.withLock { uploads throws(StoredUpload.Failure) -> StoredUpload? in
            guard let record = try self.record(name) else {
                uploads[name] = nil
                return nil
            }
            if record.expires <= now {
                guard try self.isInUse(name) else {
                    uploads[name] = nil
                    return nil
                }
                guard record.isWhole else { return nil }
            }
            if let upload = uploads[name] { return upload }
            let upload = StoredUpload(name, in: self, record)
            uploads[name] = upload
            return upload
        }
    }

    /// What is written down of an upload; `nil` for nothing that this version knows.
    /// - Throws: `unreadable`.
    func record(_ name: String) throws(StoredUpload.Failure) -> UploadRecord? {
        defer { self.afterReading?() }
        do { return try UploadRecord.read(at: self.recordPath(name)) } catch is UploadRecord.Foreign {
            return nil
        } catch {
            throw .unreadable
        }
    }

    /// Opens an upload's bytes, and so locks the upload against everybody else.
    /// - Returns: `nil` when there are none, or none any more.
    /// - Throws: `busy` and `unreadable`.
    func openBytes(_ name: String) throws(StoredUpload.Failure) -> AppendedFile? {
        do throws(FormworkError) { return try AppendedFile(self.dataPath(name), creating: false) } catch {
            switch error.cause as? Errno {
            case .noSuchFileOrDirectory?: return nil
            case .wouldBlock?: throw .busy
            default: throw .unreadable
            }
        }
    }

    /// Whether the disk has that many bytes; `true` where it doesn't tell.
    func diskHasRoom(for length: Int64) -> Bool {
        // Where the folder is made only for the first upload, it will be on the disk of the one above.
        let above = self.folder.removingLastComponent()
        let bytes = DiskSpace.available(at: self.folder) ?? DiskSpace.available(at: above.isEmpty ? "." : above)
        return bytes.map { length <= $0 } ?? true
    }

    /// Whether a request adds to an upload, or it is processed, here or in another process.
    private func isInUse(_ name: String) throws(StoredUpload.Failure) -> Bool {
        do throws(StoredUpload.Failure) { _ = try self.openBytes(name) } catch .busy { return true }
        return false
    }

    /// Removes an upload's files.
    func remove(_ name: String) {
        self.uploads.withLock { $0[name] = nil }
        // The record goes first, and the upload with it.
        PrivateFile.remove(self.recordPath(name))
        PrivateFile.remove(self.dataPath(name))
    }

    /// An upload, as a list shows it.
    package struct Entry: Sendable, Hashable {
        package var name: String
        package var offset: Int64
        package var length: Int64?
        package var contentType: String?
        package var created: Date
        package var expires: Date
        package var isFinished: Bool
    }

    /// All uploads, the oldest first.
    package func list() -> [Entry] {
        ((try? self.files()) ?? Files()).records.compactMap { name in
            guard let record = try? self.record(name) else { return nil }
            let size = record.answer == nil ? self.size(self.dataPath(name)) : record.length ?? 0
            return Entry(
                name: name, offset: record.uncheckedOffset ?? size, length: record.length,
                contentType: record.contentType, created: record.created, expires: record.expires,
                isFinished: record.answer != nil)
        }.sorted { ($0.created, $0.name) < ($1.created, $1.name) }
    }

    /// Removes the uploads whose time is over, and what an end of the process left half made. What is in use, here or in
    /// another process, or can't be read at the moment, stays; a record of another version stays for as long as an upload
    /// may, since that version may come back.
    /// - Returns: How many uploads.
    @discardableResult
    package func removeExpired(now: Date = Date()) -> Int {
        guard let files = try? self.files() else { return 0 }
        let count = files.records.count { self.isOver($0, now) && self.removeOver($0, now) }
        let records = Set(files.records)
        for name in files.data
        where !records.contains(name) && self.age(self.dataPath(name), now) ?? 0 > 3600 {
            PrivateFile.remove(self.dataPath(name))
        }
        return count
    }

    /// Removes an upload whose time is over, unless somebody has it.
    private func removeOver(_ name: String, _ now: Date) -> Bool {
        do throws(StoredUpload.Failure) {
            let bytes = try self.openBytes(name)
            // Who had it until now may have written down the answer, which has a time of its own.
            guard self.isOver(name, now) else { return false }
            self.remove(name)
            // Locked until here.
            _ = consume bytes
            return true
        } catch { return false }
    }

    private func isOver(_ name: String, _ now: Date) -> Bool {
        let path = self.recordPath(name)
        do { return try UploadRecord.read(at: path).map { $0.expires <= now } ?? false } catch {
            guard error is UploadRecord.Foreign, let age = self.age(path, now) else { return false }
            return age > self.options.lifetime
        }
    }

    /// Makes room for another upload: removes those whose time is over, or else, where there are too many, some of these, in
    /// this order: finished ones, of which only the answer is kept; those without bytes; those of which nothing came for
    /// long; within each, the oldest first. What is in use stays.
    /// - Returns: Whether there is more room.
    func makeRoom(now: Date = Date()) -> Bool {
        guard let names = try? self.files().records else { return false }
        let entries = self.index.entries(names, in: self)
        let over = entries.filter { $0.expires <= now }
        if over.count(where: { self.removeOver($0.name, now) }) > 0 { return true }
        guard names.count >= self.options.maximumCount else { return false }
        func idle(_ entry: UploadIndex.Entry) -> Double { now.timeIntervalSince1970 - entry.written }
        let finished = entries.filter(\.isFinished).sorted { $0.expires < $1.expires }
        let empty = entries.filter { !$0.isFinished && $0.size == 0 && idle($0) >= self.options.idleTime }
        let others = entries.filter { !$0.isFinished && $0.size > 0 && idle($0) >= self.options.idleTime * 60 }
        let victims = finished + [empty, others].flatMap { $0.sorted { $0.written < $1.written } }
        // More than one of many: to look for them takes a while.
        let most = max(1, self.options.maximumCount / 16)
        var count = 0
        for victim in victims where count < most && self.removeUnused(victim.name) { count += 1 }
        return count > 0
    }

    /// Removes an upload, unless somebody has it.
    private func removeUnused(_ name: String) -> Bool {
        do throws(StoredUpload.Failure) {
            let bytes = try self.openBytes(name)
            self.remove(name)
            // Locked until here.
            _ = consume bytes
            return true
        } catch { return false }
    }

    func dataPath(_ name: String) -> FilePath { self.folder.appending("\(name).data") }
    func recordPath(_ name: String) -> FilePath { self.folder.appending("\(name).json") }

    private func hasRoom(for length: Int64) throws(FormworkError) -> Bool {
        let files = try self.files()
        guard files.records.count < self.options.maximumCount else { return false }
        guard let most = self.options.maximumTotalSize else { return true }
        var left = most
        for name in files.data where left > 0 { left -= min(self.size(self.dataPath(name)), left) }
        return length <= left
    }

    /// The uploads' names, by the files that there are of them.
    private struct Files {
        var records: [String] = []
        var data: [String] = []
    }

    /// Lists both at once, so that no failure makes one of them look like what was left alone.
    private func files() throws(FormworkError) -> Files {
        let all: [String]
        do { all = try FileManager.default.contentsOfDirectory(atPath: self.folder.string) } catch {
            throw FormworkError(.writeFailed, "uploads can't be listed", path: self.folder.string, cause: error)
        }
        func names(_ suffix: String) -> [String] {
            all.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.filter(Self.isName)
        }
        return Files(records: names(".json"), data: names(".data"))
    }

    private func size(_ path: FilePath) -> Int64 { (try? FileValidator(ofRegularFile: path))?.size ?? 0 }

    /// Seconds since a file was written; `nil` for what can't be looked at.
    private func age(_ path: FilePath, _ now: Date) -> TimeInterval? {
        guard let modified = (try? FileValidator(ofRegularFile: path))?.modified else { return nil }
        return now.timeIntervalSince1970 - Double(modified.seconds)
    }

    /// 128 bits of the system's generator: the URL is all that a client needs to write into the upload.
    private static func newName() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(UInt128.random(in: .min ... .max, using: &generator), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    private static func isName(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
#endif
