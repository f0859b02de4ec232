#if Resumable
import Formwork
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FilePath {
    /// Makes the folder, and those above it, unless it exists. Only this user may read a new one.
    /// - Parameter content: What is kept in it, for the error.
    /// - Throws: ``FormworkError/Code/writeFailed``.
    package func makePrivateFolder(for content: String) throws(FormworkError) {
        do {
            try FileManager.default.createDirectory(
                atPath: self.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw FormworkError(
                .writeFailed, "can't be used as a folder for \(content)", path: self.string, cause: error)
        }
    }
}
#endif
