import CFormworkSystem
import FormworkCore
import FormworkLibc
import SystemPackage

// This module's unsafe code and system calls: those of descriptors here, names and waits in the files beside. Every call is
// typed, is retried on EINTR, and throws an `Errno`.

package enum SystemCalls {
    // C calls are used directly, because with ten thousand small files swift-system's layers take a tenth of the time.

    package static func status(of path: FilePath) throws(Errno) -> FileStatus {
        try self.status(path, .currentFolder, 0)
    }

    package static func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus {
        var raw = stat()
        // SAFETY: the structure lives through the call.
        guard unsafe fstat(descriptor.rawValue, &raw) == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(raw)
    }

    /// The bytes that an unprivileged user may still write on the disk of `path`; `notSupported` if the file system
    /// doesn't report them, as with some network and user-space file systems.
    package static func availableBytes(at path: FilePath) throws(Errno) -> Int64 {
        #if canImport(Darwin)
        // Darwin's statvfs counts blocks in 32 bits.
        var raw = statfs()
        // SAFETY: the C string and the structure live through the call.
        let result = unsafe path.withPlatformString { text in unsafe statfs(text, &raw) }
        let blockSize = UInt64(raw.f_bsize)
        #else
        var raw = statvfs()
        // SAFETY: the C string and the structure live through the call.
        let result = unsafe path.withPlatformString { text in unsafe statvfs(text, &raw) }
        let blockSize = UInt64(raw.f_frsize)
        #endif
        guard result == 0 else { throw Errno(rawValue: errno) }
        guard raw.f_blocks > 0 else { throw .notSupported }
        let (bytes, isBeyond) = UInt64(raw.f_bavail).multipliedReportingOverflow(by: blockSize)
        return isBeyond ? .max : Int64(clamping: bytes)
    }

    /// Whether this process may read `path`, as the kernel reports it.
    package static func mayRead(_ path: FilePath) -> Bool {
        // SAFETY: the C string lives through the call.
        unsafe path.withPlatformString { unsafe access($0, R_OK) == 0 }
    }

    /// Whether this process may write `path`, as the kernel reports it.
    package static func mayWrite(_ path: FilePath) -> Bool {
        // SAFETY: the C string lives through the call.
        unsafe path.withPlatformString { unsafe access($0, W_OK) == 0 }
    }

    /// The last component as text, or the whole path if it has none. It is faster than `lastComponent`, which parses
    /// the path twice.
    package static func filename(of path: FilePath) -> String {
        // SAFETY: the C string lives through the call, and strrchr's answer is a place in it.
        unsafe path.withPlatformString { text in
            guard let slash = unsafe strrchr(text, CInt(UInt8(ascii: "/"))), unsafe slash[1] != 0 else {
                return unsafe String(cString: text)
            }
            return unsafe String(cString: slash + 1)
        }
    }

    package static func open(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions? = nil
    ) throws(Errno) -> FileDescriptor {
        // A terminal would become the controlling one of a service, which ends when that is closed.
        let flags = mode.rawValue | options.rawValue | O_CLOEXEC | O_NOCTTY
        return try self.open(path, in: .currentFolder, flags, permissions ?? [])
    }

    /// Opens a FIFO. In a task it is opened so that the task can be cancelled while no other program has it open.
    /// - Throws: Also `canceled`.
    package static func openFIFO(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode
    ) throws(Errno) -> FileDescriptor {
        #if os(Linux) || os(Android)
        while self.isInTask {
            if Task.isCancelled { throw .canceled }
            do throws(Errno) { return try self.open(path, mode, .nonBlocking) } catch {
                // It has no reader yet.
                guard error == .noSuchAddressOrDevice else { throw error }
                self.sleep(.milliseconds(50))
            }
        }
        #endif
        return try self.open(path, mode)
    }

    /// Opens a pipe a second time, to write without blocking. The caller's descriptor stays as it is.
    /// - Returns: `nil` if the system can't do that.
    package static func openAgainNonBlocking(_ pipe: FileDescriptor) -> FileDescriptor? {
        #if os(Linux) || os(Android)
        try? self.open(FilePath("/proc/self/fd/\(pipe.rawValue)"), .writeOnly, .nonBlocking)
        #else
        nil
        #endif
    }

    package static func read(_ descriptor: FileDescriptor, into buffer: inout MutableRawSpan) throws(Errno) -> Int {
        // SAFETY: the kernel writes inside the buffer, during the call.
        try self.counting {
            unsafe buffer.withUnsafeMutableBytes {
                unsafe FormworkLibc.read(descriptor.rawValue, $0.baseAddress, $0.count)
            }
        }
    }

    package static func read(
        _ descriptor: FileDescriptor, at offset: Int64, into buffer: inout MutableRawSpan
    ) throws(Errno) -> Int {
        // SAFETY: as above.
        try self.counting {
            unsafe buffer.withUnsafeMutableBytes {
                unsafe pread(descriptor.rawValue, $0.baseAddress, $0.count, off_t(offset))
            }
        }
    }

    /// Writes some of `bytes[range]`, at least one byte.
    package static func write(_ descriptor: FileDescriptor, _ bytes: [UInt8], _ range: Range<Int>) throws(Errno) -> Int
    {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the bytes")
        // SAFETY: the range was checked, and the kernel only reads, during the call.
        return try self.counting {
            unsafe bytes.withUnsafeBytes { all in
                unsafe FormworkLibc.write(descriptor.rawValue, all.baseAddress! + range.lowerBound, range.count)
            }
        }
    }

    /// Sends some of `bytes[range]`, at least one byte, to a socket without blocking.
    /// - Throws: Also `wouldBlock`.
    package static func sendNow(
        _ socket: FileDescriptor, _ bytes: [UInt8], _ range: Range<Int>
    ) throws(Errno) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the bytes")
        // SAFETY: the range was checked, and the kernel only reads, during the call.
        let count = unsafe bytes.withUnsafeBytes { all in
            unsafe fw_send_now(socket.rawValue, all.baseAddress! + range.lowerBound, range.count)
        }
        guard count >= 0 else { throw Errno(rawValue: CInt(-count)) }
        return count
    }

    /// Writes some of the bytes, at least one if there are any.
    static func write(_ descriptor: FileDescriptor, _ bytes: RawSpan) throws(Errno) -> Int {
        // SAFETY: the kernel only reads, during the call.
        try self.counting {
            unsafe bytes.withUnsafeBytes { unsafe FormworkLibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
        }
    }

    /// Writes all of the bytes.
    package static func writeAll(_ descriptor: FileDescriptor, _ bytes: RawSpan) throws(Errno) {
        var done = 0
        while done < bytes.byteCount {
            done += try self.write(descriptor, bytes.extracting(droppingFirst: done))
        }
    }

    package static func seek(_ descriptor: FileDescriptor, by offset: Int64, from whence: FileDescriptor.SeekOrigin)
        throws(Errno) -> Int64
    {
        Int64(try self.counting { Int(lseek(descriptor.rawValue, off_t(offset), whence.rawValue)) })
    }

    /// The size of a block device in bytes, which isn't in its status.
    package static func size(ofDevice path: FilePath) throws(Errno) -> Int64 {
        let descriptor = try self.open(path, .readOnly, .nonBlocking)
        defer { try? self.close(descriptor) }
        return try self.seek(descriptor, by: 0, from: .end)
    }

    /// The bytes of an open block device after its position, which doesn't change.
    package static func bytesLeft(onDevice descriptor: FileDescriptor) throws(Errno) -> Int64 {
        let start = try self.seek(descriptor, by: 0, from: .current)
        let end = try self.seek(descriptor, by: 0, from: .end)
        _ = try self.seek(descriptor, by: start, from: .start)
        return max(0, end - start)
    }

    /// A pipe that no other program inherits.
    package static func pipe() throws(Errno) -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [CInt] = [0, 0]
        // SAFETY: the call writes two numbers.
        let result = unsafe fw_pipe(&ends)
        guard result == 0 else { throw Errno(rawValue: -result) }
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    package static func close(_ descriptor: FileDescriptor) throws(Errno) {
        // Not retried on EINTR, because Linux and Darwin have already closed it.
        guard FormworkLibc.close(descriptor.rawValue) == 0 || errno == EINTR else { throw Errno(rawValue: errno) }
    }

    /// The permissions of a new file, before `umask`.
    package static let newFilePermissions: FilePermissions = [
        .ownerReadWrite, .groupReadWrite, .otherReadWrite,
    ]

    /// Whether a file can be written without a name and then get one. That needs O_TMPFILE and /proc.
    package static var namesUnnamedFiles: Bool {
        #if canImport(Darwin)
        false
        #else
        self.mayRead("/proc/self/fd")
        #endif
    }

    /// A file that other processes can't open, and that is removed when it is closed.
    package static func openTemporary(in folder: FilePath) throws(Errno) -> FileDescriptor {
        // An unnamed file can be opened only through /proc, where its mode protects it.
        if let descriptor = try? self.openUnnamed(in: folder, permissions: .ownerReadWrite) { return descriptor }
        let name = folder.appending(".formwork.\(RandomWord.make())")
        let descriptor = try self.open(name, .readWrite, [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        self.unlink(name)
        return descriptor
    }

    package static func setPermissions(of descriptor: FileDescriptor, _ permissions: FilePermissions) {
        _ = fchmod(descriptor.rawValue, mode_t(permissions.rawValue))
    }

    /// - Returns: Whether it worked.
    package static func setOwner(of descriptor: FileDescriptor, user: UInt32, group: UInt32) -> Bool {
        fchown(descriptor.rawValue, user, group) == 0
    }

    /// Gives a file the permissions and, if this process may, the owner and the group of the file that it replaces.
    package static func inheritAttributes(of old: FileStatus, to descriptor: FileDescriptor) {
        guard old.kind == .regular, let own = try? self.status(of: descriptor) else { return }
        if (old.user, old.group) != (own.user, own.group),
            !self.setOwner(of: descriptor, user: old.user, group: old.group)
        {
            _ = self.setOwner(of: descriptor, user: own.user, group: old.group)
        }
        // Without the set-user-ID bits: writing to the old file would have removed them too.
        self.setPermissions(of: descriptor, old.permissions.intersection(FilePermissions(rawValue: 0o777)))
    }

    package static func environment(_ name: String) -> String? {
        // SAFETY: the text is copied at once; a race with setenv is the C library's own, and nothing here sets any.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Whether the process has this descriptor open.
    package static func isOpen(_ descriptor: FileDescriptor) -> Bool { fcntl(descriptor.rawValue, F_GETFD) != -1 }

    /// Cuts a file to `count` bytes.
    package static func truncate(_ descriptor: FileDescriptor, to count: Int64) throws(Errno) {
        guard ftruncate(descriptor.rawValue, off_t(count)) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Waits until the disk has the file's bytes, or the folder's names.
    package static func sync(_ descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
        // Darwin's fsync doesn't wait for the disk's own cache. Network file systems have only fsync.
        if fcntl(descriptor.rawValue, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Throws the error of earlier writes that a file system reports only when a file is closed, as NFS and FUSE may for a
    /// full disk. The descriptor stays open.
    package static func flush(_ descriptor: FileDescriptor) throws(Errno) {
        let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
        // Without a free descriptor, waiting for the disk finds out the same.
        guard copy >= 0 else { return try self.sync(descriptor) }
        try self.close(FileDescriptor(rawValue: copy))
    }

    /// Waits until the disk has the file's bytes, if wanted; otherwise until the file system has accepted them.
    package static func finishWriting(_ descriptor: FileDescriptor, durably: Bool) throws(Errno) {
        if durably { try self.sync(descriptor) } else { try self.flush(descriptor) }
    }

    /// Requests a larger pipe. Without it, writing is only slower.
    package static func enlargePipe(_ descriptor: FileDescriptor, to bytes: CInt) {
        _ = fw_set_pipe_size(descriptor.rawValue, bytes)
    }

    /// Repeats a call that a signal interrupts. A negative count is an error.
    static func counting(_ call: () -> Int) throws(Errno) -> Int {
        while true {
            let count = call()
            if count >= 0 { return count }
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }
}

/// IP addresses in text form.
package enum AddressText {
    /// The bytes of an address without a zone: 4 or 16; `nil` if it isn't one.
    package static func bytes(_ text: String) -> [UInt8]? {
        let isLong = text.utf8.contains(UInt8(ascii: ":"))
        var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
        // SAFETY: the call writes as many bytes as an address of the family has.
        let result = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe inet_pton(isLong ? AF_INET6 : AF_INET, text, bytes.baseAddress)
        }
        return result == 1 && !text.utf8.contains(0) ? bytes : nil
    }
}
