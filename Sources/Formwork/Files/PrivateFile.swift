import FormworkSystem

/// Small files that only this user may read. They are replaced in one step, so a reader sees either the old or the new
/// file.
package enum PrivateFile {
    /// Writes a file.
    /// - Parameter durably: Whether to wait until the disk has the bytes, before the renaming, and then the name.
    /// - Throws: `writeFailed`. The old file stays, unless only syncing the name failed.
    package static func write(_ bytes: [UInt8], to path: FilePath, durably: Bool = false) throws(FormworkError) {
        var file = try PendingFile(at: path, .ownerReadWrite)
        do throws(FormworkError) {
            let descriptor = file.descriptor
            try SystemCalls.withoutWriteSignals(to: descriptor) { () throws(FormworkError) in
                try FormworkError.writing(path) { () throws(Errno) in
                    try bytes.withBytes { bytes throws(Errno) in try SystemCalls.writeAll(descriptor, bytes) }
                }
            }
            try file.publish(durably: durably)
            file.close()
        } catch {
            file.discard()
            throw error
        }
        if durably { try self.syncFolder(of: path) }
    }

    private static func syncFolder(of path: FilePath) throws(FormworkError) {
        let folder = path.removingLastComponent()
        try FormworkError.writing(path) { () throws(Errno) in
            let descriptor = try SystemCalls.open(folder.isEmpty ? "." : folder, .readOnly, .directory)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.sync(descriptor)
        }
    }

    /// The file itself if a path is a symbolic link: each of its names has the same lock beside it.
    package static func place(of path: FilePath) -> FilePath {
        guard (try? SystemCalls.linkStatus(of: path))?.kind == .symbolicLink else { return path }
        return (try? SystemCalls.destination(of: path)) ?? path
    }

    /// Removes a file, if there is one.
    package static func remove(_ path: FilePath) { SystemCalls.unlink(path) }
}
