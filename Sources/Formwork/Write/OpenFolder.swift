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
    fileprivate let descriptor: FileDescriptor
    private let avoidsUnnamedFiles: Bool
    /// The number to try first behind a name that was taken before.
    private let numbers = Mutex([String: Int]())
    /// Held while a name goes from one file to another, so that who looks at a name and then removes it removes what was
    /// seen.
    fileprivate let replacement = Mutex(())

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

    /// Removes what a process that was killed left behind; what a living one writes is locked, and stays.
    /// - Returns: How many files were removed.
    /// - Throws: `writeFailed` when the folder can't be read.
    @discardableResult
    package func removeLeftovers() throws(FormworkError) -> Int {
        let names = try FormworkError.writing(self.path) { () throws(Errno) in
            try SystemCalls.names(in: self.descriptor)
        }
        var count = 0
        for name in names where name.hasPrefix(Self.hiddenPrefix) {
            guard let file = try? SystemCalls.openFile(name, in: self.descriptor) else { continue }
            defer { try? SystemCalls.close(file) }
            guard let status = try? SystemCalls.status(of: file), status.kind == .regular, SystemCalls.lock(file) else {
                continue
            }
            SystemCalls.unlink(name, in: self.descriptor)
            count += 1
        }
        return count
    }

    /// Begins a file, which nobody sees before it is published.
    /// - Throws: `writeFailed`.
    package func makeFile() throws(FormworkError) -> UnpublishedFile {
        if !self.avoidsUnnamedFiles, let descriptor = try? SystemCalls.openUnnamed(in: self.descriptor) {
            // It has a hidden name for a moment when it is to replace another file.
            _ = SystemCalls.lock(descriptor)
            return UnpublishedFile(self, descriptor, hiddenName: nil)
        }
        let name = Self.hiddenName()
        let descriptor = try FormworkError.writing(self.path) { () throws(Errno) in
            try SystemCalls.createFile(name, in: self.descriptor)
        }
        // Nobody else has it: it was made a moment ago.
        _ = SystemCalls.lock(descriptor)
        return UnpublishedFile(self, descriptor, hiddenName: name)
    }

    /// Removes a file that was published. Nothing happens when it has been changed, or another file has its name by now;
    /// only what is no file of this object's can still take the name between the look and the removal.
    package func remove(_ file: PublishedFile) {
        self.replacement.withLock { _ in
            guard let descriptor = try? SystemCalls.openFile(file.name, in: self.descriptor) else { return }
            defer { try? SystemCalls.close(descriptor) }
            guard let status = try? SystemCalls.status(of: descriptor), status.validator == file.state else { return }
            SystemCalls.unlink(file.name, in: self.descriptor)
        }
    }

    fileprivate func sync() throws(FormworkError) {
        try FormworkError.writing(self.path) { () throws(Errno) in try SystemCalls.sync(self.descriptor) }
    }

    fileprivate static func hiddenName() -> String {
        self.hiddenPrefix + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    /// Tries names until one isn't taken.
    fileprivate func firstFree(
        _ name: SafeFilename, _ take: (String) throws(Errno) -> Void
    ) throws(Errno) -> String {
        var number = 0
        while true {
            let candidate = name.counted(number)
            do throws(Errno) {
                try take(candidate)
                if number > 0 { self.remember(number + 1, for: name.text) }
                return candidate
            } catch .fileExists {
                // The plain name first, whatever was taken before: its file may be gone by now.
                number = number > 0 ? number + 1 : self.numbers.withLock { $0[name.text] } ?? 1
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
    /// The name that it got.
    package let name: String
    /// Tells it from any other, also from one that has got its number by now.
    fileprivate let state: FileValidator
}

/// A file that nobody sees yet. Whoever makes one ends it, by ``close()``.
package struct UnpublishedFile: Sendable {
    private let folder: OpenFolder
    private let descriptor: FileDescriptor
    /// `nil` while the file has no name at all.
    private var hiddenName: String?

    fileprivate init(_ folder: OpenFolder, _ descriptor: FileDescriptor, hiddenName: String?) {
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

    /// Gives the file its name: `a.txt`, or `a (1).txt` where that is taken. Nothing with a name is left behind an error,
    /// but the hidden name that the file was made with, until it is closed.
    /// - Parameters:
    ///   - replacing: Whether a file, or a link itself, is replaced instead.
    ///   - durably: Whether to wait until the disk has the bytes and the name.
    /// - Throws: `writeFailed`.
    package mutating func publish(
        as name: SafeFilename, replacing: Bool, durably: Bool
    ) throws(FormworkError) -> PublishedFile {
        let (folder, descriptor) = (self.folder, self.descriptor)
        var hidden = self.hiddenName
        defer { self.hiddenName = hidden }
        let published = try FormworkError.writing(folder.path.appending(name.text)) { () throws(Errno) in
            if durably { try SystemCalls.sync(descriptor) }
            let state = try SystemCalls.status(of: descriptor).validator
            if replacing {
                // Only a rename replaces a file in one step, and only a named file can be renamed.
                let temporary = hidden ?? OpenFolder.hiddenName()
                if hidden == nil { try SystemCalls.link(descriptor, as: temporary, in: folder.descriptor) }
                do throws(Errno) {
                    try folder.replacement.withLock { _ throws(Errno) in
                        try SystemCalls.rename(temporary, to: name.text, in: folder.descriptor, replacing: true)
                    }
                } catch {
                    // A folder has the name, say. No copy of this value knows of a name that was made here.
                    if hidden == nil { SystemCalls.unlink(temporary, in: folder.descriptor) }
                    throw error
                }
                hidden = nil
                return PublishedFile(name: name.text, state: state)
            }
            let taken = try folder.firstFree(name) { candidate throws(Errno) in
                if let temporary = hidden {
                    try SystemCalls.rename(temporary, to: candidate, in: folder.descriptor, replacing: false)
                } else {
                    try SystemCalls.link(descriptor, as: candidate, in: folder.descriptor)
                }
            }
            hidden = nil
            return PublishedFile(name: taken, state: state)
        }
        if durably {
            do throws(FormworkError) { try folder.sync() } catch {
                // Who is told of an error doesn't look for a file.
                folder.remove(published)
                throw error
            }
        }
        return published
    }

    /// Lets go of the file; of one that was not published nothing is left.
    package mutating func close() {
        if let name = self.hiddenName { SystemCalls.unlink(name, in: self.folder.descriptor) }
        self.hiddenName = nil
        try? SystemCalls.close(self.descriptor)
    }
}

extension SafeFilename {
    /// `a.txt` as `a (1).txt`; itself for 0.
    fileprivate func counted(_ number: Int) -> String {
        number == 0 ? self.text : self.inserting(" (\(number))")
    }
}
