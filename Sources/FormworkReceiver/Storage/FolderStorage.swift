import Formwork
import FormworkDigests
import FormworkEssentials
import FormworkResumable
import FormworkSystem
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Stores uploads as files in a folder.
final class FolderStorage: ReceiverStorage {
    private let folder: AtomicFolder
    var path: FilePath { self.folder.path }
    private let replacing: Bool
    private let durably: Bool
    /// Bytes of disk space to keep free.
    private let freeBytes: Int64
    /// The number of uploads in progress, which share the memory for bytes that wait to be written.
    private let count = Atomic(0)

    /// Opens the folder, or creates it if only its last component is missing, and removes leftovers of a killed
    /// receiver.
    /// - Parameters:
    ///   - path: The folder.
    ///   - replacing: Whether a file of the same name is replaced; `name (1).ext` is made otherwise.
    ///   - durably: Whether a file becomes visible only after it has been written to the disk.
    ///   - freeBytes: Bytes of disk space that uploads leave free, 0 or more.
    ///   - avoidsUnnamedFiles: Whether files are written under hidden names even where unnamed files are possible.
    /// - Throws: `writeFailed`.
    init(
        _ path: FilePath, replacing: Bool = false, durably: Bool = false, freeBytes: Int64 = 0,
        avoidsUnnamedFiles: Bool = false
    ) throws(FormworkError) {
        self.folder = try AtomicFolder(path, avoidsUnnamedFiles: avoidsUnnamedFiles)
        (self.replacing, self.durably, self.freeBytes) = (replacing, durably, max(0, freeBytes))
        try self.folder.removeLeftovers()
        // Reports a folder that can't be written to now, not with the first upload.
        let probe = try self.folder.makeFile()
        probe.close()
    }

    func room(for need: StorageNeed) async throws {
        try await NIOThreadPool.singleton.runIfActive {
            switch need {
            case .unfinished(let room):
                guard room.fits(in: self.folder, keeping: self.freeBytes) else { throw self.lack(of: room.missing) }
            case .nothing:
                try self.checkPlace()
                try self.folder.makeFile().close()
            case .files(let bytes):
                try self.checkPlace()
                try self.lookForRoom(for: bytes)
            }
        }
    }

    func size(of folder: String?) async throws -> Int64 {
        try await NIOThreadPool.singleton.runIfActive {
            try self.checkPlace()
            return self.folder.size(of: folder)
        }
    }

    private func lookForRoom(for bytes: Int64) throws(FormworkError) {
        // If the free space is unknown, writing will fail when it runs out.
        guard let room = DiskSpace.available(at: self.folder.path), bytes > room - min(room, self.freeBytes) else {
            return
        }
        throw self.lack(of: bytes)
    }

    private func lack(of bytes: Int64) -> FormworkError {
        FormworkError(
            .writeFailed, "has no room for \(bytes, "byte") besides the \(self.freeBytes) that must stay free",
            path: self.folder.path.string, cause: Errno.noSpace)
    }

    /// Writes the bytes that wait.
    fileprivate func write(_ pending: FolderUpload.Pending) throws(FormworkError) {
        if self.freeBytes > 0 { try self.lookForRoom(for: Int64(pending.bytes)) }
        for buffer in pending.batch { try pending.file.write(buffer) }
    }

    func begin(
        _ file: IncomingFile, from content: FileContent?, _ memory: ReceiverMemory.Lease?
    ) async throws -> (upload: any StorageUpload, hasContent: Bool) {
        let slices: [FinishedFile.Slice]? = if case .slices(let slices)? = content { slices } else { nil }
        let begun = try await NIOThreadPool.singleton.runIfActive { () throws -> AtomicFile? in
            try self.check(file)
            guard let slices else { return try self.folder.makeFile() }
            guard slices.count == 1, slices[0].isWhole else { return nil }
            return self.folder.adopt(slices[0].file, replacing: self.rule(for: file) == .replacing ? file.path : nil)
        }
        if let begun { return (self.upload(begun, file), slices != nil) }
        return (self.upload(try await self.copy(slices ?? []), file), true)
    }

    /// A new file with these bytes.
    private func copy(_ slices: [FinishedFile.Slice]) async throws -> AtomicFile {
        try await self.room(for: .files(slices.reduce(0) { $0 + Int64($1.range.count) }))
        let copy = try await NIOThreadPool.singleton.runIfActive { try self.folder.makeFile() }
        do {
            for slice in slices {
                var rest = slice.range
                while !rest.isEmpty {
                    try Task.checkCancellation()
                    let end = min(rest.lowerBound + FinishedFile.stepSize, rest.upperBound)
                    let range = rest.lowerBound..<end
                    try await NIOThreadPool.singleton.runIfActive {
                        if self.freeBytes > 0 { try self.lookForRoom(for: Int64(range.count)) }
                        try copy.append(slice.file, range)
                    }
                    rest = end..<rest.upperBound
                }
            }
            return copy
        } catch {
            try? await NIOThreadPool.singleton.runIfActive { copy.close() }
            throw error
        }
    }

    private func upload(_ unpublished: AtomicFile, _ file: IncomingFile) -> FolderUpload {
        self.count.add(1, ordering: .relaxed)
        return FolderUpload(self, unpublished, file)
    }

    /// How many bytes an upload may collect before they are written: many for few uploads, few for many.
    fileprivate var batchBytes: Int {
        let count = max(1, self.count.load(ordering: .relaxed))
        return max(64 << 10, min(1 << 20, (32 << 20) / count))
    }

    fileprivate func ended() { self.count.subtract(1, ordering: .relaxed) }

    private func checkPlace() throws {
        do throws(FormworkError) { try self.folder.checkPlace() } catch {
            // Nobody would find the files.
            throw StorageRefusal(
                503, "The folder for files can't be used at the moment: try again later.", log: error.description)
        }
    }

    private func check(_ file: IncomingFile) throws {
        guard file.condition != .none else { return }
        guard self.folder.exists(file.path) == (file.condition == .isTaken) else {
            throw StorageRefusal.failed(file.condition)
        }
        if file.condition == .isTaken, !self.replacing { throw StorageRefusal.irreplaceable }
    }

    /// Makes the files of a form visible. Once this has begun, cancellation doesn't stop it: it completes or is undone.
    /// A message and a receipt are two more files of the form.
    func commit(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String] {
        let (all, records) = (uploads.compactMap { ($0 as? FolderUpload)?.takeWhole() }, self.records(of: publication))
        let (name, others) = (publication.upload, [publication.upload, publication.notice?.name].count { $0 != nil })
        var failure: (any Error)? = Task.isCancelled ? CancellationError() : nil
        if all.count < uploads.count { failure = FormworkError(.writeFailed, "the upload has already ended") }
        // Not a child of the request's task, which may be cancelled between two names.
        let published = try await Task { [failure] in
            var failure = failure
            // One by one, so that a form with many files doesn't keep a thread from other uploads. The disk may be
            // too full for the bytes still in memory, so they are written before any file gets its name.
            for whole in all where failure == nil {
                do { try await NIOThreadPool.singleton.runIfActive { try self.complete(whole) } } catch {
                    failure = error
                }
            }
            return try await NIOThreadPool.singleton.runIfActive { [failure] in
                defer { for whole in all { whole.file.close() } }
                if let failure { throw failure }
                return try self.giveNames(all, records, name)
            }
        }.value
        return published.dropLast(others).map(\.name)
    }

    /// Makes one more file from the names of those before it.
    private typealias Record = @Sendable ([String]) -> RecordToPublish?

    private func records(of publication: Publication) -> [Record] {
        var records: [Record] = []
        if let record = publication.record {
            records.append { [replacing] names in
                record(names).map { made in
                    RecordToPublish(made.bytes, as: made.path, replacing && made.mayReplace ? .replacing : .numbered)
                }
            }
        }
        if let name = publication.upload.map(Self.receiptName), let receipt = publication.receipt {
            records.append { names in
                RecordToPublish(receipt(names).jsonBytes, as: SafePath(SafeFilename(unchecked: name)), .exclusive)
            }
        }
        if let notice = publication.notice {
            let (path, others) = (FolderRecordBox.safePath(notice.name), publication.upload == nil ? 0 : 1)
            records.append { RecordToPublish(notice.bytes($0.dropLast(others)), as: path, .replacing) }
        }
        return records
    }

    private static let receiptPrefix = ".formwork-stored."
    private static func receiptName(_ upload: String) -> String { self.receiptPrefix + upload }

    /// Completes or undoes what killed receivers of the same folder were publishing, and forgets what is stored of uploads that
    /// are gone.
    /// - Returns: The number of forms that were completed or undone.
    /// - Throws: `writeFailed` if the folder can't be read, or isn't at its place.
    func sweep(_ uploads: UploadStore?) async throws -> Int {
        let found = try await NIOThreadPool.singleton.runIfActive {
            try self.checkPlace()
            return try self.folder.settleForms()
        }
        guard let uploads else { return found.count }
        for name in found.names where name.hasPrefix(Self.receiptPrefix) {
            let upload = String(name.dropFirst(Self.receiptPrefix.count))
            // Another receiver of this folder may keep its uploads elsewhere.
            let written = (try? SystemCalls.status(of: name, in: self.folder.descriptor))?.validator.modified.seconds
            let age = written.map { Date.now.timeIntervalSince1970 - Double($0) } ?? 0
            guard age >= uploads.options.lifetime, try await !uploads.exists(upload) else { continue }
            await self.forget(upload)
        }
        return found.count
    }

    func sweeper(_ uploads: UploadStore?, _ logger: Logger) -> Sweeper {
        Sweeper(firstPause: .seconds(60)) {
            let begun = ContinuousClock.now
            // Uploads report that the folder is away.
            if let count = try? await self.sweep(uploads), count > 0 {
                logger.notice(
                    "what a killed receiver was storing was completed or undone",
                    metadata: ["forms": .stringConvertible(count)])
            }
            return max(.seconds(60), (ContinuousClock.now - begun) * 20)
        }
    }

    func find(_ upload: String, isDigesting: Bool) async throws -> FoundUpload {
        let receipt = try await NIOThreadPool.singleton.runIfActive {
            try self.checkPlace()
            self.folder.settleForm(upload)
            return try self.folder.bytes(ofOwn: Self.receiptName(upload)).flatMap(UploadReceipt.init)
        }
        return (receipt, nil)
    }

    func forget(_ upload: String) async {
        try? await NIOThreadPool.singleton.runIfActive { self.folder.removeFile(Self.receiptName(upload)) }
    }

    private func complete(_ whole: FolderUpload.Pending) throws(FormworkError) {
        try self.write(whole)
        try whole.file.finish(durably: self.durably)
    }

    private func giveNames(
        _ all: [FolderUpload.Pending], _ records: [Record], _ upload: String?
    ) throws -> [PublishedFile] {
        try self.checkPlace()
        for whole in all { try self.check(whole.incoming) }
        let files = all.map { whole in
            FileToPublish(whole.file, as: whole.incoming.path, self.rule(for: whole.incoming))
        }
        do throws(FormworkError) {
            return try self.folder.publish(files, durably: self.durably, records: records, form: upload)
        } catch {
            guard error.cause as? Errno == .fileExists, all.contains(where: { $0.incoming.condition == .isFree }) else {
                throw error
            }
            throw StorageRefusal.failed(.isFree)
        }
    }

    private func rule(for file: IncomingFile) -> PublishingRule {
        if file.condition == .isFree { return .exclusive }
        return self.replacing && file.mayReplace ? .replacing : .numbered
    }
}

/// A file that is being uploaded to a ``FolderStorage``. Buffers are collected, and written on a thread for blocking
/// calls.
private final class FolderUpload: StorageUpload {
    /// A file and the bytes that wait to be written to it.
    struct Pending: Sendable {
        let file: AtomicFile
        let incoming: IncomingFile
        var batch: [ByteBuffer] = []
        var bytes = 0
    }

    private let storage: FolderStorage
    /// `nil` once the upload has ended.
    private let pending: Mutex<Pending?>

    init(_ storage: FolderStorage, _ file: AtomicFile, _ incoming: IncomingFile) {
        self.storage = storage
        self.pending = Mutex(Pending(file: file, incoming: incoming))
    }

    func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws {
        digest?.update(buffer.readableBytesSpan)
        let limit = self.storage.batchBytes
        let full = self.pending.withLock { pending -> Pending? in
            // Taken out, so that the batch isn't copied.
            guard var last = pending.take() else { return nil }
            last.batch.collect(buffer)
            last.bytes += buffer.readableBytes
            let isFull = last.bytes >= limit
            pending = isFull ? Pending(file: last.file, incoming: last.incoming) : last
            return isFull ? last : nil
        }
        guard let full else { return }
        try await NIOThreadPool.singleton.runIfActive { [storage] in try storage.write(full) }
    }

    /// Hands over the complete file, which the caller must close; `nil` if the upload has ended.
    func takeWhole() -> Pending? {
        guard let last = self.pending.withLock({ $0.take() }) else { return nil }
        self.storage.ended()
        return last
    }

    func abandon() async {
        guard let file = self.takeWhole()?.file else { return }
        // Closing releases the file's space, which takes time for a large file.
        try? await NIOThreadPool.singleton.runIfActive { file.close() }
    }
}

extension [ByteBuffer] {
    /// Appends bytes without holding much more memory than they need: a buffer that uses a small part of its storage is
    /// copied.
    fileprivate mutating func collect(_ buffer: ByteBuffer) {
        guard buffer.readableBytes < buffer.storageCapacity / 2 else { return self.append(buffer) }
        let room = 32 << 10
        if let last = self.indices.last, self[last].isOwn(room), self[last].writableBytes >= buffer.readableBytes {
            var own = self.removeLast()
            own.writeImmutableBuffer(buffer)
            self.append(own)
        } else {
            var own = ByteBuffer()
            own.reserveCapacity(Swift.max(room, buffer.readableBytes))
            own.writeImmutableBuffer(buffer)
            self.append(own)
        }
    }
}

extension ByteBuffer {
    /// Whether this buffer was made to collect small pieces.
    fileprivate func isOwn(_ room: Int) -> Bool { self.readerIndex == 0 && self.storageCapacity == room }
}

extension AtomicFolder {
    /// Bytes of all files in it, or in a folder below it. Links, hidden names, and what can't be opened don't count.
    func size(of folder: String?) -> Int64 {
        Self.size(of: folder.map { $0.split(separator: "/")[...] } ?? [], in: self.descriptor)
    }

    private static func size(of path: ArraySlice<Substring>, in folder: SystemPackage.FileDescriptor) -> Int64 {
        func size(below name: String, _ rest: ArraySlice<Substring>) -> Int64 {
            guard let inner = try? SystemCalls.openFolder(name, in: folder) else { return 0 }
            defer { try? SystemCalls.close(inner) }
            return self.size(of: rest, in: inner)
        }
        if let first = path.first { return size(below: String(first), path.dropFirst()) }
        let names = (try? SystemCalls.names(in: folder)) ?? []
        return names.reduce(0) { sum, name in
            guard !name.hasPrefix("."), let status = try? SystemCalls.status(of: name, in: folder) else { return sum }
            if status.kind == .directory { return sum + size(below: name, []) }
            return status.kind == .regular ? sum + status.validator.size : sum
        }
    }
}
