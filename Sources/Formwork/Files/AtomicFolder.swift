import FormworkSystem
import Synchronization

/// A folder into which files are written. Each file appears completely or not at all.
///
/// A file is written without a name if the file system can do that, otherwise under a hidden name, locked while it is
/// written. Every name is one component in the open folder and no link is followed, so nothing is written elsewhere.
package final class AtomicFolder: Sendable {
    /// The prefix of the hidden names.
    static let hiddenPrefix = ".formwork-part."

    /// The folder's path in errors.
    package let path: FilePath
    package let descriptor: FileDescriptor
    /// Whether it was made when it was opened.
    let isNew: Bool
    private let avoidsUnnamedFiles: Bool
    /// The number to try first for a name that was taken before.
    private let numbers = Mutex([String: Int]())
    /// Held while a name passes from one file to another, so that a file can be checked and then removed safely.
    private let replacement = Mutex(())
    /// Whether a file keeps its inode number under another name; `nil` until it was tried.
    private let keepsInodes: Mutex<Bool?>

    private init(
        _ path: FilePath, _ descriptor: FileDescriptor, isNew: Bool = false, avoidsUnnamedFiles: Bool = false,
        numbersFiles: Bool? = nil
    ) {
        (self.path, self.descriptor, self.isNew) = (path, descriptor, isNew)
        self.avoidsUnnamedFiles = avoidsUnnamedFiles || !SystemCalls.namesUnnamedFiles
        self.keepsInodes = Mutex(numbersFiles)
    }

    /// Opens the folder, or creates it if only its last component is missing.
    /// - Parameters:
    ///   - avoidsUnnamedFiles: Whether to write files under hidden names even if that isn't needed.
    ///   - numbersFiles: What ``numbersFiles()`` returns; `nil` to try it.
    /// - Throws: `writeFailed`.
    package convenience init(
        _ path: FilePath, avoidsUnnamedFiles: Bool = false, numbersFiles: Bool? = nil
    ) throws(FormworkError) {
        var isNew = true
        let descriptor: FileDescriptor
        do throws(Errno) {
            do throws(Errno) { try SystemCalls.makeFolder(path) } catch .fileExists { isNew = false }
            descriptor = try SystemCalls.open(path, .readOnly, .directory)
        } catch {
            throw Self.unusable(path, error)
        }
        self.init(
            path, descriptor, isNew: isNew, avoidsUnnamedFiles: avoidsUnnamedFiles, numbersFiles: numbersFiles)
    }

    /// Opens a folder in this one, but no link to one, or makes it, accessible to this user only.
    /// - Throws: `writeFailed`.
    package convenience init(private name: String, in folder: AtomicFolder) throws(FormworkError) {
        let path = folder.path.appending(name)
        let descriptor = try FormworkError.writing(path) { () throws(Errno) in
            do throws(Errno) {
                try SystemCalls.makeFolder(name, in: folder.descriptor, isPrivate: true)
            } catch .fileExists {}
            return try SystemCalls.openFolder(name, in: folder.descriptor)
        }
        self.init(path, descriptor, isNew: true, avoidsUnnamedFiles: folder.avoidsUnnamedFiles)
    }

    /// Opens the folder of a file.
    convenience init(of file: FilePath) throws(Errno) {
        let path = file.removingLastComponent()
        self.init(path, try SystemCalls.openFolder(path.isEmpty ? "." : path))
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

    /// A new file without a visible name.
    struct Begun {
        var descriptor: FileDescriptor
        /// `nil` if it has no name at all.
        var hiddenName: String?
    }

    /// Begins a file, which is invisible until it is published.
    /// - Throws: `writeFailed`.
    package func makeFile() throws(FormworkError) -> AtomicFile {
        do throws(Errno) { return AtomicFile(self, try self.begin()) } catch {
            // Another folder of its name isn't this one: its locks and journals are elsewhere.
            let reason =
                error == .noSuchFileOrDirectory
                ? "files can't be created in this folder: if it was removed, restart the program" : "can't be written"
            throw FormworkError(.writeFailed, reason, path: self.path.string, cause: error)
        }
    }

    /// Begins a file. If it has no name, it gets a hidden one for a moment if it replaces another file.
    func begin() throws(Errno) -> Begun {
        if let descriptor = self.openUnnamed() { return Begun(descriptor: descriptor) }
        let (descriptor, name) = try self.createHidden { Self.hiddenName() }
        return Begun(descriptor: descriptor, hiddenName: name)
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
            let (folders, name) = FormJournal.split(file.name)
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
    /// - Parameter counted: Makes the candidate with a number; 0 is the name itself.
    func firstFree<Result>(
        _ path: SafePath, _ counted: (SafeFilename, Int) -> String = { $0.counted($1) },
        _ take: (String) throws(Errno) -> Result
    ) throws(Errno) -> (name: String, result: Result) {
        let key = path.text
        var number = 0
        while true {
            let candidate = counted(path.name, number)
            do throws(Errno) {
                let result = try take(candidate)
                if number > 0 { self.remember(number + 1, for: key) }
                return (candidate, result)
            } catch .fileExists {
                // The plain name is tried first, because its file may have been removed since.
                number = number > 0 ? number + 1 : self.numbers.withLock { $0[key] } ?? 1
            }
        }
    }

    /// Moves a file from a hidden name to its own name, with a number if that is taken.
    func move(_ hidden: String, toFree name: SafeFilename, in place: FileDescriptor) throws(Errno) {
        _ = try self.firstFree(SafePath(name)) { candidate throws(Errno) in
            try SystemCalls.rename(hidden, to: candidate, in: place, replacing: false)
        }
    }

    /// The first name that seems to be free.
    func likelyName(for path: SafePath, isTaken: (String) -> Bool) -> String {
        let name = try? self.firstFree(path) { candidate throws(Errno) in
            if isTaken(candidate) { throw .fileExists }
        }
        return name?.name ?? path.name.text
    }

    private func remember(_ number: Int, for name: String) {
        self.numbers.withLock { numbers in
            // Only a hint that saves tries, so it may be removed.
            if numbers.count >= 1_000 { numbers.removeAll() }
            numbers[name] = number
        }
    }
}

extension SafeFilename {
    /// `a.txt` as `a (1).txt`; itself for 0.
    fileprivate func counted(_ number: Int) -> String {
        number == 0 ? self.text : self.inserting(" (\(number))")
    }
}
