import Formwork
import FormworkSystem
import SystemPackage

/// A lock between processes: a file that exists while one of them has it, and that is unlocked if it is killed. A signal that
/// stops the process removes it, too.
package final class FileLock: Sendable {
    private let path: FilePath
    private let descriptor: FileDescriptor
    private let interruption: Interruption

    /// Takes the lock; `nil` while another process has it. A file system without locks doesn't prevent anything.
    /// - Throws: `writeFailed` if the file can't be created, or isn't empty: then it is no lock.
    package init?(_ path: FilePath) throws(FormworkError) {
        self.path = path
        while true {
            let descriptor = try FormworkError.writing(path) { () throws(Errno) in
                try SystemCalls.open(path, .readWrite, [.create, .noFollow], permissions: .ownerReadWrite)
            }
            do throws(Errno) { try SystemCalls.takeLock(descriptor) } catch .wouldBlock {
                try? SystemCalls.close(descriptor)
                return nil
            } catch {}
            if let size = try? SystemCalls.status(of: descriptor).validator.size, size > 0 {
                try? SystemCalls.close(descriptor)
                throw FormworkError(
                    .writeFailed, "isn't a lock, because it isn't empty: move it away, or name the state differently",
                    path: path.string)
            }
            // The last owner may have removed the file after it was opened here.
            let own = try? SystemCalls.status(of: descriptor).validator
            let named = try? SystemCalls.status(of: path).validator
            if own?.inode == named?.inode, own?.device == named?.device {
                self.descriptor = descriptor
                self.interruption = Interruption { _ in SystemCalls.unlink(path) }
                return
            }
            try? SystemCalls.close(descriptor)
        }
    }

    deinit {
        SystemCalls.unlink(self.path)
        try? SystemCalls.close(self.descriptor)
    }
}
