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
    /// Uploads under way, which share the memory for bytes that wait to be written.
    private let count = Atomic(0)

    /// Opens the folder, or makes it if only its last component is missing, and removes what a killed receiver left.
    /// - Parameters:
    ///   - path: The folder.
    ///   - replacing: Whether a file of the same name is replaced; `name (1).ext` is made otherwise.
    ///   - durably: Whether a file appears only when the disk has it.
    ///   - avoidsUnnamedFiles: Has files written under hidden names even where that isn't needed.
    /// - Throws: `writeFailed`.
    package init(
        _ path: FilePath, replacing: Bool = false, durably: Bool = false, avoidsUnnamedFiles: Bool = false
    ) throws(FormworkError) {
        self.folder = try OpenFolder(path, avoidsUnnamedFiles: avoidsUnnamedFiles)
        (self.replacing, self.durably) = (replacing, durably)
        try self.folder.removeLeftovers()
        // A folder that takes no files is said now, and not to the first client.
        var probe = try self.folder.makeFile()
        probe.close()
    }

    package func begin(_ file: IncomingFile) async throws -> any StorageUpload {
        let folder = self.folder
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

    /// Gives a file its name.
    fileprivate func publish(
        _ file: UnpublishedFile, _ batch: [ByteBuffer], as incoming: IncomingFile
    ) throws(FormworkError) -> PublishedFile {
        var file = file
        try file.write(batch)
        return try file.publish(
            as: incoming.name, replacing: self.replacing && incoming.mayReplace, durably: self.durably)
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
        try await NIOThreadPool.singleton.runIfActive { try file.write(batch) }
    }

    func finish() async throws -> String {
        let taken = self.state.withLock { state -> (UnpublishedFile, [ByteBuffer])? in
            guard case .writing(let file, let batch, _) = state else { return nil }
            state = .over
            return (file, batch)
        }
        guard let (unpublished, batch) = taken else { throw FormworkError(.writeFailed, "the upload is over") }
        var file = unpublished
        self.storage.ended()
        // A hidden name that the file has no longer is nobody's: removing it again does nothing.
        defer { file.close() }
        let (storage, incoming) = (self.storage, self.incoming)
        let published = try await NIOThreadPool.singleton.runIfActive { [file, batch] in
            try storage.publish(file, batch, as: incoming)
        }
        self.state.withLock { $0 = .published(published) }
        return published.name
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
            var file = file
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
