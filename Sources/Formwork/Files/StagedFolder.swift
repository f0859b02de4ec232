import FormworkSystem
import Synchronization

/// Files that appear in a folder together, after all of them are complete.
///
/// They are written into a hidden folder inside it, which only this user may enter, and moved out at the end. Every
/// name is one component in an open folder, so no link can redirect a file elsewhere.
package final class StagedFolder: Sendable {
    private struct State {
        var names: [String] = []
        /// The next number to try for a duplicate name.
        var numbers: [String: Int] = [:]
        var isOver = false
    }

    /// The folder's path in errors.
    let path: FilePath
    private let replacing: Bool
    private let isNew: Bool
    private let folder: FileDescriptor
    private let staging: FileDescriptor
    private let stagingName: String
    private let state = Mutex(State())

    /// Opens the folder, or creates it if only its last component is missing.
    /// - Parameter replacing: Whether existing files may be replaced.
    /// - Throws: `writeFailed`.
    package init(_ path: FilePath, replacing: Bool) throws(FormworkError) {
        let stagingName = ".formwork.\(RandomWord.make())"
        (self.path, self.replacing, self.stagingName) = (path, replacing, stagingName)
        do throws(Errno) {
            var isNew = true
            do throws(Errno) { try SystemCalls.makeFolder(path) } catch .fileExists { isNew = false }
            let folder = try SystemCalls.open(path, .readOnly, .directory)
            do throws(Errno) {
                try SystemCalls.makeFolder(stagingName, in: folder, isPrivate: true)
                self.staging = try SystemCalls.openFolder(stagingName, in: folder)
            } catch {
                SystemCalls.removeFolder(stagingName, in: folder)
                try? SystemCalls.close(folder)
                if isNew { SystemCalls.removeFolder(path) }
                throw error
            }
            (self.folder, self.isNew) = (folder, isNew)
        } catch {
            throw OpenFolder.unusable(path, error)
        }
    }

    deinit {
        self.discard()
        try? SystemCalls.close(self.staging)
        try? SystemCalls.close(self.folder)
    }

    /// Begins a file.
    /// - Parameter name: One path component. If an earlier file has it, `a.txt` becomes `a-2.txt`.
    /// - Throws: `writeFailed`, with the cause `fileExists` if the folder already has such a file and replacing isn't
    ///   allowed.
    package func makeFile(_ name: SafeFilename) throws(FormworkError) -> StagedFile {
        var taken = name.text
        return try self.naming({ taken }) { () throws(Errno) in
            try self.state.withLock { state throws(Errno) in
                guard !state.isOver else { throw .canceled }
                let (descriptor, number) = try self.create(name, from: state.numbers[name.text] ?? 1)
                taken = name.numbered(number)
                state.names.append(taken)
                state.numbers[name.text] = number + 1
                let file = StagedFile(descriptor, taken, self.path)
                // Checked now, not only at the end after everything was written.
                if !self.replacing, SystemCalls.exists(taken, in: self.folder) { throw .fileExists }
                return file
            }
        }
    }

    private func create(_ name: SafeFilename, from first: Int) throws(Errno) -> (FileDescriptor, number: Int) {
        var number = first
        while true {
            do throws(Errno) {
                return (try SystemCalls.createFile(name.numbered(number), in: self.staging), number)
            } catch .fileExists {
                number += 1
            }
        }
    }

    /// Moves all files to their final names.
    /// - Returns: Their names, in the order in which they were begun.
    /// - Throws: `writeFailed`. Files that were moved already are removed again, unless replacing is allowed.
    package func publish() throws(FormworkError) -> [String] {
        var current = ""
        return try self.naming({ current }) { () throws(Errno) in
            try self.state.withLock { state throws(Errno) in
                guard !state.isOver else { throw .canceled }
                for (index, name) in state.names.enumerated() {
                    current = name
                    do throws(Errno) {
                        try SystemCalls.rename(
                            name, from: self.staging, to: name, in: self.folder, replacing: self.replacing)
                    } catch {
                        if !self.replacing {
                            for placed in state.names[..<index] { SystemCalls.unlink(placed, in: self.folder) }
                        }
                        throw error
                    }
                }
                SystemCalls.removeFolder(self.stagingName, in: self.folder)
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
            for name in state.names { SystemCalls.unlink(name, in: self.staging) }
            SystemCalls.removeFolder(self.stagingName, in: self.folder)
            if self.isNew { SystemCalls.removeFolder(self.path) }
        }
    }

    private func naming<Result: ~Copyable>(
        _ name: () -> String, _ call: () throws(Errno) -> Result
    ) throws(FormworkError) -> Result {
        do throws(Errno) { return try call() } catch {
            throw FormworkError(
                .writeFailed, error == .fileExists ? "already exists" : "can't be written",
                path: self.path.appending(name()).string, cause: error)
        }
    }
}

/// A file of a ``StagedFolder`` that is being written.
package struct StagedFile: ~Copyable {
    /// The name that it will have.
    let name: String
    private let descriptor: FileDescriptor
    private let folder: FilePath

    fileprivate init(_ descriptor: FileDescriptor, _ name: String, _ folder: FilePath) {
        (self.descriptor, self.name, self.folder) = (descriptor, name, folder)
    }

    deinit { try? SystemCalls.close(self.descriptor) }

    /// Waits until the file system has accepted the bytes.
    /// - Throws: `writeFailed`.
    package func finish() throws(FormworkError) {
        try FormworkError.writing(self.folder.appending(self.name)) { () throws(Errno) in
            try SystemCalls.flush(self.descriptor)
        }
    }

    /// Writes all of `bytes[range]`. A size limit is an error, never a signal.
    /// - Throws: `writeFailed`.
    package func write(_ bytes: [UInt8], _ range: Range<Int>) throws(FormworkError) {
        try bytes[range].write(to: self.descriptor, at: self.folder.appending(self.name))
    }
}

extension SafeFilename {
    /// `a.txt` as `a-2.txt`; itself for 1.
    fileprivate func numbered(_ number: Int) -> String {
        number == 1 ? self.text : self.inserting("-\(number)")
    }
}
