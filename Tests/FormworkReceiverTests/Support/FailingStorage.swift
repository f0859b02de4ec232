import Formwork
import FormworkDigests
@testable import FormworkReceiver
import NIOCore

/// A storage with scripted failures.
struct FailingStorage: ReceiverStorage {
    enum Fault: Sendable {
        /// A form with a file or a record of this name can't be committed.
        case committing(String)
        /// No byte can be written.
        case full
    }

    struct Failed: Error, CustomStringConvertible { let description = "a secret of the storage" }

    let base: any ReceiverStorage
    let fault: Fault

    func begin(
        _ file: IncomingFile, from content: FileContent?, _ memory: ReceiverMemory.Lease?
    ) async throws -> (upload: any StorageUpload, hasContent: Bool) {
        let (upload, hasContent) = try await self.base.begin(file, from: content, memory)
        return (Upload(base: upload, fault: self.fault, name: file.path.name.text), hasContent)
    }

    func commit(_ uploads: [any StorageUpload], _ publication: Publication) async throws -> [String] {
        let uploads = uploads.compactMap { $0 as? Upload }
        let names = uploads.map(\.name)
        let record = publication.record?(names)?.path.name.text
        if case .committing(let name) = self.fault, names.contains(name) || record == name {
            for upload in uploads { await upload.abandon() }
            throw Failed()
        }
        return try await self.base.commit(uploads.map(\.base), publication)
    }

    private struct Upload: StorageUpload {
        let base: any StorageUpload
        let fault: Fault
        let name: String

        func write(_ buffer: ByteBuffer, digest: inout SHA256Digest?) async throws {
            if case .full = self.fault {
                throw FormworkError(.writeFailed, "can't be written", path: "/disk7/x", cause: Errno.noSpace)
            }
            try await self.base.write(buffer, digest: &digest)
        }

        func abandon() async { await self.base.abandon() }
    }
}
