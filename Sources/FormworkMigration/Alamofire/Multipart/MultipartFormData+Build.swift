import FormworkFoundation
import Foundation
import SystemPackage

extension MultipartFormData {
    /// A form encoded for an upload.
    public enum Encoded: Sendable {
        /// In memory.
        case data(Data)
        /// In a file, which is removed with its handle.
        case file(TemporaryBodyFile)
    }

    /// Encodes the body: in memory below `encodingMemoryThreshold` bytes of content, otherwise in a temporary file that
    /// only this user can read.
    /// - Throws: What ``encode()`` and ``writeEncodedData(to:)`` throw.
    public func build(
        encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold
    ) throws -> Encoded {
        guard self.contentLength >= encodingMemoryThreshold else { return .data(try self.encode()) }
        let url = self.fileManager.temporaryDirectory.appendingPathComponent("formwork-\(UUID().uuidString)")
        try self.writeEncodedData(to: url, permissions: .ownerReadWrite)
        return .file(TemporaryBodyFile(url))
    }
}

/// A body in a temporary file. Keep the handle as long as the file is needed, including retries: the file is removed
/// with it.
public final class TemporaryBodyFile: Sendable {
    /// The file's URL.
    public let url: URL

    init(_ url: URL) { self.url = url }

    deinit { self.remove() }

    /// Removes the file now. It can be called any number of times.
    public func remove() { try? FileManager.default.removeItem(at: self.url) }
}
