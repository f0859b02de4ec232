#if Transfer
import NIOCore

/// Stores nothing: an upload is read only to compare it with one that is stored.
struct DiscardingStorage: ReceiverStorage {
    private struct Upload: StorageUpload {
        func write(_ buffer: ByteBuffer) async throws {}
        func finish() async throws -> String { "" }
        func abandon() async {}
        func withdraw() async {}
    }

    func begin(_ file: IncomingFile) async throws -> any StorageUpload { Upload() }
}
#endif
