import FormworkCore
import SystemPackage

extension BodyReader {
    /// Writes the rest of the body to a file that appears, or is replaced, only when it is complete.
    ///
    /// A new file is made without a name, or with a temporary one if the file system can't do that, and gets its name
    /// at the end. If anything fails, such as on a full disk, no new file is left and an existing one is unchanged. If
    /// the path leads to a device or FIFO, the body is written into it. A link is followed, even to a file that doesn't
    /// exist yet.
    /// - Parameters:
    ///   - path: The file to create or replace.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The number of bytes written.
    /// - Throws: What ``write(to:)`` throws.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, durably: Bool = false
    ) throws(FormworkError) -> Int64 {
        let path = path.filePath
        let target = try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.destination(of: path) }
        let existing = try? SystemCalls.status(of: target)
        switch existing?.kind {
        case .fifo, .characterSpecial, .blockSpecial, .socket:
            let descriptor = try FormworkError.writing(path) { () throws(Errno) in
                try SystemCalls.open(target, .writeOnly)
            }
            defer { try? SystemCalls.close(descriptor) }
            return try self.write(to: descriptor)
        case .directory:
            throw FormworkError(.writeFailed, "is a directory: name a file in it", path: path.string)
        default:
            var file = try PendingFile(at: target, existing?.permissions)
            do throws(FormworkError) {
                let count = try self.write(to: file.descriptor)
                try file.publish(durably: durably)
                file.close()
                return count
            } catch {
                file.discard()
                throw error
            }
        }
    }
}

/// A file that is being written, and is invisible until it is published.
struct PendingFile {
    let descriptor: FileDescriptor
    let target: FilePath
    /// `nil` while the file has no name at all.
    private var temporary: FilePath?

    /// - Parameter permissions: Those of the file to replace; `nil` for a new file with the usual ones.
    init(at target: FilePath, _ permissions: FilePermissions?) throws(FormworkError) {
        self.target = target
        let folder = target.removingLastComponent()
        let place = folder.isEmpty ? FilePath(".") : folder
        // A file without a name disappears if the process is killed. Giving it a name needs /proc.
        if SystemCalls.mayRead("/proc/self/fd"), let descriptor = try? SystemCalls.openUnnamed(in: place) {
            self.descriptor = descriptor
        } else {
            let temporary = Self.temporaryName(beside: target)
            self.descriptor = try FormworkError.writing(target) { () throws(Errno) in
                try SystemCalls.open(
                    temporary, .readWrite, [.create, .exclusiveCreate], permissions: SystemCalls.newFilePermissions)
            }
            self.temporary = temporary
        }
        if let permissions { SystemCalls.setPermissions(of: self.descriptor, permissions) }
    }

    /// Gives the file its name, and replaces an existing file.
    /// - Parameter replacing: Whether a file may be replaced; otherwise it is an error.
    mutating func publish(durably: Bool, replacing: Bool = true) throws(FormworkError) {
        let (descriptor, target) = (self.descriptor, self.target)
        if durably { try FormworkError.writing(target) { () throws(Errno) in try SystemCalls.sync(descriptor) } }
        do throws(Errno) {
            guard let temporary = self.temporary else { return try SystemCalls.link(descriptor, at: target) }
            guard !replacing else { return try self.rename(temporary) }
            try SystemCalls.link(temporary, at: target)
            SystemCalls.unlink(temporary)
            self.temporary = nil
        } catch .fileExists where replacing {
            // Only a rename replaces a file in one step, and only a named file can be renamed.
            try FormworkError.writing(target) { () throws(Errno) in
                let name = Self.temporaryName(beside: target)
                try SystemCalls.link(descriptor, at: name)
                self.temporary = name
                try self.rename(name)
            }
        } catch .fileExists {
            throw FormworkError(
                .writeFailed, "already exists, and replacing it is not allowed", path: target.string,
                cause: Errno.fileExists)
        } catch {
            throw FormworkError(.writeFailed, "can't be written", path: target.string, cause: error)
        }
    }

    private mutating func rename(_ temporary: FilePath) throws(Errno) {
        try SystemCalls.rename(temporary, to: self.target)
        self.temporary = nil
    }

    /// Removes the file.
    func discard() {
        if let temporary = self.temporary { SystemCalls.unlink(temporary) }
        self.close()
    }

    func close() { try? SystemCalls.close(self.descriptor) }

    /// At most 75 bytes, of the 255 that a name may have.
    private static func temporaryName(beside target: FilePath) -> FilePath {
        var name = (target.lastComponent?.string ?? "").unicodeScalars[...]
        while name.reduce(0, { $0 + UTF8.width($1) }) > 60 { name.removeLast() }
        let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
        return target.removingLastComponent().appending(".\(Substring(name)).\(suffix)")
    }
}

extension FormworkError {
    /// Runs a call on the file that is written.
    static func writing<Result>(
        _ path: FilePath, _ call: () throws(Errno) -> Result
    ) throws(FormworkError) -> Result {
        do throws(Errno) { return try call() } catch {
            throw FormworkError(.writeFailed, "can't be written", path: path.string, cause: error)
        }
    }
}
