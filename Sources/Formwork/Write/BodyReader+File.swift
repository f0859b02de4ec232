import FormworkSystem

extension BodyReader {
    /// Writes the rest of the body to a file that appears, or is replaced, only when it is complete.
    ///
    /// A new file is made without a name, or with a temporary one if the file system can't do that, and gets its name
    /// at the end. If anything fails, such as on a full disk, no new file is left and an existing one is unchanged. If
    /// the path leads to a device or FIFO, or names an open descriptor of this process (`/dev/stdout`, `/dev/fd/3`), the
    /// body is written into it. If a file may be replaced, a link is followed, even to a file that doesn't exist yet. A file
    /// that replaces another one has its permissions and, if the system allows that, its owner and group. A file that this
    /// process can't write isn't replaced.
    /// - Parameters:
    ///   - path: The file to create.
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The number of bytes written.
    /// - Throws: What ``write(to:)`` throws; ``FormworkError/Code/invalidArgument`` for a file that the body itself reads.
    @discardableResult
    public func write(
        toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false
    ) throws(FormworkError) -> Int64 {
        let file = try AtomicFile(path.filePath, replacing: replacing, for: self.plan)
        do throws(FormworkError) {
            let count = try self.write(to: file.descriptor, isNew: file.isNew)
            try file.publish(durably: durably)
            return count
        } catch {
            throw file.named(error)
        }
    }
}

extension ThreadReader {
    /// Writes the rest of the body to a file; see ``BodyReader/write(toFile:replacing:durably:)``.
    func write(toFile path: FilePath, replacing: Bool, durably: Bool) async throws -> Int64 {
        do {
            let file = try AtomicFile(path, replacing: replacing, for: self.reading.reader.plan)
            do {
                let count = try await self.write(to: file.descriptor, isNew: file.isNew)
                try file.publish(durably: durably)
                return count
            } catch let error as FormworkError {
                throw file.named(error)
            }
        } catch {
            throw Task.isCancelled ? CancellationError() : error
        }
    }

    /// Writes the rest of the body to a new file in a folder.
    func write(into folder: FilePath, as name: SafeFilename, durably: Bool) async throws -> FilePath {
        let file = try AtomicFolder(folder).makeFile()
        defer { file.close() }
        _ = try await self.write(to: file.descriptor, isNew: true)
        return try file.place(as: name, durably: durably)
    }
}
