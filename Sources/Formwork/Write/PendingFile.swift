import FormworkSystem

/// A file that is being written, and is invisible until it is published.
package struct PendingFile {
    package let descriptor: FileDescriptor
    let target: FilePath
    /// `nil` while the file has no name at all.
    private var temporary: FilePath?
    private let replaced: FileStatus?

    /// - Parameters:
    ///   - permissions: `nil` for the usual ones of a new file.
    ///   - replaced: The file to replace, whose permissions, owner and group it gets when it is published; `nil` if
    ///     there is none, or if it doesn't matter.
    package init(
        at target: FilePath, _ permissions: FilePermissions? = nil, replacing replaced: FileStatus? = nil
    ) throws(FormworkError) {
        (self.target, self.replaced) = (target, replaced)
        let folder = target.removingLastComponent()
        let place = folder.isEmpty ? FilePath(".") : folder
        // A file without a name disappears if the process is killed.
        if SystemCalls.namesUnnamedFiles, let descriptor = try? SystemCalls.openUnnamed(in: place) {
            self.descriptor = descriptor
        } else {
            let temporary = Self.temporaryName(beside: target)
            self.descriptor = try FormworkError.writing(target) { () throws(Errno) in
                try SystemCalls.open(
                    temporary, .readWrite, [.create, .exclusiveCreate], permissions: SystemCalls.newFilePermissions)
            }
            self.temporary = temporary
        }
        // Before there is any content.
        if let permissions = permissions ?? replaced?.permissions.intersection(FilePermissions(rawValue: 0o777)) {
            SystemCalls.setPermissions(of: self.descriptor, permissions)
        }
    }

    /// Throws for a file that this process may not write: a rename would replace it nevertheless.
    /// - Parameter path: The caller's path, if it leads to `target` by a link.
    static func checkReplacing(_ target: FilePath, named path: FilePath? = nil) throws(FormworkError) {
        try FormworkError.writing(path ?? target) { () throws(Errno) in
            guard SystemCalls.mayWrite(target) || (try? SystemCalls.status(of: target)) == nil else {
                throw .permissionDenied
            }
        }
    }

    /// Checks that nothing has the name yet, before bytes are read that can't be read again.
    static func checkFree(_ target: FilePath) throws(FormworkError) {
        guard (try? SystemCalls.linkStatus(of: target)) == nil else { throw Self.exists(target) }
    }

    private static func exists(_ target: FilePath) -> FormworkError {
        FormworkError(
            .writeFailed, "already exists, and replacing it is not allowed", path: target.string,
            cause: Errno.fileExists)
    }

    /// Gives the file its name, and replaces an existing file.
    /// - Parameter replacing: Whether a file may be replaced; otherwise it is an error.
    package mutating func publish(durably: Bool, replacing: Bool = true) throws(FormworkError) {
        let (descriptor, target) = (self.descriptor, self.target)
        try FormworkError.writing(target) { () throws(Errno) in
            try SystemCalls.finishWriting(descriptor, durably: durably)
        }
        do throws(Errno) {
            guard let temporary = self.temporary else { return try SystemCalls.link(descriptor, as: target) }
            guard !replacing else { return try self.rename(temporary) }
            try SystemCalls.link(temporary, as: target)
            SystemCalls.unlink(temporary)
            self.temporary = nil
        } catch .fileExists where replacing {
            // Only a rename replaces a file in one step, and only a named file can be renamed.
            try FormworkError.writing(target) { () throws(Errno) in
                let name = Self.temporaryName(beside: target)
                try SystemCalls.link(descriptor, as: name)
                self.temporary = name
                try self.rename(name)
            }
        } catch .fileExists {
            throw Self.exists(target)
        } catch {
            throw FormworkError(.writeFailed, "can't be written", path: target.string, cause: error)
        }
    }

    private mutating func rename(_ temporary: FilePath) throws(Errno) {
        if let replaced { SystemCalls.inheritAttributes(of: replaced, to: self.descriptor) }
        try SystemCalls.rename(temporary, to: self.target)
        self.temporary = nil
    }

    /// Removes the file.
    package func discard() {
        if let temporary = self.temporary { SystemCalls.unlink(temporary) }
        self.close()
    }

    package func close() { try? SystemCalls.close(self.descriptor) }

    /// At most 75 bytes, of the 255 that a name may have.
    private static func temporaryName(beside target: FilePath) -> FilePath {
        var name = (target.lastComponent?.string ?? "").unicodeScalars[...]
        while name.reduce(0, { $0 + UTF8.width($1) }) > 60 { name.removeLast() }
        return target.removingLastComponent().appending(".\(Substring(name)).\(RandomWord.make())")
    }
}
