import FormworkSystem

extension BodyReader {
    /// Writes the rest of the body to a file that appears, or is replaced, only when it is complete.
    ///
    /// A new file is made without a name, or with a temporary one if the file system can't do that, and gets its name
    /// at the end. If anything fails, such as on a full disk, no new file is left and an existing one is unchanged. If
    /// the path leads to a device or FIFO, or names an open descriptor of this process (`/dev/stdout`, `/dev/fd/3`), the
    /// body is written into it. A link is followed, even to a file that doesn't exist yet. A file that replaces another
    /// one has its permissions and, if the system allows that, its owner and group. A file that this process can't
    /// write isn't replaced.
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
        do throws(FormworkError) { return try self.write(path, durably) } catch {
            // The part whose bytes didn't fit has nothing to do with it.
            guard error.code == .writeFailed, error.path == nil else { throw error }
            throw FormworkError(.writeFailed, "can't be written", path: path.string, cause: error.cause)
        }
    }

    private func write(_ path: FilePath, _ durably: Bool) throws(FormworkError) -> Int64 {
        let open = try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.copyOfDescriptor(named: path) }
        if let open {
            defer { try? SystemCalls.close(open) }
            return try self.write(to: open)
        }
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
            if existing != nil { try PendingFile.checkReplacing(target, named: path) }
            var file = try PendingFile(at: target, replacing: existing)
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
