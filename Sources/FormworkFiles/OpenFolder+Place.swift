import Formwork
import FormworkCore
import FormworkSystem

extension OpenFolder {
    /// Checks that the folder is still at its path: another may have been mounted over it.
    /// - Throws: `writeFailed`.
    package func checkPlace() throws(FormworkError) {
        let own = try? SystemCalls.status(of: self.descriptor).validator
        guard own?.isSameFile(as: try? SystemCalls.status(of: self.path).validator) == true else {
            throw FormworkError(
                .writeFailed, "was moved, removed or replaced: move it back, or restart the receiver",
                path: self.path.string)
        }
    }
}
