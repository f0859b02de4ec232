#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import FormworkHTTP
import HTTPTypes
import Synchronization
import SystemPackage

/// Uploads on their way, in a folder or in a storage of the caller's.
///
/// One object serves any number of requests and routes. Several processes may have one for the same folder: an upload is
/// one's at a time, and goes on in another after the end of the first. Each object removes what its time is over, once a
/// minute while requests come; ``removeExpired()`` does it now.
public final class UploadStore: Sendable {
    package let options: UploadStoreOptions
    private let storage: any UploadStorage
    /// The storage, where it is a folder.
    private let folder: FolderUploads?
    /// Those in use, or used before; one object for each.
    private let uploads = Mutex<[String: StoredUpload]>([:])
    private let index = UploadIndex()
    /// One creation counts after the other.
    private let creating = Gate()
    private let swept = Mutex(ContinuousClock.now)
    private let afterReading: (@Sendable () async -> Void)?

    /// Opens a folder, which is made for this user alone when the first upload begins.
    /// - Parameters:
    ///   - folder: Where the uploads are kept. Nothing else belongs in there.
    ///   - options: What is taken, and for how long.
    public convenience init(_ folder: some PathConvertible, options: UploadStoreOptions = UploadStoreOptions()) {
        self.init(FolderUploads(folder: folder.filePath, isDurable: options.isDurable), options, nil)
    }

    /// Takes uploads into a storage of the caller's.
    /// - Parameters:
    ///   - storage: Where they are kept.
    ///   - options: What is taken, and for how long.
    public convenience init(storage: some UploadStorage, options: UploadStoreOptions = UploadStoreOptions()) {
        self.init(storage, options, nil)
    }

    /// Opens a folder, or makes it, for this user alone.
    /// - Parameters:
    ///   - makesFolder: Whether it is made now, and not only for the first upload.
    ///   - afterReading: Is called whenever a request has read a record: what other processes do then can be tried.
    /// - Throws: `writeFailed`.
    package convenience init(
        _ folder: FilePath, options: UploadStoreOptions = UploadStoreOptions(), makesFolder: Bool,
        afterReading: (@Sendable () async -> Void)? = nil
    ) throws(FormworkError) {
        let uploads = FolderUploads(folder: folder, isDurable: options.isDurable)
        if makesFolder { try uploads.makeFolder() }
        self.init(uploads, options, afterReading)
    }

    private init(
        _ storage: any UploadStorage, _ options: UploadStoreOptions, _ afterReading: (@Sendable () async -> Void)?
    ) {
        (self.storage, self.folder, self.options) = (storage, storage as? FolderUploads, options)
        self.afterReading = afterReading
    }

    // MARK: one upload

    /// Begins an upload.
    /// - Returns: `nil` when there are too many, or too many bytes.
    /// - Throws: What the storage throws.
    func create(
        _ creation: UploadCreation, _ request: HTTPRequest, now: Date = Date()
    ) async throws -> StoredUpload? {
        let record = UploadRecord(creation, request, now: now, lifetime: self.options.lifetime)
        let name = Self.newName()
        await self.creating.enter()
        defer { self.creating.leave() }
        guard try await self.hasRoom(for: creation.length ?? 0) else { return nil }
        try await self.storage.create(name, record: try record.encoded())
        let upload = StoredUpload(name, in: self, record)
        self.uploads.withLock { $0[name] = upload }
        return upload
    }

    /// The upload of a name; `nil` when there is none that this version knows, or its time is over. A whole one that is
    /// being processed then can still be asked for its answer.
    /// - Throws: `unreadable`.
    package func upload(_ name: String, now: Date = Date()) async throws -> StoredUpload? {
        guard Self.isName(name) else { return nil }
        guard let record = try await self.record(name) else { return self.forget(name) }
        if record.expires <= now {
            guard try await self.isInUse(name) else { return self.forget(name) }
            guard record.isWhole else { return nil }
        }
        return self.uploads.withLock { uploads in
            if let upload = uploads[name] { return upload }
            let upload = StoredUpload(name, in: self, record)
            uploads[name] = upload
            return upload
        }
    }

    /// - Returns: `nil`.
    private func forget(_ name: String) -> StoredUpload? {
        self.uploads.withLock { $0[name] = nil }
        return nil
    }

    /// What is written down of an upload; `nil` for nothing that this version knows.
    /// - Throws: `unreadable`.
    func record(_ name: String) async throws -> UploadRecord? {
        let bytes: [UInt8]?
        do { bytes = try await self.storage.record(of: name) } catch {
            await self.afterReading?()
            throw StoredUpload.Failure.unreadable(error)
        }
        await self.afterReading?()
        return bytes.flatMap { UploadRecord($0) }
    }

    /// Writes an upload's record down.
    func save(_ record: UploadRecord, of name: String) async throws {
        try await self.storage.keep(try record.encoded(), of: name)
    }

    /// How many bytes an upload has.
    func count(of name: String) async throws -> Int64 { try await self.storage.count(of: name) }

    /// Opens an upload's bytes, and so locks the upload against everybody else.
    /// - Returns: `nil` when there are none, or none any more.
    /// - Throws: `busy` and `unreadable`.
    func openBytes(_ name: String) async throws -> (any UploadContent)? {
        do { return try await self.storage.open(name) } catch is UploadIsBusy {
            throw StoredUpload.Failure.busy
        } catch {
            throw StoredUpload.Failure.unreadable(error)
        }
    }

    /// Removes an upload's bytes.
    func discardBytes(of name: String) async throws { try await self.storage.discardBytes(of: name) }

    /// Removes an upload.
    func remove(_ name: String) async throws {
        self.uploads.withLock { $0[name] = nil }
        try await self.storage.discard(name)
    }

    /// Whether a request adds to an upload, or it is processed, here or in another process.
    private func isInUse(_ name: String) async throws -> Bool {
        if let upload = self.uploads.withLock({ $0[name] }), await upload.isInUse { return true }
        do { await (try await self.openBytes(name))?.close() } catch StoredUpload.Failure.busy { return true }
        return false
    }

    // MARK: all uploads

    /// Whether there is a place for that many bytes; `true` where nothing tells.
    func diskHasRoom(for length: Int64) -> Bool { self.folder?.diskHasRoom(for: length) ?? true }

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
    package func list() async -> [Entry] {
        var entries: [Entry] = []
        for name in (try? await self.storage.names()) ?? [] {
            guard let record = (try? await self.record(name)) ?? nil else { continue }
            let size = record.answer == nil ? (try? await self.count(of: name)) ?? 0 : record.length ?? 0
            entries.append(
                Entry(
                    name: name, offset: record.uncheckedOffset ?? size, length: record.length,
                    contentType: record.contentType, created: record.created, expires: record.expires,
                    isFinished: record.answer != nil))
        }
        return entries.sorted { ($0.created, $0.name) < ($1.created, $1.name) }
    }

    /// Removes the uploads whose time is over, and what an end of the process left half made. What is in use, here or in
    /// another process, or can't be read at the moment, stays; a record of another version stays for as long as an upload
    /// may, since that version may come back.
    /// - Returns: How many uploads.
    @discardableResult
    public func removeExpired() async -> Int { await self.removeExpired(now: Date()) }

    /// The same, at another time.
    @discardableResult
    package func removeExpired(now: Date) async -> Int {
        var count = 0
        for name in (try? await self.storage.names()) ?? [] where await self.isOver(name, now) {
            if await self.removeOver(name, now) { count += 1 }
        }
        self.folder?.removeLeftovers(now: now)
        return count
    }

    /// Removes what its time is over, once a minute.
    func sweep() async {
        let isDue = self.swept.withLock { last in
            guard ContinuousClock.now - last >= .seconds(60) else { return false }
            last = .now
            return true
        }
        if isDue { await self.removeExpired() }
    }

    /// Removes an upload whose time is over, unless somebody has it.
    private func removeOver(_ name: String, _ now: Date) async -> Bool {
        if let upload = self.uploads.withLock({ $0[name] }), await upload.isInUse { return false }
        do {
            let bytes = try await self.openBytes(name)
            // Who had it until now may have written down the answer, which has a time of its own.
            let isRemoved = await self.isOver(name, now) ? (try? await self.remove(name)) != nil : false
            // Locked until here.
            await bytes?.close()
            return isRemoved
        } catch { return false }
    }

    private func isOver(_ name: String, _ now: Date) async -> Bool {
        guard let bytes = (try? await self.storage.record(of: name)) ?? nil else { return false }
        if let record = UploadRecord(bytes) { return record.expires <= now }
        guard let age = self.folder?.age(ofRecord: name, now: now) else { return false }
        return age > self.options.lifetime
    }

    /// Whether there is an upload of that name which isn't finished.
    package func isUnfinished(_ name: String) async -> Bool {
        guard let record = (try? await self.record(name)) ?? nil else { return false }
        return record.answer == nil
    }

    /// Makes room for another upload: removes those whose time is over, or else, where there are too many, some of these, in
    /// this order: finished ones, of which only the answer is kept; those without bytes; those of which nothing came for
    /// long; within each, the oldest first. What is in use stays.
    /// - Returns: Whether there is more room.
    func makeRoom(now: Date = Date()) async -> Bool {
        guard let names = try? await self.storage.names() else { return false }
        let entries = await self.index.entries(names, in: self.storage)
        var count = 0
        for entry in entries where entry.expires <= now {
            if await self.removeOver(entry.name, now) { count += 1 }
        }
        if count > 0 { return true }
        guard names.count >= self.options.maximumCount else { return false }
        func idle(_ entry: UploadIndex.Entry) -> Double { now.timeIntervalSince1970 - entry.written }
        let finished = entries.filter(\.isFinished).sorted { $0.expires < $1.expires }
        let empty = entries.filter { !$0.isFinished && $0.size == 0 && idle($0) >= self.options.idleTime }
        let others = entries.filter { !$0.isFinished && $0.size > 0 && idle($0) >= self.options.idleTime * 60 }
        let victims = finished + [empty, others].flatMap { $0.sorted { $0.written < $1.written } }
        // More than one of many: to look for them takes a while.
        let most = max(1, self.options.maximumCount / 16)
        for victim in victims where count < most {
            if await self.removeUnused(victim.name) { count += 1 }
        }
        return count > 0
    }

    /// Removes an upload, unless somebody has it.
    private func removeUnused(_ name: String) async -> Bool {
        if let upload = self.uploads.withLock({ $0[name] }), await upload.isInUse { return false }
        do {
            let bytes = try await self.openBytes(name)
            let isRemoved = (try? await self.remove(name)) != nil
            // Locked until here.
            await bytes?.close()
            return isRemoved
        } catch { return false }
    }

    private func hasRoom(for length: Int64) async throws -> Bool {
        let names = try await self.storage.names()
        guard names.count < self.options.maximumCount else { return false }
        guard let most = self.options.maximumTotalSize else { return true }
        var left = most
        for name in names where left > 0 { left -= min(try await self.count(of: name), left) }
        return length <= left
    }

    /// 128 bits of the system's generator: the URL is all that a client needs to write into the upload.
    private static func newName() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = String(UInt128.random(in: .min ... .max, using: &generator), radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    static func isName(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
#endif
