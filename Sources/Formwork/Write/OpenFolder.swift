import FormworkCore
import Synchronization
import SystemPackage

/// A folder that files are put into one by one, each of them whole or not at all.
///
/// A file is written without a name where the file system can do that, and else under a hidden one of this type's own,
/// locked while it is written. Every name is one component in the open folder, so nothing is written elsewhere, whatever
/// links are put in the way, and no link is followed.
package final class OpenFolder: Sendable {
    /// What the hidden names begin with.
    static let hiddenPrefix = ".formwork-part."

    /// The folder, as errors name it.
    package let path: FilePath
    let descriptor: FileDescriptor
    private let avoidsUnnamedFiles: Bool
    /// The number to try first behind a name that was taken before.
    private let numbers = Mutex([String: Int]())
    /// Held while a name goes from one file to another, so that who looks at a name and then removes it removes what was
    /// seen.
    private let replacement = Mutex(())

    /// Opens the folder, or makes it if only its last component is missing.
    /// - Parameter avoidsUnnamedFiles: Has files written under hidden names even where that isn't needed.
    /// - Throws: `writeFailed`.
    package init(_ path: FilePath, avoidsUnnamedFiles: Bool = false) throws(FormworkError) {
        self.path = path
        // Without /proc an unnamed file would never get a name.
        self.avoidsUnnamedFiles = avoidsUnnamedFiles || !SystemCalls.mayRead("/proc/self/fd")
        do throws(Errno) {
            do throws(Errno) { try SystemCalls.makeFolder(path) } catch .fileExists {}
            self.descriptor = try SystemCalls.open(path, .readOnly, .directory)
        } catch {
            throw FormworkError(.writeFailed, "files can't be written there", path: path.string, cause: error)
        }
    }

    deinit { try? SystemCalls.close(self.descriptor) }

    /// Removes what a process that was killed left behind, and undoes a form whose publication it had begun, or brings
    /// it to its end; what a living one writes is locked, and stays.
    /// - Returns: How many files were removed, and forms settled.
    /// - Throws: `writeFailed` when the folder can't be read.
    @discardableResult
    package func removeLeftovers() throws(FormworkError) -> Int {
        let names = try FormworkError.writing(self.path) { () throws(Errno) in
            try SystemCalls.names(in: self.descriptor)
        }
        var count = 0
        for name in names where FormJournal.isJournal(name) && self.settleLeftForm(name) { count += 1 }
        for name in names where name.hasPrefix(Self.hiddenPrefix) {
            guard let file = self.openLeft(name) else { continue }
            defer { try? SystemCalls.close(file) }
            SystemCalls.unlink(name, in: self.descriptor)
            count += 1
        }
        return count
    }

    /// Opens a file that no living process has locked.
    private func openLeft(_ name: String) -> FileDescriptor? {
        guard let file = try? SystemCalls.openFile(name, in: self.descriptor) else { return nil }
        if let status = try? SystemCalls.status(of: file), status.kind == .regular, SystemCalls.lock(file) {
            return file
        }
        try? SystemCalls.close(file)
        return nil
    }

    private func settleLeftForm(_ name: String) -> Bool {
        guard let file = self.openLeft(name) else { return false }
        defer { try? SystemCalls.close(file) }
        // Another start may have settled it between the look at the names and now.
        guard let status = try? SystemCalls.status(of: file), status.links > 0,
            let journal = try? FormJournal(named: name, from: file)
        else { return false }
        return self.exclusively {
            guard journal.settle(in: self) else { return false }
            SystemCalls.unlink(name, in: self.descriptor)
            return true
        }
    }

    /// Begins a file, which nobody sees before it is published.
    /// - Throws: `writeFailed`.
    package func makeFile() throws(FormworkError) -> UnpublishedFile {
        if let descriptor = self.openUnnamed() {
            // It has a hidden name for a moment when it is to replace another file.
            return UnpublishedFile(self, descriptor, hiddenName: nil)
        }
        let (descriptor, name) = try FormworkError.writing(self.path) { () throws(Errno) in
            try self.createHidden { Self.hiddenName() }
        }
        return UnpublishedFile(self, descriptor, hiddenName: name)
    }

    /// Makes a file of this hidden name that is locked as soon as others can see it.
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
        guard !self.avoidsUnnamedFiles, let descriptor = try? SystemCalls.openUnnamed(in: self.descriptor) else {
            return nil
        }
        _ = SystemCalls.lock(descriptor)
        return descriptor
    }

    private func createHidden(
        _ makeName: () -> String
    ) throws(Errno) -> (descriptor: FileDescriptor, name: String) {
        while true {
            let name = makeName()
            let descriptor = try SystemCalls.createFile(name, in: self.descriptor)
            // Between the two calls a receiver that starts may take it for a leftover: it holds the lock then, or the file
            // has lost its name.
            if SystemCalls.lock(descriptor), let status = try? SystemCalls.status(of: descriptor), status.links > 0 {
                return (descriptor, name)
            }
            SystemCalls.unlink(name, in: self.descriptor)
            try? SystemCalls.close(descriptor)
        }
    }

    /// Removes a file that was published. Nothing happens when it has been changed, or another file has its name by now;
    /// only what is no file of this object's can still take the name between the look and the removal.
    package func remove(_ file: PublishedFile) {
        self.exclusively {
            var folders = file.name.split(separator: "/").map(String.init)
            guard let name = folders.popLast() else { return }
            try? self.within(folders) { descriptor throws(Errno) in
                let status = try SystemCalls.status(of: name, in: descriptor)
                if status.kind == .regular, status.validator == file.state {
                    SystemCalls.unlink(name, in: descriptor)
                }
            }
        }
    }

    /// Whether anything has that path, a link that leads nowhere too.
    package func exists(_ path: SafePath) -> Bool {
        let isThere = try? self.within(path.folders.map(\.text)) { descriptor throws(Errno) in
            SystemCalls.exists(path.name.text, in: descriptor)
        }
        return isThere ?? false
    }

    /// Runs what looks at names and then changes them while no other one does, in this process or another.
    func exclusively<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.replacement.withLock { _ throws(Failure) in
            // A process that was stopped while it held the lock isn't waited for.
            SystemCalls.waitForLock(self.descriptor, atMost: .seconds(5))
            defer { SystemCalls.unlock(self.descriptor) }
            return try body()
        }
    }

    /// Runs something in a folder below this one. No link on the way is followed.
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

    fileprivate func sync() throws(FormworkError) {
        try FormworkError.writing(self.path) { () throws(Errno) in try SystemCalls.sync(self.descriptor) }
    }

    static func randomWord() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    static func hiddenName() -> String { self.hiddenPrefix + self.randomWord() }

    /// Tries names until one isn't taken.
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
                // The plain name first, whatever was taken before: its file may be gone by now.
                number = number > 0 ? number + 1 : self.numbers.withLock { $0[key] } ?? 1
            }
        }
    }

    /// The first name that doesn't seem to be taken.
    func likelyName(for path: SafePath, isTaken: (String) -> Bool) -> String {
        let key = path.text
        var number = 0
        while isTaken(path.name.counted(number)) {
            number = number > 0 ? number + 1 : self.numbers.withLock { $0[key] } ?? 1
        }
        if number > 0 { self.remember(number + 1, for: key) }
        return path.name.counted(number)
    }

    /// Moves a file from a hidden name to its own, with a number where that is taken.
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
            // A hint that spares tries: it may be forgotten.
            if numbers.count >= 1_000 { numbers.removeAll() }
            numbers[name] = number
        }
    }
}

/// A file that has its name.
package struct PublishedFile: Sendable {
    /// The name that it got, with the folders below the open one before it.
    package let name: String
    /// Tells it from any other, also from one that has got its number by now.
    let state: FileValidator
}

/// A file that nobody sees yet. Whoever makes one ends it, by ``close()``.
package struct UnpublishedFile: Sendable {
    let folder: OpenFolder
    let descriptor: FileDescriptor
    /// `nil` while the file has no name at all.
    private var hiddenName: String?

    init(_ folder: OpenFolder, _ descriptor: FileDescriptor, hiddenName: String?) {
        (self.folder, self.descriptor, self.hiddenName) = (folder, descriptor, hiddenName)
    }

    /// Writes all bytes of some chunks. A size limit is an error, never a signal.
    /// - Throws: `writeFailed`.
    package func write(_ chunks: [some BodyChunk]) throws(FormworkError) {
        try SystemCalls.withoutWriteSignals { () throws(FormworkError) in
            for chunk in chunks {
                try chunk.withBytes { bytes throws(FormworkError) in
                    try FormworkError.writing(self.folder.path) { () throws(Errno) in
                        try SystemCalls.writeAll(self.descriptor, bytes)
                    }
                }
            }
        }
    }

    /// Waits until the disk has the bytes.
    /// - Throws: `writeFailed`.
    package func sync() throws(FormworkError) {
        try FormworkError.writing(self.folder.path) { () throws(Errno) in try SystemCalls.sync(self.descriptor) }
    }

    /// Gives the file its name: `a.txt`, or `a (1).txt` where that is taken. Nothing with a name is left behind an error,
    /// but the hidden name that the file was made with, until it is closed.
    /// - Parameters:
    ///   - rule: What is done where the name is taken.
    ///   - durably: Whether to wait until the disk has the bytes and the name.
    ///   - isSynced: Whether it has the bytes, by ``sync()``.
    /// - Throws: `writeFailed`.
    package mutating func publish(
        as name: SafeFilename, _ rule: PublishingRule, durably: Bool, isSynced: Bool = false
    ) throws(FormworkError) -> PublishedFile {
        let (folder, descriptor) = (self.folder, self.descriptor)
        let published = try FormworkError.writing(folder.path.appending(name.text)) { () throws(Errno) in
            if durably, !isSynced { try SystemCalls.sync(descriptor) }
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
                // Who is told of an error doesn't look for a file.
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
            // A folder has the name, say. No copy of this value knows of a name that was made here.
            if hidden == nil { SystemCalls.unlink(temporary, in: folder.descriptor) }
            throw error
        }
    }

    /// Gives the file a name that nothing has, in this folder or one of the same file system; else it is `fileExists`.
    func move(to name: String, in place: FileDescriptor) throws(Errno) {
        if let hiddenName {
            try SystemCalls.rename(hiddenName, in: self.folder.descriptor, to: name, in: place)
        } else {
            try SystemCalls.link(self.descriptor, as: name, in: place)
        }
    }

    /// Gives the file the permissions and, as far as this process may, the owner of the file that it replaces.
    func inheritAttributes(of name: String, in place: FileDescriptor) {
        guard let old = try? SystemCalls.status(of: name, in: place), old.kind == .regular,
            let own = try? SystemCalls.status(of: self.descriptor)
        else { return }
        if (old.user, old.group) != (own.user, own.group),
            !SystemCalls.setOwner(of: self.descriptor, user: old.user, group: old.group)
        {
            _ = SystemCalls.setOwner(of: self.descriptor, user: own.user, group: old.group)
        }
        // Not the bits that have a program run as its owner: writing to the old file would have taken them too.
        SystemCalls.setPermissions(of: self.descriptor, old.permissions.intersection(FilePermissions(rawValue: 0o777)))
    }

    /// Lets go of the file; of one that was not published nothing is left. To be called once.
    package func close() {
        // Where it got another name this one is nobody's: removing it does nothing.
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
