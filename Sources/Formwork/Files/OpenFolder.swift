import FormworkSystem
import Synchronization

/// A folder into which files are written. Each file appears completely or not at all.
///
/// A file is written without a name if the file system can do that, otherwise under a hidden name, locked while it is
/// written. Every name is one component in the open folder and no link is followed, so nothing is written elsewhere.
package final class OpenFolder: Sendable {
    /// The prefix of the hidden names.
    static let hiddenPrefix = ".formwork-part."

    /// The folder's path in errors.
    package let path: FilePath
    package let descriptor: FileDescriptor
    private let avoidsUnnamedFiles: Bool
    /// The number to try first for a name that was taken before.
    private let numbers = Mutex([String: Int]())
    /// Held while a name passes from one file to another, so that a file can be checked and then removed safely.
    private let replacement = Mutex(())
    /// Whether a file keeps its inode number under another name; `nil` until it was tried.
    private let keepsInodes: Mutex<Bool?>

    /// Opens the folder, or creates it if only its last component is missing.
    /// - Parameters:
    ///   - avoidsUnnamedFiles: Whether to write files under hidden names even if that isn't needed.
    ///   - numbersFiles: What ``numbersFiles()`` returns; `nil` to try it.
    /// - Throws: `writeFailed`.
    package init(
        _ path: FilePath, avoidsUnnamedFiles: Bool = false, numbersFiles: Bool? = nil
    ) throws(FormworkError) {
        self.path = path
        self.keepsInodes = Mutex(numbersFiles)
        self.avoidsUnnamedFiles = avoidsUnnamedFiles || !SystemCalls.namesUnnamedFiles
        do throws(Errno) {
            do throws(Errno) { try SystemCalls.makeFolder(path) } catch .fileExists {}
            self.descriptor = try SystemCalls.open(path, .readOnly, .directory)
        } catch {
            throw Self.unusable(path, error)
        }
    }

    /// Opens a folder in this one, but no link to one, or makes it, accessible to this user only.
    /// - Throws: `writeFailed`.
    package init(private name: String, in folder: OpenFolder) throws(FormworkError) {
        let path = folder.path.appending(name)
        (self.path, self.avoidsUnnamedFiles) = (path, folder.avoidsUnnamedFiles)
        self.keepsInodes = Mutex(nil)
        self.descriptor = try FormworkError.writing(path) { () throws(Errno) in
            try SystemCalls.makePrivateFolder(path)
            return try SystemCalls.openFolder(name, in: folder.descriptor)
        }
    }

    /// The error for a folder that can't be made or opened.
    package static func unusable(_ path: FilePath, _ error: Errno) -> FormworkError {
        let above = path.removingLastComponent()
        let reason =
            switch error {
            case _ where !self.exists(path):
                // In /proc no folder can be made, and the system says the same as without a folder above.
                error == .noSuchFileOrDirectory && !self.exists(above.isEmpty ? "." : above)
                    ? "can't be created, because its parent folder \(above) doesn't exist: create \(above) first"
                    : "can't be created: name another folder"
            case .notDirectory: "can't be used as a folder: name another"
            default: "files can't be written in this folder"
            }
        return FormworkError(.writeFailed, reason, path: path.string, cause: error)
    }

    private static func exists(_ path: FilePath) -> Bool {
        do throws(Errno) { _ = try SystemCalls.status(of: path) } catch { return error == .permissionDenied }
        return true
    }

    deinit { try? SystemCalls.close(self.descriptor) }

    /// Begins a file, which is invisible until it is published.
    /// - Throws: `writeFailed`.
    package func makeFile() throws(FormworkError) -> UnpublishedFile {
        if let descriptor = self.openUnnamed() {
            // It gets a hidden name for a moment if it replaces another file.
            return UnpublishedFile(self, descriptor, hiddenName: nil)
        }
        do throws(Errno) {
            let (descriptor, name) = try self.createHidden { Self.hiddenName() }
            return UnpublishedFile(self, descriptor, hiddenName: name)
        } catch .noSuchFileOrDirectory {
            // Another folder of its name isn't this one: its locks and journals are elsewhere.
            throw FormworkError(
                .writeFailed, "files can't be created in this folder: if it was removed, restart the program",
                path: self.path.string, cause: Errno.noSuchFileOrDirectory)
        } catch {
            throw FormworkError(.writeFailed, "can't be written", path: self.path.string, cause: error)
        }
    }

    /// Whether a file keeps its inode number when it gets another name. Some FUSE file systems (sshfs, unionfs-fuse) number
    /// names, not files.
    func numbersFiles() -> Bool {
        self.keepsInodes.withLock { known in
            let answer = known ?? self.triesRenaming()
            known = answer
            return answer
        }
    }

    private func triesRenaming() -> Bool {
        // Only file systems of the kernel have these, and they number files.
        if let descriptor = self.openUnnamed() {
            try? SystemCalls.close(descriptor)
            return true
        }
        guard let (descriptor, name) = try? self.createHidden({ Self.hiddenName() }) else { return true }
        let other = Self.hiddenName()
        defer {
            for hidden in [name, other] { SystemCalls.unlink(hidden, in: self.descriptor) }
            try? SystemCalls.close(descriptor)
        }
        guard let before = try? SystemCalls.status(of: descriptor),
            (try? SystemCalls.rename(name, to: other, in: self.descriptor, replacing: false)) != nil,
            let after = try? SystemCalls.status(of: other, in: self.descriptor)
        else { return true }
        return before.validator.inode == after.validator.inode
    }

    /// Makes a file with this hidden name, which is locked before others can see it.
    func createLocked(named name: String) throws(Errno) -> FileDescriptor {
        if let descriptor = self.openUnnamed() {
            do throws(Errno) {
                try SystemCalls.link(descriptor, as: name, in: self.descriptor)
                return descriptor
            } catch {
                try? SystemCalls.close(descriptor)
                throw error
            }
        }
        return try self.createHidden { name }.descriptor
    }

    private func openUnnamed() -> FileDescriptor? {
        // In a folder that was removed tmpfs makes a file all the same, which can't get a name.
        guard !self.avoidsUnnamedFiles, (try? SystemCalls.status(of: self.descriptor))?.links != 0,
            let descriptor = try? SystemCalls.openUnnamed(in: self.descriptor)
        else { return nil }
        _ = SystemCalls.lock(descriptor)
        return descriptor
    }

    private func createHidden(
        _ makeName: () -> String
    ) throws(Errno) -> (descriptor: FileDescriptor, name: String) {
        while true {
            let name = makeName()
            let descriptor = try SystemCalls.createFile(name, in: self.descriptor)
            // Between the two calls a starting receiver may take it for a leftover. Then it holds the lock, or the file
            // has no name any more.
            if self.lock(descriptor), let status = try? SystemCalls.status(of: descriptor), status.links > 0 {
                return (descriptor, name)
            }
            SystemCalls.unlink(name, in: self.descriptor)
            try? SystemCalls.close(descriptor)
        }
    }

    /// - Returns: Whether no other process has the lock. Where the file system has no locks, no process removes leftovers.
    private func lock(_ descriptor: FileDescriptor) -> Bool {
        do throws(Errno) { try SystemCalls.takeLock(descriptor) } catch { return error != .wouldBlock }
        return true
    }

    /// Removes a published file. Nothing happens if it was changed, or another file has its name. Only a file that
    /// wasn't written with this object could take the name between the check and the removal.
    package func remove(_ file: PublishedFile) {
        self.exclusively {
            // Bytes: a slash with a combining mark after it is another Character.
            var folders = file.name.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            guard let name = folders.popLast() else { return }
            try? self.within(folders) { descriptor throws(Errno) in
                let status = try SystemCalls.status(of: name, in: descriptor)
                var state = status.validator
                if !self.numbersFiles() { state.inode = file.state.inode }
                if status.kind == .regular, state == file.state { SystemCalls.unlink(name, in: descriptor) }
            }
        }
    }

    /// Whether anything has that path, even a dangling link.
    package func exists(_ path: SafePath) -> Bool {
        let isThere = try? self.within(path.folders.map(\.text)) { descriptor throws(Errno) in
            SystemCalls.exists(path.name.text, in: descriptor)
        }
        return isThere ?? false
    }

    /// Runs code that checks names and then changes them, while no other such code runs in any process.
    func exclusively<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.replacement.withLock { _ throws(Failure) in
            // A process that was stopped while it held the lock must not block this one forever.
            SystemCalls.waitForLock(self.descriptor, atMost: .seconds(5))
            defer { SystemCalls.unlock(self.descriptor) }
            return try body()
        }
    }

    /// Runs `body` in a folder below this one. No link on the way is followed.
    func within<Result>(
        _ folders: [String], _ body: (FileDescriptor) throws(Errno) -> Result
    ) throws(Errno) -> Result {
        guard let first = folders.first else { return try body(self.descriptor) }
        var current = try SystemCalls.openFolder(first, in: self.descriptor)
        defer { try? SystemCalls.close(current) }
        for name in folders.dropFirst() {
            let inner = try SystemCalls.openFolder(name, in: current)
            try? SystemCalls.close(current)
            current = inner
        }
        return try body(current)
    }

    func sync() throws(FormworkError) {
        try FormworkError.writing(self.path) { () throws(Errno) in try SystemCalls.sync(self.descriptor) }
    }

    static func hiddenName() -> String { self.hiddenPrefix + RandomWord.make() }

    /// Tries names until one is free.
    func firstFree(
        _ path: SafePath, _ take: (String) throws(Errno) -> Void
    ) throws(Errno) -> String {
        let key = path.text
        var number = 0
        while true {
            let candidate = path.name.counted(number)
            do throws(Errno) {
                try take(candidate)
                if number > 0 { self.remember(number + 1, for: key) }
                return candidate
            } catch .fileExists {
                // The plain name is tried first, because its file may have been removed since.
                number = number > 0 ? number + 1 : self.numbers.withLock { $0[key] } ?? 1
            }
        }
    }

    /// The first name that seems to be free.
    func likelyName(for path: SafePath, isTaken: (String) -> Bool) -> String {
        let key = path.text
        var number = 0
        while isTaken(path.name.counted(number)) {
            number = number > 0 ? number + 1 : self.numbers.withLock { $0[key] } ?? 1
        }
        if number > 0 { self.remember(number + 1, for: key) }
        return path.name.counted(number)
    }

    /// Moves a file from a hidden name to its own name, with a number if that is taken.
    static func moveToFreeName(_ hidden: String, _ name: SafeFilename, in folder: FileDescriptor) throws(Errno) {
        var number = 0
        while true {
            do throws(Errno) {
                return try SystemCalls.rename(hidden, to: name.counted(number), in: folder, replacing: false)
            } catch .fileExists {
                number += 1
            }
        }
    }

    private func remember(_ number: Int, for name: String) {
        self.numbers.withLock { numbers in
            // Only a hint that saves tries, so it may be removed.
            if numbers.count >= 1_000 { numbers.removeAll() }
            numbers[name] = number
        }
    }
}

/// A file that has its name.
package struct PublishedFile: Sendable {
    /// Its name, with the folders below the open one.
    package let name: String
    /// Identifies it, even if its inode number was reused since.
    let state: FileValidator

    init(name: String, state: FileValidator) { (self.name, self.state) = (name, state) }
}

/// A file that is invisible yet. Its creator must call ``close()``.
package struct UnpublishedFile: Sendable {
    package let folder: OpenFolder
    package let descriptor: FileDescriptor
    /// Its name until it is published or moved; `nil` if it has no name at all.
    private(set) var hiddenName: String?

    init(_ folder: OpenFolder, _ descriptor: FileDescriptor, hiddenName: String?) {
        (self.folder, self.descriptor, self.hiddenName) = (folder, descriptor, hiddenName)
    }

    /// Writes all bytes of some chunks. A size limit is an error, never a signal.
    /// - Throws: `writeFailed`.
    package func write(_ chunks: [some BodyChunk]) throws(FormworkError) {
        for chunk in chunks { try chunk.write(to: self.descriptor, at: self.folder.path) }
    }

    /// Waits until the disk has the bytes, if wanted; otherwise until the file system has accepted them.
    /// - Throws: `writeFailed`.
    package func finish(durably: Bool) throws(FormworkError) {
        try FormworkError.writing(self.folder.path) { () throws(Errno) in
            try SystemCalls.finishWriting(self.descriptor, durably: durably)
        }
    }

    /// Gives the file its name: `a.txt`, or `a (1).txt` if that is taken. After an error, only the hidden name remains
    /// until the file is closed.
    /// - Parameters:
    ///   - rule: What to do if the name is taken.
    ///   - durably: Whether to wait until the disk has the bytes and the name.
    ///   - isFinished: Whether ``finish(durably:)`` was called.
    /// - Throws: `writeFailed`.
    package mutating func publish(
        as name: SafeFilename, _ rule: PublishingRule, durably: Bool, isFinished: Bool = false
    ) throws(FormworkError) -> PublishedFile {
        let (folder, descriptor) = (self.folder, self.descriptor)
        let published = try FormworkError.writing(folder.path.appending(name.text)) { () throws(Errno) in
            if !isFinished { try SystemCalls.finishWriting(descriptor, durably: durably) }
            let state = try SystemCalls.status(of: descriptor).validator
            switch rule {
            case .replacing:
                try self.replace(name.text)
                return PublishedFile(name: name.text, state: state)
            case .exclusive:
                try self.move(to: name.text, in: folder.descriptor)
                return PublishedFile(name: name.text, state: state)
            case .numbered:
                let taken = try folder.firstFree(SafePath(name)) { candidate throws(Errno) in
                    try self.move(to: candidate, in: folder.descriptor)
                }
                return PublishedFile(name: taken, state: state)
            }
        }
        self.hiddenName = nil
        if durably {
            do throws(FormworkError) { try folder.sync() } catch {
                // After an error the caller doesn't expect a file.
                folder.remove(published)
                throw error
            }
        }
        return published
    }

    private func replace(_ name: String) throws(Errno) {
        let (folder, hidden) = (self.folder, self.hiddenName)
        // Only a rename replaces a file in one step, and only a named file can be renamed.
        let temporary = hidden ?? OpenFolder.hiddenName()
        if hidden == nil { try SystemCalls.link(self.descriptor, as: temporary, in: folder.descriptor) }
        do throws(Errno) {
            try folder.exclusively { () throws(Errno) in
                self.inheritAttributes(of: name, in: folder.descriptor)
                try SystemCalls.rename(temporary, to: name, in: folder.descriptor, replacing: true)
            }
        } catch {
            // For example, a folder has the name. The hidden name was made here, so it is removed here.
            if hidden == nil { SystemCalls.unlink(temporary, in: folder.descriptor) }
            throw error
        }
    }

    /// Gives the file a free name, in this folder or one of the same file system; `fileExists` if it isn't free.
    package func move(to name: String, in place: FileDescriptor) throws(Errno) {
        if let hiddenName {
            try SystemCalls.rename(hiddenName, from: self.folder.descriptor, to: name, in: place, replacing: false)
        } else {
            try SystemCalls.link(self.descriptor, as: name, in: place)
        }
    }

    /// Gives the file the permissions and, if this process may, the owner of the file that it replaces.
    func inheritAttributes(of name: String, in place: FileDescriptor) {
        guard let old = try? SystemCalls.status(of: name, in: place) else { return }
        SystemCalls.inheritAttributes(of: old, to: self.descriptor)
    }

    /// Closes the file, and removes it if it was not published. Call it once.
    package func close() {
        // If the file got another name, this one doesn't exist, and removing it has no effect.
        if let name = self.hiddenName { SystemCalls.unlink(name, in: self.folder.descriptor) }
        try? SystemCalls.close(self.descriptor)
    }
}

extension SafeFilename {
    /// `a.txt` as `a (1).txt`; itself for 0.
    fileprivate func counted(_ number: Int) -> String {
        number == 0 ? self.text : self.inserting(" (\(number))")
    }
}
