import FormworkSystem
import Synchronization

/// A lock between processes, and between tasks: a file that exists while one of them has it, and that is unlocked if the
/// process is killed.
package final class FileLock: Sendable {
    private let path: FilePath
    /// `nil` after the release.
    private let descriptor: Mutex<FileDescriptor?>
    private let interruption: Interruption?

    /// Takes the lock; `nil` while another process or task has it. A file system without locks doesn't prevent anything.
    /// - Parameter handlesSignals: Whether a signal that stops the process removes the file, too. Only a command may handle
    ///   signals. Without that, the file stays, and can be locked again.
    /// - Parameter isOwn: Whether nobody else names files like this one, so that one that isn't empty is a lock, too.
    /// - Throws: `writeFailed` if the file can't be created, or isn't empty: then it is no lock.
    package init?(_ path: FilePath, handlesSignals: Bool = true, isOwn: Bool = false) throws(FormworkError) {
        self.path = path
        while true {
            let descriptor = try FormworkError.writing(path) { () throws(Errno) in
                try SystemCalls.open(path, .readWrite, [.create, .noFollow], permissions: .ownerReadWrite)
            }
            do throws(Errno) { try SystemCalls.takeLock(descriptor) } catch .wouldBlock {
                try? SystemCalls.close(descriptor)
                return nil
            } catch {}
            if !isOwn, let size = try? SystemCalls.status(of: descriptor).validator.size, size > 0 {
                try? SystemCalls.close(descriptor)
                throw FormworkError(
                    .writeFailed, "isn't a lock, because it isn't empty: move it away, or name the state differently",
                    path: path.string)
            }
            // The last owner may have removed the file after it was opened here.
            let named = try? SystemCalls.status(of: path).validator
            if (try? SystemCalls.status(of: descriptor))?.validator.isSameFile(as: named) ?? (named == nil) {
                self.descriptor = Mutex(descriptor)
                self.interruption = handlesSignals ? Interruption { _ in SystemCalls.unlink(path) } : nil
                return
            }
            try? SystemCalls.close(descriptor)
        }
    }

    deinit { self.release() }

    /// Removes the file and unlocks it, unless that was done before.
    package func release() {
        guard let descriptor = self.descriptor.withLock({ $0.take() }) else { return }
        SystemCalls.unlink(self.path)
        try? SystemCalls.close(descriptor)
    }
}
