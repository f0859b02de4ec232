import FormworkSystem
import Synchronization

/// Files that appear in a folder together, after all of them are complete.
///
/// They are written into a hidden folder inside it, which only this user may enter, and moved out at the end. One at a time
/// is open, so there may be any number of them.
package final class StagedFiles: Sendable {
    private struct State {
        var names: [String] = []
        var isOver = false
    }

    private let folder: AtomicFolder
    private let staging: AtomicFolder
    private let stagingName = ".formwork.\(RandomWord.make())"
    private let replacing: Bool
    private let state = Mutex(State())

    /// Opens the folder, or creates it if only its last component is missing.
    /// - Parameter replacing: Whether existing files may be replaced.
    /// - Throws: `writeFailed`.
    package init(in path: FilePath, replacing: Bool) throws(FormworkError) {
        self.replacing = replacing
        self.folder = try AtomicFolder(path)
        do throws(FormworkError) { self.staging = try AtomicFolder(private: self.stagingName, in: self.folder) } catch {
            SystemCalls.removeFolder(self.stagingName, in: self.folder.descriptor)
            if self.folder.isNew { SystemCalls.removeFolder(path) }
            throw AtomicFolder.unusable(path, error.cause as? Errno ?? .ioError)
        }
    }

    deinit { self.discard() }

    /// Begins a file, of which ``AtomicFile/publish(durably:)`` only says that it is complete.
    /// - Parameter name: One path component. If an earlier file has it, `a.txt` becomes `a-2.txt`.
    /// - Throws: `writeFailed`, with the cause `fileExists` if the folder already has such a file and replacing isn't
    ///   allowed.
    package func makeFile(_ name: SafeFilename) throws(FormworkError) -> AtomicFile {
        var taken = name.text
        return try self.naming({ taken }) { () throws(Errno) in
            try self.state.withLock { state throws(Errno) in
                guard !state.isOver else { throw .canceled }
                let begun = try self.staging.firstFree(SafePath(name), { $0.numbered($1 + 1) }) { name throws(Errno) in
                    try SystemCalls.createFile(name, in: self.staging.descriptor)
                }
                taken = begun.name
                state.names.append(taken)
                let file = AtomicFile(writing: begun.result, at: self.folder.path.appending(taken))
                // Checked now, not only at the end after everything was written.
                if !self.replacing, SystemCalls.exists(taken, in: self.folder.descriptor) { throw .fileExists }
                return file
            }
        }
    }

    /// Moves all files to their final names.
    /// - Returns: Their names, in the order in which they were begun.
    /// - Throws: `writeFailed`. Files that were moved already are removed again, unless replacing is allowed.
    package func publish() throws(FormworkError) -> [String] {
        var current = ""
        let (from, to) = (self.staging.descriptor, self.folder.descriptor)
        return try self.naming({ current }) { () throws(Errno) in
            try self.state.withLock { state throws(Errno) in
                guard !state.isOver else { throw .canceled }
                for (index, name) in state.names.enumerated() {
                    current = name
                    do throws(Errno) {
                        try SystemCalls.rename(name, from: from, to: name, in: to, replacing: self.replacing)
                    } catch {
                        if !self.replacing {
                            for placed in state.names[..<index] { SystemCalls.unlink(placed, in: to) }
                        }
                        throw error
                    }
                }
                SystemCalls.removeFolder(self.stagingName, in: to)
                state.isOver = true
                return state.names
            }
        }
    }

    /// Removes all files that were not published. Any thread may call it, even a signal's. Later calls then fail.
    package func discard() {
        self.state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            for name in state.names { SystemCalls.unlink(name, in: self.staging.descriptor) }
            SystemCalls.removeFolder(self.stagingName, in: self.folder.descriptor)
            if self.folder.isNew { SystemCalls.removeFolder(self.folder.path) }
        }
    }

    private func naming<Result>(
        _ name: () -> String, _ call: () throws(Errno) -> Result
    ) throws(FormworkError) -> Result {
        do throws(Errno) { return try call() } catch {
            throw FormworkError(
                .writeFailed, error == .fileExists ? "already exists" : "can't be written",
                path: self.folder.path.appending(name()).string, cause: error)
        }
    }
}

extension SafeFilename {
    /// `a.txt` as `a-2.txt`; itself for 1.
    fileprivate func numbered(_ number: Int) -> String {
        number == 1 ? self.text : self.inserting("-\(number)")
    }
}
