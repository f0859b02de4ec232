#if Transfer
import Formwork
import FormworkCore
import NIOCore

/// Where uploads end up: a folder, or an object store.
package protocol ReceiverStorage: Sendable {
    /// Begins a file, which nobody sees before it is finished.
    func begin(_ file: IncomingFile) async throws -> any StorageUpload
    /// Lets go of what it holds, connections say; all uploads have ended before.
    func close() async
}

extension ReceiverStorage {
    package func close() async {}
}

/// What is known of a file before its first byte.
package struct IncomingFile: Sendable {
    /// The name it should have: one path component that is safe everywhere.
    package var name: SafeFilename
    /// The media type that its sender gave; `nil` where it gave none.
    package var contentType: String?
    /// Bytes in all; `nil` when only the end can tell.
    package var length: Int64?
    /// Whether it may take the place of a file of its name, in a storage that replaces files at all.
    package var mayReplace: Bool

    package init(
        name: SafeFilename, contentType: String? = nil, length: Int64? = nil, mayReplace: Bool = true
    ) {
        (self.name, self.contentType, self.length, self.mayReplace) = (name, contentType, length, mayReplace)
    }
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
