import FormworkSystem

/// A file that is only appended to, and that only one process at a time may open like this.
///
/// Its content is the appended bytes, even after the process was killed. Its size is the only record of their number.
package struct AppendedFile: ~Copyable, Sendable {
    let path: FilePath
    private let descriptor: FileDescriptor

    /// Opens a file and locks it until the process ends. The locked file is the one with that name.
    /// - Parameter creating: Whether to create it; then it must not exist. Otherwise it must exist.
    /// - Throws: `writeFailed`, with the cause `wouldBlock` while another process has the file open.
    package init(_ path: FilePath, creating: Bool) throws(FormworkError) {
        // Before the path is set: Swift 6.2 would destroy that twice after an error.
        self.descriptor = try FormworkError.writing(path) { () throws(Errno) in
            let descriptor = try SystemCalls.open(
                path, .readWrite, creating ? [.append, .create, .exclusiveCreate, .noFollow] : [.append, .noFollow],
                permissions: .ownerReadWrite)
            do throws(Errno) {
                try SystemCalls.takeLock(descriptor)
                // The last owner of the lock may have removed the file after it was opened here.
                let named = try SystemCalls.status(of: path).validator
                guard try SystemCalls.status(of: descriptor).validator.isSameFile(as: named) else {
                    throw .noSuchFileOrDirectory
                }
            } catch {
                try? SystemCalls.close(descriptor)
                throw error
            }
            return descriptor
        }
        self.path = path
    }

    deinit { try? SystemCalls.close(self.descriptor) }

    /// The number of bytes in the file.
    package func count() throws(FormworkError) -> Int64 {
        try self.calling { file throws(Errno) in try SystemCalls.status(of: file).validator.size }
    }

    private func calling<Result>(
        _ call: (FileDescriptor) throws(Errno) -> Result
    ) throws(FormworkError) -> Result {
        let descriptor = self.descriptor
        return try FormworkError.writing(self.path) { () throws(Errno) in try call(descriptor) }
    }

    /// Appends all of the bytes. A full disk or a size limit is an error, never a signal.
    package func append(_ bytes: some BodyChunk) throws(FormworkError) {
        try bytes.write(to: self.descriptor, at: self.path)
    }

    /// Cuts the file to `count` bytes.
    package func truncate(to count: Int64) throws(FormworkError) {
        try self.calling { file throws(Errno) in try SystemCalls.truncate(file, to: count) }
    }

    /// Reads up to `limit` bytes from an offset on; none at the end.
    package func bytes(at offset: Int64, upTo limit: Int) throws(FormworkError) -> [UInt8] {
        let descriptor = self.descriptor
        var bytes: [UInt8] = []
        do throws(Errno) {
            try bytes.append(upTo: limit) { room throws(Errno) in
                try SystemCalls.read(descriptor, at: offset, into: &room)
            }
        } catch {
            throw FormworkError(.sourceUnavailable, "can't be read", path: self.path.string, cause: error)
        }
        return bytes
    }

    /// Frees the space of a file that was removed and is still open. One that has a name keeps its bytes.
    package func emptyIfUnnamed() throws(FormworkError) {
        let links = try self.calling { file throws(Errno) in try SystemCalls.status(of: file).links }
        if links == 0 { try self.truncate(to: 0) }
    }

    /// Waits until the disk has all appended bytes, if wanted; otherwise until the file system has accepted them.
    package func finishAppending(durably: Bool) throws(FormworkError) {
        try self.calling { file throws(Errno) in try SystemCalls.finishWriting(file, durably: durably) }
    }
}

/// Free space on a disk.
package enum DiskSpace {
    /// The bytes that this user may still write on the disk of a path; `nil` if that is unknown, or the path doesn't
    /// exist.
    package static func available(at path: FilePath) -> Int64? { try? SystemCalls.availableBytes(at: path) }
}

/// The room that an upload needs which is stored first, and becomes a file, or the files of a form, when it is complete.
package struct UploadRoom: Sendable {
    /// Bytes of the whole upload, 0 or more.
    var length: Int64
    /// Those that haven't arrived yet.
    package var missing: Int64
    /// Whether it is a form, of which the files are copied.
    var isForm: Bool
    /// The folder in which it is stored; `nil` if that is not a folder.
    var place: FilePath?

    package init(length: Int64, missing: Int64, isForm: Bool, place: FilePath?) {
        (self.length, self.missing, self.isForm, self.place) = (max(0, length), max(0, missing), isForm, place)
    }

    /// Whether the disk of the folder for complete files has this room; `true` if that can't be determined.
    /// - Parameter free: Bytes that must stay free.
    package func fits(in folder: AtomicFolder, keeping free: Int64) -> Bool {
        let isOnDisk = self.place.map(folder.sharesDisk(with:)) ?? false
        var needed = isOnDisk ? self.missing : 0
        if self.isForm || !(self.place.map(folder.canAdopt(from:)) ?? false) {
            let (sum, isBeyond) = needed.addingReportingOverflow(self.length)
            needed = isBeyond ? .max : sum
        }
        guard needed > 0, let available = DiskSpace.available(at: folder.path) else { return true }
        return needed <= available - min(available, max(0, free))
    }
}
