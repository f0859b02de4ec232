import FormworkDigests
@testable import FormworkReceiver
import NIOCore

/// A storage that reports what happens to its uploads, and may never finish.
struct WatchedStorage: ReceiverStorage {
    let base: any ReceiverStorage
    /// Whether writing ends only when its task is cancelled, as it does with a store that has stopped.
    var isStalled = false
    /// Bytes that were written.
    let written = Local(0)
    /// Writes that have begun, and that were cancelled.
    let begun = Local(0)
    let cancelled = Local(0)

    func begin(
        _ file: IncomingFile, from content: FileContent?, _ memory: ReceiverMemory.Lease?
    ) async throws -> (upload: any StorageUpload, hasContent: Bool) {
        (Upload(storage: self, base: try await self.base.begin(file, from: nil, memory).upload), false)
    }

    func commit(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String] {
        try await self.base.commit(uploads.compactMap { ($0 as? Upload)?.base }, publication)
    }

    private struct Upload: StorageUpload {
        let storage: WatchedStorage
        let base: any StorageUpload

        func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws {
            self.storage.begun.value += 1
            if self.storage.isStalled {
                do { try await Task.sleep(for: .seconds(20)) } catch {
                    self.storage.cancelled.value += 1
                    throw error
                }
            }
            try await self.base.write(buffer, digest: &digest)
            self.storage.written.value += buffer.readableBytes
        }

        func abandon() async { await self.base.abandon() }
    }
}
