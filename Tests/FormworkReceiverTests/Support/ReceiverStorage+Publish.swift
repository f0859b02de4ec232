import Formwork
import FormworkDigests
@testable import FormworkReceiver
import NIOCore

extension ReceiverStorage {
    /// Begins a file whose bytes arrive.
    func begin(_ file: IncomingFile) async throws -> any StorageUpload {
        try await self.begin(file, from: nil, nil).upload
    }

    /// Publishes files that no resumable upload has.
    func publish(
        _ uploads: [any StorageUpload], record: (@Sendable ([String]) -> FormRecord?)?, notice: StoredNotice? = nil
    ) async throws -> [String] {
        try await self.commit(uploads, Publication(record: record, notice: notice))
    }

    /// Publishes one file.
    func finish(_ upload: any StorageUpload) async throws -> String { try await self.publish([upload], record: nil)[0] }

    /// Whether files can be stored at the moment.
    func isReachable() async -> Bool { (try? await self.room(for: .nothing)) != nil }
}

extension IncomingFile {
    /// Describes a file directly in the storage's own folder.
    init(name: SafeFilename, contentType: String? = nil, length: Int64? = nil) {
        self.init(SafePath(name), contentType: contentType, length: length)
    }
}

extension StorageUpload {
    func write(_ buffer: ByteBuffer) async throws {
        var none: SHA256Digest?
        try await self.write(buffer, digest: &none)
    }
}
