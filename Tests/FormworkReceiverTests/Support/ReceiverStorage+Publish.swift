@testable import FormworkReceiver

extension ReceiverStorage {
    /// Publishes files that no resumable upload has.
    func publish(
        _ uploads: [any StorageUpload], record: (@Sendable ([String]) -> FormRecord?)?, notice: StoredNotice? = nil
    ) async throws -> [String] {
        try await self.publish(uploads, Publication(record: record, notice: notice))
    }
}
