import Formwork
import FormworkDigests
import FormworkSystem
import FormworkEssentials
import HTTPTypes
import Synchronization

/// Unfinished uploads, in a folder or in a storage of the caller's.
///
/// One object serves any number of requests and routes. Several processes may each have one for the same folder: only
/// one at a time uses an upload, and another can continue it after the first has ended. Each object removes expired
/// uploads at most once a minute while requests arrive; ``removeExpired()`` does it at once.
public final class UploadStore: Sendable {
    package let options: UploadStoreOptions
    private let storage: any UploadStorage
    /// The storage, if it is a folder.
    private let folder: FolderUploads?
    /// The uploads that are or were in use; one object for each.
    private let uploads = Mutex<[String: StoredUpload]>([:])
    private let index: UploadIndex
    /// Where requests create and find uploads. An upload's own calls run on its own thread.
    private let thread: StoreThread
    /// Where all uploads are read, which takes long if there are many.
    private let sweeper: StoreThread
    /// Separates creations while they check the limits.
    private let creating = Gate()
    private let sweeps = Mutex(SweepSchedule())
    let quota: UploadQuota
    private let afterReading: (@Sendable () async -> Void)?
    private let removing = Mutex<(@Sendable (UploadRemoval, @escaping RemovingUpload) async throws -> Void)?>(nil)
    /// Makes what the calls of an upload run on.
    let makeExecutor: @Sendable () -> any SerialExecutor

    /// Opens a folder. It is created for the first upload, accessible to this user only.
    /// - Parameters:
    ///   - folder: The folder for the uploads. Nothing else should be in it.
    ///   - options: Which uploads are accepted, and how long they are kept.
    public convenience init(_ folder: some PathConvertible, options: UploadStoreOptions = UploadStoreOptions()) {
        self.init(storage: FolderUploads(folder: folder.filePath, isDurable: options.isDurable), options: options)
    }

    /// Opens a folder, or creates it if only its last component is missing, accessible to this user only.
    /// - Parameters:
    ///   - makesFolder: Whether it is created now, instead of for the first upload, and a file in it is tried.
    ///   - mayBeLink: Whether it may be a link to a folder.
    ///   - afterReading: Called whenever a request has read a record, so that tests can imitate other processes.
    /// - Throws: `writeFailed`.
    package convenience init(
        _ folder: FilePath, options: UploadStoreOptions = UploadStoreOptions(), makesFolder: Bool,
        mayBeLink: Bool = true,
        afterReading: (@Sendable () async -> Void)? = nil
    ) throws(FormworkError) {
        let uploads = try FolderUploads(folder: folder, isDurable: options.isDurable, mayBeLink: mayBeLink)
        if makesFolder {
            try uploads.makeFolder()
            try AtomicFolder(folder).makeFile().close()
        }
        self.init(storage: uploads, options: options, afterReading: afterReading)
    }

    /// Keeps uploads in a storage of the caller's.
    /// - Parameters:
    ///   - storage: The storage.
    ///   - options: Which uploads are accepted, and how long they are kept.
    ///   - afterReading: Called whenever a request has read a record.
    ///   - makeExecutor: Makes what the calls of an upload run on, so that tests can decide the order of all calls.
    package init(
        storage: some UploadStorage, options: UploadStoreOptions = UploadStoreOptions(),
        afterReading: (@Sendable () async -> Void)? = nil,
        makeExecutor: @escaping @Sendable () -> any SerialExecutor = { ThreadExecutor() }
    ) {
        (self.storage, self.folder, self.options) = (storage, storage as? FolderUploads, options)
        self.index = UploadIndex()
        self.quota = UploadQuota(options, of: storage, index: self.index)
        (self.afterReading, self.makeExecutor) = (afterReading, makeExecutor)
        (self.thread, self.sweeper) = (StoreThread(makeExecutor()), StoreThread(makeExecutor()))
    }

    // MARK: one upload

    /// Creates an upload.
    /// - Returns: `nil` if there are too many uploads, or too many bytes.
    /// - Throws: The storage's error.
    func create(
        _ creation: UploadCreation, _ request: HTTPRequest, _ terms: (note: [UInt8]?, maxSize: Int64?) = (nil, nil),
        now: Date = Date()
    ) async throws -> StoredUpload? {
        let record = UploadRecord(creation, request, terms, now: now, lifetime: self.options.lifetime)
        let name = creation.parts.map(Self.name(ofParts:)) ?? Self.newName()
        await self.creating.enter()
        defer { self.creating.leave() }
        return try await self.thread.run {
            if creation.parts != nil, let upload = try await self.find(name, now) { return upload }
            guard try await self.quota.hasRoom(for: creation.claim) else { return nil }
            try await self.storage.create(name, record: try record.encoded())
            self.quota.countNew()
            let upload = StoredUpload(name, in: self, record)
            self.uploads.withLock { $0[name] = upload }
            return upload
        }
    }

    /// The upload with a name; `nil` if there is none of a known version, or it has expired. A complete one that is
    /// being processed at that time can still be asked for its answer.
    /// - Throws: `unreadable`.
    func upload(_ name: String, now: Date = Date()) async throws -> StoredUpload? {
        guard Self.isName(name) else { return nil }
        return try await self.thread.run { try await self.find(name, now) }
    }

    private func find(_ name: String, _ now: Date) async throws -> StoredUpload? {
        guard var record = try await self.record(name) else { return self.forget(name) }
        if record.expires <= now {
            if try await self.isInUse(name) {
                guard record.isWhole else { return nil }
            } else {
                // Processing may have ended since, and saved the answer, which has its own lifetime.
                guard let last = try await self.record(name), last.expires > now else { return self.forget(name) }
                record = last
            }
        }
        return self.object(name, record)
    }

    /// - Returns: `nil`.
    private func forget(_ name: String) -> StoredUpload? {
        self.uploads.withLock { $0[name] = nil }
        return nil
    }

    /// An upload's record; `nil` if there is none of a known version.
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

    /// Saves an upload's record.
    func save(_ record: UploadRecord, of name: String) async throws {
        defer { self.index.forget(name) }
        try await self.storage.keep(try record.encoded(), of: name)
    }

    /// How many bytes an upload has.
    func count(of name: String) async throws -> Int64 { try await self.storage.count(of: name) }

    /// The length of an upload; `nil` if it isn't known, or some bytes are missing, or aren't checked.
    func allBytes(of name: String, _ record: UploadRecord) async throws -> Int64? {
        guard record.uncheckedOffset == nil, let length = record.length else { return nil }
        return try await self.count(of: name) == length ? length : nil
    }

    /// Opens an upload's bytes, which locks the upload against all others.
    /// - Parameter memory: The memory of the request that has them opened.
    /// - Returns: `nil` if there are no bytes, or no longer any.
    /// - Throws: `busy` and `unreadable`.
    func openBytes(_ name: String, for memory: (any UploadMemory)? = nil) async throws -> (any UploadContent)? {
        do { return try await self.storage.open(name, for: memory) } catch is UploadIsBusy {
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
        defer { self.index.forget(name) }
        try await self.storage.discard(name)
    }

    /// Has a caller remove unfinished uploads, by the closure that it gets, and do more around that. A later caller's is around
    /// an earlier one's.
    package func onRemoval(_ body: @escaping @Sendable (UploadRemoval, @escaping RemovingUpload) async throws -> Void) {
        self.removing.withLock { removing in
            guard let inner = removing else { return removing = body }
            removing = { removal, remove in try await body(removal) { try await inner(removal, remove) } }
        }
    }

    /// Removes an upload, and has that reported if it is unfinished.
    func remove(_ name: String, note: [UInt8]?, because reason: UploadRemoval.Reason) async throws {
        guard let body = self.removing.withLock({ $0 }), let record = try await self.record(name), record.answer == nil
        else { return try await self.remove(name) }
        try await body(UploadRemoval(name: name, note: note, reason: reason)) { try await self.remove(name) }
    }

    /// Whether there is an upload of this name, finished or not.
    package func exists(_ name: String) async throws -> Bool {
        try await self.thread.run { try await self.storage.record(of: name) != nil }
    }

    /// Whether a request adds to an upload, or it is being processed, here or in another process.
    private func isInUse(_ name: String) async throws -> Bool {
        if let upload = self.uploads.withLock({ $0[name] }), await upload.isInUse { return true }
        do { await (try await self.openBytes(name))?.close() } catch StoredUpload.Failure.busy { return true }
        return false
    }

    // MARK: all uploads

    /// Whether there is room for this many bytes; `true` if that can't be determined.
    func diskHasRoom(for length: Int64) async -> Bool {
        await self.thread.run { self.folder?.diskHasRoom(for: length) ?? true }
    }

    /// The interval between two reports of progress. A storage of the caller's may need requests of its own for each.
    var progressInterval: Duration { self.folder == nil ? .seconds(5) : .seconds(1) }

    /// The folder; `nil` for a storage of the caller's.
    var place: FilePath? { self.folder?.folder }

    /// The names of all uploads; `nil` if the storage can't be listed.
    package func names() async -> [String]? {
        await self.sweeper.run { try? await self.storage.names() }
    }

    /// Removes expired uploads, and leftovers of a process that ended. Uploads that are in use, here or in another
    /// process, or can't be read at the moment, are kept. A record of another version is kept for the lifetime of an
    /// upload, since that version may be used again.
    /// - Returns: The number of uploads removed; 0 at once while another call is running.
    @discardableResult
    public func removeExpired() async -> Int { await self.removeExpired(now: Date()) }

    /// The same, at another time.
    @discardableResult
    func removeExpired(now: Date) async -> Int {
        guard self.sweeps.withLock({ $0.begin() }) else { return 0 }
        let begun = ContinuousClock.now
        let created = self.quota.createdCount
        let (count, left) = await self.sweeper.run { await self.removeAllExpired(now) }
        let pause = SweepSchedule.pause(after: ContinuousClock.now - begun)
        self.quota.remember(left, since: created, for: pause)
        self.sweeps.withLock { $0.end(pause: pause) }
        return count
    }

    /// - Returns: How many were removed, and how many are left; `nil` if that isn't known.
    private func removeAllExpired(_ now: Date) async -> (removed: Int, left: Int?) {
        var count = 0
        let known = self.uploads.withLock { Set($0.keys) }
        let names = try? await self.storage.names()
        // Uploads that another process has removed. No request will ask for them again.
        for name in names.map(known.subtracting) ?? [] {
            // Unless it can't be read now.
            do { if try await self.record(name) == nil { _ = self.forget(name) } } catch { continue }
        }
        for name in names ?? [] where await self.isOver(name, now) {
            if await self.removeOver(name, now) { count += 1 }
        }
        self.folder?.removeLeftovers(now: now)
        return (count, names.map { $0.count - count })
    }

    /// How long to wait for the next sweep.
    package var pauseBeforeSweep: Duration { self.sweeps.withLock(\.pause) }

    /// Removes expired uploads, at most once a minute.
    func sweep() async {
        guard self.sweeps.withLock({ $0.takeDue() }) else { return }
        if self.folder != nil {
            await self.removeExpired()
        } else {
            // The request that comes just now needn't wait for as many requests as there are uploads.
            _ = Task { await self.removeExpired() }
        }
    }

    /// Removes an expired upload, unless it is in use.
    private func removeOver(_ name: String, _ now: Date) async -> Bool {
        await self.removeUnused(name, because: .expired) { await self.isOver(name, now) }
    }

    /// Removes an upload, unless it is in use.
    /// - Parameter isWanted: Whether it is still to be removed; called while nobody else can use the upload.
    private func removeUnused(
        _ name: String, because reason: UploadRemoval.Reason, if isWanted: @Sendable () async -> Bool
    ) async -> Bool {
        if let upload = await self.object(name) { return await upload.remove(because: reason, if: isWanted) }
        // Its record is damaged, or of another version: no request can use it here.
        return await self.withBytes(name) { await isWanted() ? (try? await self.remove(name)) != nil : false }
    }

    /// Locks an upload's bytes, unless another process has them.
    /// - Returns: What `body` returns; `false` if they can't be locked.
    func withBytes(_ name: String, _ body: () async -> Bool) async -> Bool {
        let content: (any UploadContent)?
        do { content = try await self.openBytes(name) } catch { return false }
        let result = await body()
        await content?.close()
        return result
    }

    /// The one object for an upload.
    private func object(_ name: String) async -> StoredUpload? {
        if let upload = self.uploads.withLock({ $0[name] }) { return upload }
        guard let record = (try? await self.record(name)) ?? nil else { return nil }
        return self.object(name, record)
    }

    private func object(_ name: String, _ record: UploadRecord) -> StoredUpload {
        self.uploads.withLock { uploads in
            if let upload = uploads[name] { return upload }
            let upload = StoredUpload(name, in: self, record)
            uploads[name] = upload
            return upload
        }
    }

    private func isOver(_ name: String, _ now: Date) async -> Bool {
        let bytes: [UInt8]?
        do { bytes = try await self.storage.record(of: name) } catch { return false }
        if let record = bytes.flatMap(UploadRecord.init) { return record.expires <= now }
        // Damaged, or of another version.
        let age =
            if let folder { folder.age(ofRecord: name, now: now) } else { try? await self.storage.idleTime(of: name) }
        return age.map { $0 > self.options.lifetime } ?? false
    }

    /// Whether there is an unfinished upload of this name.
    package func isUnfinished(_ name: String) async -> Bool {
        await self.thread.run {
            guard let record = (try? await self.record(name)) ?? nil else { return false }
            return record.answer == nil
        }
    }

    /// Makes room for another upload. Removes expired uploads, or if there are none and there are too many uploads,
    /// or too many bytes, some of the others (``UploadQuota/Excess``). Uploads in use are kept.
    /// - Parameter length: Bytes that are needed.
    /// - Returns: Whether there is more room now.
    func makeRoom(for length: Int64, now: Date = Date()) async -> Bool {
        await self.sweeper.run { await self.removeOld(for: length, now) }
    }

    private func removeOld(for length: Int64, _ now: Date) async -> Bool {
        guard let names = try? await self.storage.names() else { return false }
        let entries = await self.index.entries(names, in: self.storage)
        var count = 0
        for entry in entries where entry.expires <= now {
            if await self.removeOver(entry.name, now) { count += 1 }
        }
        if count > 0 { return true }
        guard let excess = self.quota.excess(of: names.count, entries, for: length, now: now) else { return false }
        var freed: Int64 = 0
        for victim in excess.candidates where count < excess.count || freed < excess.bytes {
            // It may have changed since it was looked at.
            let isRemoved = await self.removeUnused(victim.name, because: .displaced) {
                self.index.forget(victim.name)
                let entry = await self.index.entries([victim.name], in: self.storage).first
                return entry?.size == victim.size && entry?.isFinished == victim.isFinished
            }
            guard isRemoved else { continue }
            count += 1
            freed += min(victim.claim, .max - freed)
        }
        return count > 0
    }

    /// 128 random bits from the system's generator: the URL is all that a client needs to write to the upload.
    private static func newName() -> String {
        var generator = SystemRandomNumberGenerator()
        return UInt128.random(in: .min ... .max, using: &generator).padded(to: 32, radix: 16)
    }

    /// The name of the upload that is made of parts. A client that asks for it again, because it got no answer, finds it there.
    static func name(ofParts names: [String]) -> String {
        String(Hex.text(SHA256Digest.digest(of: Array(names.joined(separator: " ").utf8))).prefix(32))
    }

    static func isName(_ text: String) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// When a store looks for expired uploads: at most once a minute, one search at a time.
struct SweepSchedule {
    private var next = ContinuousClock.Instant.after(.seconds(60))
    private var isRunning = false

    /// Begins a search, unless another is running: two at once would make twice the requests for the same uploads.
    mutating func begin() -> Bool {
        defer { self.isRunning = true }
        return !self.isRunning
    }

    mutating func end(pause: Duration) { (self.next, self.isRunning) = (.after(pause), false) }

    /// Whether a search is due. The next is due a minute later.
    mutating func takeDue() -> Bool {
        guard !self.isRunning, self.next <= .now else { return false }
        self.next = .after(.seconds(60))
        return true
    }

    /// How long to wait for the next search.
    var pause: Duration { self.isRunning ? .seconds(60) : max(.zero, self.next - .now) }

    /// How long to wait after a search. In a bucket each upload costs a request: all of a fleet's receivers search, and
    /// together they must leave the store to uploads.
    static func pause(after duration: Duration) -> Duration { max(.seconds(60), duration * 20) }
}

/// An unfinished upload that is being removed.
package struct UploadRemoval: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// It has received nothing for as long as uploads are kept.
        case expired
        /// Others need its space: it has received nothing for a long time.
        case displaced
        /// After a refused request, the bytes that it should have are unknown.
        case refused(status: Int)
        /// Its client cancelled it.
        case cancelled
    }

    package var name: String
    /// ``StoredUpload/note``
    package var note: [UInt8]?
    package var reason: Reason
}

/// Removes an upload.
package typealias RemovingUpload = @Sendable () async throws -> Void

/// Which uploads an ``UploadStore`` accepts, and how long it keeps them.
public struct UploadStoreOptions: Sendable {
    /// The limits sent to clients; the store sets `maxAge` itself. By default there are none.
    public var limits = UploadLimits()
    /// Seconds after its last byte until an upload expires, complete or not. An upload that is being received or
    /// processed at that time expires when that ends. Default a day.
    public var lifetime: Double = 24 * 3600
    /// Seconds for which a completed upload's answer is kept. Default an hour.
    public var answerLifetime: Double = 3600
    /// The most uploads, including those whose answer is kept. Default 1000. Above it, the uploads that have
    /// expired are removed, then those that are finished, empty or long idle. If none can be removed, the answer is 503.
    public var maximumCount = 1000
    /// Seconds for which an upload without bytes is protected if there are too many. One with bytes is protected sixty
    /// times as long.
    var idleTime: Double = 10
    /// Whether the SHA-256 of each upload that isn't a form is computed while it arrives.
    package var digestsFiles = false
    /// Whether the large files of forms are found while the forms arrive. In a folder, each gets a file of its own, which
    /// can become the stored file. Their SHA-256 is computed with `digestsFiles`.
    package var findsFiles = false
    /// The most bytes of all uploads together; `nil` for no limit. An upload counts with the length that it announced.
    /// One that announces more than all may have is refused with 413; one that announced none ends with 507 when the
    /// limit is reached.
    public var maximumTotalSize: Int64?
    /// Whether bytes and records are written to the disk before they are reported to clients, in case the machine loses
    /// power. A killed process loses nothing in either case. Applies to folders; other storages decide themselves.
    public var isDurable = false

    /// Creates the default options.
    public init() {}
}
