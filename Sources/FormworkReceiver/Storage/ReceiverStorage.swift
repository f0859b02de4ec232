#if Transfer
import Formwork
import FormworkCore
import NIOCore

/// Where uploads end up: a folder, or an object store.
package protocol ReceiverStorage: Sendable {
    /// Looks whether there is room for so many bytes, as far as that can be told; asked before the first is taken.
    /// - Throws: What is answered with 507.
    func checkRoom(for bytes: Int64) async throws
    /// Begins a file, which nobody sees before it is finished.
    func begin(_ file: IncomingFile) async throws -> any StorageUpload
    /// Makes the files of one form visible, all of them or, behind an error, none; then nothing is left of them.
    /// - Parameter record: Makes one more file of the names that they got; `nil` makes none.
    /// - Returns: Their names, and then the record's.
    func publish(
        _ uploads: [any StorageUpload], record: (@Sendable ([String]) -> FormRecord?)?
    ) async throws -> [String]
    /// Lets go of what it holds, connections say; all uploads have ended before.
    func close() async
}

extension ReceiverStorage {
    package func close() async {}
    package func checkRoom(for bytes: Int64) async throws {}

    /// One after the other; those that are visible are withdrawn when a later one fails.
    package func publish(
        _ uploads: [any StorageUpload], record: (@Sendable ([String]) -> FormRecord?)?
    ) async throws -> [String] {
        var uploads = uploads
        var names: [String] = []
        do {
            for upload in uploads { names.append(try await upload.finish()) }
            if let record = record?(names) {
                let upload = try await self.begin(
                    IncomingFile(record.path, contentType: FormRecord.mediaType, length: Int64(record.bytes.count)))
                uploads.append(upload)
                try await upload.write(ByteBuffer(bytes: record.bytes))
                names.append(try await upload.finish())
            }
            return names
        } catch {
            let (all, finished) = (uploads, names.count)
            // In a task of its own, because the request's may be cancelled, and a store still has to be told.
            await Task {
                for (index, upload) in all.enumerated().reversed() {
                    if index < finished { await upload.withdraw() } else { await upload.abandon() }
                }
            }.value
            throw error
        }
    }
}

/// What is kept of a form beside its files: its text fields, as JSON.
package struct FormRecord: Sendable {
    static let mediaType = "application/json"

    package var path: SafePath
    package var bytes: [UInt8]
    /// Whether it may take the place of a file of its name, in a storage that replaces files at all.
    package var mayReplace = true

    package init(path: SafePath, bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }
}

/// What is known of a file before its first byte.
package struct IncomingFile: Sendable {
    /// Where it should be: a name, and folders if paths are kept, each of them safe everywhere.
    package var path: SafePath
    /// The media type that its sender gave; `nil` where it gave none.
    package var contentType: String?
    /// Bytes in all; `nil` when only the end can tell.
    package var length: Int64?
    /// Whether it may take the place of a file of its name, in a storage that replaces files at all.
    package var mayReplace: Bool
    /// What has to be there, or not, for it to be stored.
    package var condition = PathCondition.none

    package init(
        _ path: SafePath, contentType: String? = nil, length: Int64? = nil, mayReplace: Bool = true
    ) {
        (self.path, self.contentType, self.length, self.mayReplace) = (path, contentType, length, mayReplace)
    }

    /// Describes a file of the storage's own folder.
    package init(
        name: SafeFilename, contentType: String? = nil, length: Int64? = nil, mayReplace: Bool = true
    ) {
        self.init(SafePath(name), contentType: contentType, length: length, mayReplace: mayReplace)
    }
}

/// What a client wants to be so before its file is stored (RFC 9110 section 13.1).
package enum PathCondition: Sendable, Hashable {
    case none
    /// `If-None-Match: *`: nothing has the file's path.
    case isFree
    /// `If-Match: *`: something has it.
    case isTaken
}

/// A condition that doesn't hold.
package struct FailedCondition: StorageFailure, Hashable, CustomStringConvertible {
    package var condition: PathCondition

    package var publicStatus: Int { 412 }
    package var publicDetail: String {
        self.condition == .isTaken
            ? "There is no file of this name (If-Match)." : "There is a file of this name (If-None-Match)."
    }
    package var description: String { self.publicDetail }
}

/// A file on its way. Whoever begins one ends it, by ``finish()`` or by ``abandon()``.
package protocol StorageUpload: Sendable {
    /// Takes the next bytes; returns when it can take more, which bounds the memory.
    func write(_ buffer: ByteBuffer) async throws
    /// Makes the file visible.
    /// - Returns: The name it got, which is another one where its own was taken.
    func finish() async throws -> String
    /// Leaves nothing of it. Not called any more once ``finish()`` has returned.
    func abandon() async
    /// Takes back what ``finish()`` made visible, because another file of the same form failed. What it replaced
    /// doesn't come back, and what has replaced it meanwhile stays.
    func withdraw() async
}

/// An error of a storage that knows what the client is to be told.
package protocol StorageFailure: Error {
    /// The HTTP status code: 409 for a name that another program took meanwhile, 502 for a store that fails or refuses,
    /// 503 for one that has no time, 507 for a full one.
    var publicStatus: Int { get }
    /// What to tell the client; no path, address or credential is in it.
    var publicDetail: String { get }
}
#endif
