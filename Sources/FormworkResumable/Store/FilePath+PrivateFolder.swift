#if Resumable
import Formwork
import FormworkSystem
import SystemPackage

extension FilePath {
    /// Makes the folder, and those above it, unless it exists. Only this user may read a new one.
    /// - Parameter content: What is kept in it, for the error.
    /// - Throws: ``FormworkError/Code/writeFailed``.
    package func makePrivateFolder(for content: String) throws(FormworkError) {
        do throws(Errno) { try self.makePrivateFolders() } catch {
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
