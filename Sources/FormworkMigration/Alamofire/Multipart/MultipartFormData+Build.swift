import FormworkFoundation
import Foundation
import SystemPackage

extension MultipartFormData {
    /// A form put together for an upload.
    public enum Encoded: Sendable {
        /// In memory.
        case data(Data)
        /// In a file, gone with its handle.
        case file(TemporaryBodyFile)
    }

    /// Puts the body together: in memory below `encodingMemoryThreshold` bytes of content, else in a temporary file
    /// that only this user can read.
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

/// A body in a temporary file. Keep the handle as long as the file is needed, retries included: the file goes with it.
public final class TemporaryBodyFile: Sendable {
    /// Where the file is.
    public let url: URL

    init(_ url: URL) { self.url = url }

    deinit { self.remove() }

    /// Removes the file now. May be called any number of times.
    public func remove() { try? FileManager.default.removeItem(at: self.url) }
}
