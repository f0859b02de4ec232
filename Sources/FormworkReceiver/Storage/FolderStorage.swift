#if Transfer
import Formwork
import FormworkNIO
import FormworkClient
import NIOCore
import NIOPosix
import Synchronization
import SystemPackage

/// Keeps uploads as files of one folder.
package final class FolderStorage: ReceiverStorage {
    private let folder: OpenFolder
    private let replacing: Bool
    private let durably: Bool
    /// Bytes of the disk that stay free.
    private let freeBytes: Int64
    /// Uploads under way, which share the memory for bytes that wait to be written.
    private let count = Atomic(0)

    /// Opens the folder, or makes it if only its last component is missing, and removes what a killed receiver left.
    /// - Parameters:
    ///   - path: The folder.
    ///   - replacing: Whether a file of the same name is replaced; `name (1).ext` is made otherwise.
    ///   - durably: Whether a file appears only when the disk has it.
    ///   - freeBytes: Bytes of the disk that uploads leave free, 0 or more.
    ///   - avoidsUnnamedFiles: Has files written under hidden names even where that isn't needed.
    /// - Throws: `writeFailed`.
    package init(
        _ path: FilePath, replacing: Bool = false, durably: Bool = false, freeBytes: Int64 = 0,
        avoidsUnnamedFiles: Bool = false
    ) throws(FormworkError) {
        self.folder = try OpenFolder(path, avoidsUnnamedFiles: avoidsUnnamedFiles)
        (self.replacing, self.durably, self.freeBytes) = (replacing, durably, max(0, freeBytes))
        try self.folder.removeLeftovers()
        // A folder that takes no files is said now, and not to the first client.
        let probe = try self.folder.makeFile()
        probe.close()
    }

    package func checkRoom(for bytes: Int64) async throws {
        try await NIOThreadPool.singleton.runIfActive { try self.lookForRoom(for: bytes) }
    }

    private func lookForRoom(for bytes: Int64) throws(FormworkError) {
        // Where it isn't told, writing will tell.
        guard let room = DiskSpace.available(at: self.folder.path), bytes > room - min(room, self.freeBytes) else {
            return
        }
        throw FormworkError(
            .writeFailed, "has no room for \(bytes) bytes beside the \(self.freeBytes) that stay free",
            path: self.folder.path.string, cause: Errno.noSpace)
    }

    /// Writes some of a file.
    fileprivate func write(_ batch: [ByteBuffer], to file: UnpublishedFile) throws(FormworkError) {
        if self.freeBytes > 0 { try self.lookForRoom(for: batch.reduce(0) { $0 + Int64($1.readableBytes) }) }
        try file.write(batch)
    }

    package func begin(_ file: IncomingFile) async throws -> any StorageUpload {
        let folder = self.folder
        if file.condition != .none {
            try await NIOThreadPool.singleton.runIfActive { try self.check(file) }
        }
        let unpublished = try await NIOThreadPool.singleton.runIfActive { try folder.makeFile() }
        self.count.add(1, ordering: .relaxed)
        return FolderUpload(self, unpublished, file)
    }

    /// Bytes that an upload may collect before they are written: much at a time for a few, little for many.
    fileprivate var batchBytes: Int {
        let count = max(1, self.count.load(ordering: .relaxed))
        return max(64 << 10, min(1 << 20, (32 << 20) / count))
    }

    fileprivate func ended() { self.count.subtract(1, ordering: .relaxed) }

    private func check(_ file: IncomingFile) throws(FailedCondition) {
        guard file.condition != .none, self.folder.exists(file.path) != (file.condition == .isTaken) else { return }
        throw FailedCondition(condition: file.condition)
    }

    /// Makes the files of a form visible. Once it has begun nothing stops it: it ends, or is undone.
    package func publish(
        _ uploads: [any StorageUpload], record: (@Sendable ([String]) -> FormRecord?)?
    ) async throws -> [String] {
        var taken: [FolderUpload.Whole] = []
        do {
            try Task.checkCancellation()
            for upload in uploads {
                guard let whole = (upload as? FolderUpload)?.takeWhole() else {
                    throw FormworkError(.writeFailed, "the upload is over")
                }
                taken.append(whole)
            }
        } catch {
            let begun = taken
            // In a task of its own, because the request's may be cancelled.
            await Task {
                for upload in uploads { await upload.abandon() }
                try? await NIOThreadPool.singleton.runIfActive { for whole in begun { whole.file.close() } }
            }.value
            throw error
        }
        let all = taken
        // Not as a child of the request's task: that may be cancelled between two names.
        let published = try await Task {
            do {
                // One by one, so that a form of many files doesn't keep a thread from other uploads. What is still in
                // memory may be more than the disk has room for: nothing has a name yet.
                for whole in all { try await NIOThreadPool.singleton.runIfActive { try self.complete(whole) } }
            } catch {
                try await NIOThreadPool.singleton.runIfActive { for whole in all { whole.file.close() } }
                throw error
            }
            return try await NIOThreadPool.singleton.runIfActive {
                defer { for whole in all { whole.file.close() } }
                return try self.publish(all, record: record)
            }
        }.value
        for (upload, file) in zip(uploads, published) { (upload as? FolderUpload)?.became(file) }
        return published.map(\.name)
    }

    private func complete(_ whole: FolderUpload.Whole) throws(FormworkError) {
        try self.write(whole.batch, to: whole.file)
        if self.durably { try whole.file.sync() }
    }

    private func publish(
        _ all: [FolderUpload.Whole], record: (([String]) -> FormRecord?)?
    ) throws -> [PublishedFile] {
        for whole in all { try self.check(whole.incoming) }
        let files = all.map { whole in
            FileToPublish(whole.file, as: whole.incoming.path, self.rule(for: whole.incoming))
        }
        do throws(FormworkError) {
            return try self.folder.publish(
                files, durably: self.durably,
                record: record.map { make in
                    { names in
                        make(names).map { record in
                            let rule = self.replacing && record.mayReplace ? PublishingRule.replacing : .numbered
                            return RecordToPublish(record.bytes, as: record.path, rule)
                        }
                    }
                })
        } catch {
            guard error.cause as? Errno == .fileExists, all.contains(where: { $0.incoming.condition == .isFree }) else {
                throw error
            }
            throw FailedCondition(condition: .isFree)
        }
    }

    private func rule(for file: IncomingFile) -> PublishingRule {
        if file.condition == .isFree { return .exclusive }
        return self.replacing && file.mayReplace ? .replacing : .numbered
    }

    fileprivate func remove(_ file: PublishedFile) { self.folder.remove(file) }
}

/// A file of a ``FolderStorage`` on its way. Buffers are collected, and written on a thread for blocking calls.
private final class FolderUpload: StorageUpload {
    private enum State {
        case writing(UnpublishedFile, batch: [ByteBuffer], bytes: Int)
        case published(PublishedFile)
        case over
    }

    private let storage: FolderStorage
    private let incoming: IncomingFile
    private let state: Mutex<State>

    init(_ storage: FolderStorage, _ file: UnpublishedFile, _ incoming: IncomingFile) {
        (self.storage, self.incoming) = (storage, incoming)
        self.state = Mutex(.writing(file, batch: [], bytes: 0))
    }

    func write(_ buffer: ByteBuffer) async throws {
        let limit = self.storage.batchBytes
        let full = self.state.withLock { state -> (UnpublishedFile, [ByteBuffer])? in
            guard case .writing(let file, var batch, var bytes) = state else { return nil }
            state = .over
            batch.collect(buffer)
            bytes += buffer.readableBytes
            let isFull = bytes >= limit
            state = .writing(file, batch: isFull ? [] : batch, bytes: isFull ? 0 : bytes)
            return isFull ? (file, batch) : nil
        }
        guard let (file, batch) = full else { return }
        let storage = self.storage
        try await NIOThreadPool.singleton.runIfActive { try storage.write(batch, to: file) }
    }

    /// What there is to publish.
    struct Whole: Sendable {
        let file: UnpublishedFile
        let batch: [ByteBuffer]
        let incoming: IncomingFile
    }

    /// Hands over the file, which whoever takes it closes; `nil` when the upload is over.
    func takeWhole() -> Whole? {
        let whole = self.state.withLock { state -> Whole? in
            guard case .writing(let file, let batch, _) = state else { return nil }
            state = .over
            return Whole(file: file, batch: batch, incoming: self.incoming)
        }
        if whole != nil { self.storage.ended() }
        return whole
    }

    func became(_ file: PublishedFile) { self.state.withLock { $0 = .published(file) } }

    func finish() async throws -> String {
        try await self.storage.publish([self], record: nil)[0]
    }

    func abandon() async {
        let file = self.state.withLock { state -> UnpublishedFile? in
            guard case .writing(let file, _, _) = state else { return nil }
            state = .over
            return file
        }
        guard let file else { return }
        self.storage.ended()
        // What it held is given back here, which takes time for much.
        try? await NIOThreadPool.singleton.runIfActive {
            file.close()
        }
    }

    func withdraw() async {
        let file = self.state.withLock { state -> PublishedFile? in
            guard case .published(let file) = state else { return nil }
            state = .over
            return file
        }
        if let file { self.storage.remove(file) }
    }
}

extension [ByteBuffer] {
    /// Appends bytes without keeping much more memory than they take: what is a small part of its storage is copied.
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
    /// Whether this was made to collect small pieces in.
    fileprivate func isOwn(_ room: Int) -> Bool { self.readerIndex == 0 && self.storageCapacity == room }
}
#endif
