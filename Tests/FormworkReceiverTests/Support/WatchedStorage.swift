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

    func begin(_ file: IncomingFile) async throws -> any StorageUpload {
        Upload(storage: self, base: try await self.base.begin(file))
    }

    private struct Upload: StorageUpload {
        let storage: WatchedStorage
        let base: any StorageUpload

        func write(_ buffer: ByteBuffer) async throws {
            self.storage.begun.value += 1
            if self.storage.isStalled {
                do { try await Task.sleep(for: .seconds(20)) } catch {
                    self.storage.cancelled.value += 1
                    throw error
                }
            }
            try await self.base.write(buffer)
            self.storage.written.value += buffer.readableBytes
        }

        func finish() async throws -> String { try await self.base.finish() }
        func abandon() async { await self.base.abandon() }
        func withdraw() async { await self.base.withdraw() }
    }
}
