import Formwork
@testable import FormworkReceiver
import NIOCore

/// A storage with scripted failures.
struct FailingStorage: ReceiverStorage {
    enum Fault: Sendable {
        /// The file of this name can't be finished.
        case finishing(String)
        /// No byte can be written.
        case full
    }

    struct Failed: Error, CustomStringConvertible { let description = "a secret of the storage" }

    let base: any ReceiverStorage
    let fault: Fault

    func begin(_ file: IncomingFile) async throws -> any StorageUpload {
        Upload(base: try await self.base.begin(file), fault: self.fault, name: file.path.name.text)
    }

    private struct Upload: StorageUpload {
        let base: any StorageUpload
        let fault: Fault
        let name: String

        func write(_ buffer: ByteBuffer) async throws {
            if case .full = self.fault {
                throw FormworkError(.writeFailed, "can't be written", path: "/disk7/x", cause: Errno.noSpace)
            }
            try await self.base.write(buffer)
        }

        func finish() async throws -> String {
            if case .finishing(self.name) = self.fault { throw Failed() }
            return try await self.base.finish()
        }

        func abandon() async { await self.base.abandon() }
        func withdraw() async { await self.base.withdraw() }
    }
}
