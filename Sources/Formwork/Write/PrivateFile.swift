import FormworkCore
import SystemPackage

/// Small files that only this user may read, replaced in one step: whoever reads one sees all of the old or of the new.
package enum PrivateFile {
    /// Writes a file.
    /// - Parameter durably: Whether to wait until the disk has the bytes, before the file gets its name, and then the name.
    /// - Throws: `writeFailed`; what was there stays, unless it is the name that couldn't be brought to the disk.
    package static func write(_ bytes: [UInt8], to path: FilePath, durably: Bool = false) throws(FormworkError) {
        var file = try PendingFile(at: path, .ownerReadWrite)
        do throws(FormworkError) {
            let descriptor = file.descriptor
            try SystemCalls.withoutWriteSignals { () throws(FormworkError) in
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

    /// Removes a file, if there is one.
    package static func remove(_ path: FilePath) { SystemCalls.unlink(path) }
}
