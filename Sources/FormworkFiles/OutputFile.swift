import Formwork
import FormworkSystem

/// A file for a program's output, which appears, or replaces another one, only when it is complete.
///
/// A link is followed, and the file that it leads to is replaced. The new file has the old one's permissions and, if
/// the system allows that, its owner and group. Devices and FIFOs are written at once, and so are open descriptors such
/// as /dev/stdout, other paths below /dev and /proc, and an existing file in a folder in which no new file can be
/// created.
package final class OutputFile {
    private enum State {
        /// Invisible until it is published.
        case pending(PendingFile)
        /// Written at once.
        case direct(FileDescriptor)
        case closed
    }

    private let path: FilePath
    private var state: State

    /// Opens the file; an existing one stays as it is until ``publish()``.
    /// - Throws: `writeFailed`.
    package init(_ path: FilePath) throws(FormworkError) {
        self.path = path
        let open = try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.copyOfDescriptor(named: path) }
        if let open {
            self.state = .direct(open)
            return
        }
        let isSpecial = path.string.hasPrefix("/dev/") || path.string.hasPrefix("/proc/")
        let target =
            isSpecial
            ? path : try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.destination(of: path) }
        let existing = try? SystemCalls.status(of: target)
        if !isSpecial, existing == nil || existing?.kind == .regular {
            do throws(FormworkError) {
                self.state = .pending(try PendingFile(at: target, replacing: existing))
                return
            } catch {
                guard existing != nil else { throw error }
            }
        }
        let descriptor = try FormworkError.writing(path) { () throws(Errno) in
            try SystemCalls.open(
                target, .writeOnly, [.create, .truncate], permissions: SystemCalls.newFilePermissions)
        }
        self.state = .direct(descriptor)
    }

    deinit {
        switch self.state {
        case .pending(let file): file.discard()
        case .direct(let descriptor): try? SystemCalls.close(descriptor)
        case .closed: break
        }
    }

    /// Appends all of the bytes. A full disk or a closed FIFO is an error, never a signal.
    /// - Throws: `writeFailed`.
    package func write(_ bytes: [UInt8]) throws(FormworkError) {
        let descriptor: FileDescriptor
        switch self.state {
        case .pending(let file): descriptor = file.descriptor
        case .direct(let open): descriptor = open
        case .closed: return
        }
        let path = self.path
        try SystemCalls.withoutWriteSignals { () throws(FormworkError) in
            try FormworkError.writing(path) { () throws(Errno) in
                try bytes.withBytes { bytes throws(Errno) in try SystemCalls.writeAll(descriptor, bytes) }
            }
        }
    }

    /// Gives the complete file its name. Without this call, nothing is left of a file that was not written at once.
    /// - Throws: `writeFailed`.
    package func publish() throws(FormworkError) {
        var file: PendingFile
        switch self.state {
        case .pending(let pending): file = pending
        case .direct(let descriptor):
            return try FormworkError.writing(self.path) { () throws(Errno) in try SystemCalls.flush(descriptor) }
        case .closed: return
        }
        self.state = .closed
        do throws(FormworkError) { try file.publish(durably: false) } catch {
            file.discard()
            throw error
        }
        file.close()
    }
}

/// Small files that only this user may read. They are replaced in one step, so a reader sees either the old or the new
/// file.
package enum PrivateFile {
    /// Writes a file.
    /// - Parameter durably: Whether to wait until the disk has the bytes, before the renaming, and then the name.
    /// - Throws: `writeFailed`. The old file stays, unless only syncing the name failed.
    package static func write(_ bytes: [UInt8], to path: FilePath, durably: Bool = false) throws(FormworkError) {
        var file = try PendingFile(at: path, .ownerReadWrite)
        do throws(FormworkError) {
            let descriptor = file.descriptor
            try SystemCalls.withoutWriteSignals(to: descriptor) { () throws(FormworkError) in
                try FormworkError.writing(path) { () throws(Errno) in
                    try bytes.withBytes { bytes throws(Errno) in try SystemCalls.writeAll(descriptor, bytes) }
                }
            }
            try file.publish(durably: durably)
            file.close()
        } catch {
            file.discard()
            throw error
        }
        if durably { try self.syncFolder(of: path) }
    }

    private static func syncFolder(of path: FilePath) throws(FormworkError) {
        let folder = path.removingLastComponent()
        try FormworkError.writing(path) { () throws(Errno) in
            let descriptor = try SystemCalls.open(folder.isEmpty ? "." : folder, .readOnly, .directory)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.sync(descriptor)
        }
    }

    /// The file itself if a path is a symbolic link: each of its names has the same lock beside it.
    package static func place(of path: FilePath) -> FilePath {
        guard (try? SystemCalls.linkStatus(of: path))?.kind == .symbolicLink else { return path }
        return (try? SystemCalls.destination(of: path)) ?? path
    }

    /// Removes a file, if there is one.
    package static func remove(_ path: FilePath) { SystemCalls.unlink(path) }
}
