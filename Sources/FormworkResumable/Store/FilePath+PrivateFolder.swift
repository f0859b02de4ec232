#if Resumable
import Formwork
import FormworkSystem
import SystemPackage

extension FilePath {
    /// Makes the folder, unless it exists. Only this user may read a new one.
    /// - Parameters:
    ///   - content: What is kept in it, for the error.
    ///   - isDeep: Whether missing folders above it are made, too.
    /// - Throws: ``FormworkError/Code/writeFailed``.
    package func makePrivateFolder(for content: String, andAbove isDeep: Bool = true) throws(FormworkError) {
        do throws(Errno) {
            if isDeep { try self.makePrivateFolders() } else { try SystemCalls.makePrivateFolder(self) }
        } catch {
            guard error != .noSuchFileOrDirectory else { throw OpenFolder.unusable(self, error) }
            throw FormworkError(
                .writeFailed, "can't be used as a folder for \(content)", path: self.string, cause: error)
        }
    }

    private func makePrivateFolders() throws(Errno) {
        do throws(Errno) { try SystemCalls.makePrivateFolder(self) } catch {
            let above = self.removingLastComponent()
            guard error == .noSuchFileOrDirectory, !above.isEmpty else { throw error }
            try above.makePrivateFolders()
            try SystemCalls.makePrivateFolder(self)
        }
    }
}
#endif
