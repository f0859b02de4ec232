import CFormworkSystem
import FormworkCore
import Glibc
import SystemPackage

// This module's unsafe code and system calls. Every call is typed, is retried on EINTR, and throws an `Errno`.

/// The status of a file at one moment.
struct FileStatus: Sendable {
    var kind: FileType
    var validator: FileValidator
    /// The inode's change time, which also changes with renaming, unlinking and `chmod`.
    var changed: FileTime
    /// Whether the mode bits let everyone read it.
    var seemsReadable: Bool
    var permissions: FilePermissions
    /// The number of its names.
    var links: Int
    var user: UInt32
    var group: UInt32

    fileprivate init(_ raw: stat) {
        self.kind = FileType(rawValue: raw.st_mode & S_IFMT)
        self.validator = FileValidator(
            size: Int64(raw.st_size), modified: FileTime(raw.st_mtim), inode: UInt64(raw.st_ino),
            device: UInt64(raw.st_dev))
        self.changed = FileTime(raw.st_ctim)
        self.permissions = FilePermissions(rawValue: raw.st_mode & 0o7777)
        self.seemsReadable = raw.st_mode & 0o444 == 0o444
        self.links = Int(clamping: raw.st_nlink)
        (self.user, self.group) = (UInt32(raw.st_uid), UInt32(raw.st_gid))
    }
}

extension FileTime {
    fileprivate init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}

enum SystemCalls {
    // C calls are used directly, because with ten thousand small files swift-system's layers take a tenth of the time.

    static func status(of path: FilePath) throws(Errno) -> FileStatus {
        var raw = Glibc.stat()
        // SAFETY: the C string and the structure live through the call.
        let result = unsafe path.withPlatformString { text in unsafe fstatat(AT_FDCWD, text, &raw, 0) }
        guard result == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(raw)
    }

    static func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus {
        var raw = Glibc.stat()
        // SAFETY: the structure lives through the call.
        guard unsafe fstat(descriptor.rawValue, &raw) == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(raw)
    }

    /// The bytes that an unprivileged user may still write on the disk of `path`; `notSupported` if the file system
    /// doesn't report them, as with some network and user-space file systems.
    static func availableBytes(at path: FilePath) throws(Errno) -> Int64 {
        var raw = Glibc.statvfs()
        // SAFETY: the C string and the structure live through the call.
        let result = unsafe path.withPlatformString { text in unsafe statvfs(text, &raw) }
        guard result == 0 else { throw Errno(rawValue: errno) }
        guard raw.f_blocks > 0 else { throw .notSupported }
        let (bytes, isBeyond) = UInt64(raw.f_bavail).multipliedReportingOverflow(by: UInt64(raw.f_frsize))
        return isBeyond ? .max : Int64(clamping: bytes)
    }

    /// Whether this process may read `path`, as the kernel reports it.
    static func mayRead(_ path: FilePath) -> Bool {
        // SAFETY: the C string lives through the call.
        unsafe path.withPlatformString { unsafe access($0, R_OK) == 0 }
    }

    /// The last component as text, or the whole path if it has none. It is faster than `lastComponent`, which parses
    /// the path twice.
    static func filename(of path: FilePath) -> String {
        // SAFETY: the C string lives through the call, and strrchr's answer is a place in it.
        unsafe path.withPlatformString { text in
            guard let slash = unsafe strrchr(text, CInt(UInt8(ascii: "/"))), unsafe slash[1] != 0 else {
                return unsafe String(cString: text)
            }
            return unsafe String(cString: slash + 1)
        }
    }

    static func open(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions? = nil
    ) throws(Errno) -> FileDescriptor {
        let flags = mode.rawValue | options.rawValue | O_CLOEXEC
        while true {
            // SAFETY: the C string lives through the call.
            let number = unsafe path.withPlatformString { unsafe Glibc.open($0, flags, permissions?.rawValue ?? 0) }
            if number >= 0 { return FileDescriptor(rawValue: number) }
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }

    static func read(_ descriptor: FileDescriptor, into buffer: inout MutableRawSpan) throws(Errno) -> Int {
        // SAFETY: the kernel writes inside the buffer, during the call.
        try self.counting {
            unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor.rawValue, $0.baseAddress, $0.count) }
        }
    }

    static func read(
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
    static func write(_ descriptor: FileDescriptor, _ bytes: [UInt8], _ range: Range<Int>) throws(Errno) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the bytes")
        // SAFETY: the range was checked, and the kernel only reads, during the call.
        return try self.counting {
            unsafe bytes.withUnsafeBytes { all in
                unsafe Glibc.write(descriptor.rawValue, all.baseAddress! + range.lowerBound, range.count)
            }
        }
    }

    /// Writes some of the bytes, at least one if there are any.
    static func write(_ descriptor: FileDescriptor, _ bytes: RawSpan) throws(Errno) -> Int {
        // SAFETY: the kernel only reads, during the call.
        try self.counting {
            unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor.rawValue, $0.baseAddress, $0.count) }
        }
    }

    /// Writes all of the bytes.
    static func writeAll(_ descriptor: FileDescriptor, _ bytes: RawSpan) throws(Errno) {
        var done = 0
        while done < bytes.byteCount {
            done += try self.write(descriptor, bytes.extracting(droppingFirst: done))
        }
    }

    static func seek(_ descriptor: FileDescriptor, by offset: Int64, from whence: FileDescriptor.SeekOrigin)
        throws(Errno) -> Int64
    {
        Int64(try self.counting { Int(lseek(descriptor.rawValue, off_t(offset), whence.rawValue)) })
    }

    /// The size of a block device in bytes, which isn't in its status.
    static func size(ofDevice path: FilePath) throws(Errno) -> Int64 {
        let descriptor = try self.open(path, .readOnly, .nonBlocking)
        defer { try? self.close(descriptor) }
        return try self.seek(descriptor, by: 0, from: .end)
    }

    /// The bytes of an open block device after its position, which doesn't change.
    static func bytesLeft(onDevice descriptor: FileDescriptor) throws(Errno) -> Int64 {
        let start = try self.seek(descriptor, by: 0, from: .current)
        let end = try self.seek(descriptor, by: 0, from: .end)
        _ = try self.seek(descriptor, by: start, from: .start)
        return max(0, end - start)
    }

    static func close(_ descriptor: FileDescriptor) throws(Errno) {
        // Not retried on EINTR, because Linux has already closed it.
        guard Glibc.close(descriptor.rawValue) == 0 || errno == EINTR else { throw Errno(rawValue: errno) }
    }

    /// The permissions of a new file, before `umask`.
    static let newFilePermissions: FilePermissions = [
        .ownerReadWrite, .groupReadWrite, .otherReadWrite,
    ]

    /// A file without a name in `folder` (O_TMPFILE), which ``link(_:at:)`` can give one.
    static func openUnnamed(
        in folder: FilePath, permissions: FilePermissions = SystemCalls.newFilePermissions
    ) throws(Errno) -> FileDescriptor {
        let option = fw_unnamed_file_option()
        guard option != 0 else { throw .notSupported }
        return try self.open(
            folder, .readWrite, FileDescriptor.OpenOptions(rawValue: option), permissions: permissions)
    }

    /// A file that other processes can't open, and that is removed when it is closed.
    static func openTemporary(in folder: FilePath) throws(Errno) -> FileDescriptor {
        // An unnamed file can be opened only through /proc, where its mode protects it.
        if let descriptor = try? self.openUnnamed(in: folder, permissions: .ownerReadWrite) { return descriptor }
        let name = folder.appending(".formwork.\(String(UInt64.random(in: .min ... .max), radix: 36))")
        let descriptor = try self.open(name, .readWrite, [.create, .exclusiveCreate], permissions: .ownerReadWrite)
        self.unlink(name)
        return descriptor
    }

    static func setPermissions(of descriptor: FileDescriptor, _ permissions: FilePermissions) {
        _ = fchmod(descriptor.rawValue, permissions.rawValue)
    }

    /// - Returns: Whether it worked.
    static func setOwner(of descriptor: FileDescriptor, user: UInt32, group: UInt32) -> Bool {
        fchown(descriptor.rawValue, user, group) == 0
    }

    static func environment(_ name: String) -> String? {
        // SAFETY: the text is copied at once; a race with setenv is the C library's own, and nothing here sets any.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    static func sync(_ descriptor: FileDescriptor) throws(Errno) {
        guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
    }

    static func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
        // SAFETY: both C strings live through the call.
        let result = unsafe old.withPlatformString { from in
            unsafe new.withPlatformString { to in unsafe Glibc.rename(from, to) }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    static func unlink(_ path: FilePath) {
        // SAFETY: the C string lives through the call.
        _ = unsafe path.withPlatformString { unsafe Glibc.unlink($0) }
    }

    static func link(_ descriptor: FileDescriptor, at path: FilePath) throws(Errno) {
        // SAFETY: the C string lives through the call.
        let result = unsafe path.withPlatformString { text in
            unsafe fw_link_descriptor(descriptor.rawValue, AT_FDCWD, text)
        }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    static func link(_ old: FilePath, at new: FilePath) throws(Errno) {
        // SAFETY: both C strings live through the call.
        let result = unsafe old.withPlatformString { from in
            unsafe new.withPlatformString { to in unsafe Glibc.link(from, to) }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// `path` with every link followed; `nil` if nothing is there.
    static func resolved(_ path: FilePath) -> FilePath? {
        // SAFETY: realpath allocates its answer, which is copied and then freed once.
        unsafe path.withPlatformString { text -> FilePath? in
            guard let real = unsafe realpath(text, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe FilePath(platformString: real)
        }
    }

    /// The path to which opening `path` for writing leads, with every link followed. A dangling link leads to the path
    /// that it names.
    static func destination(of path: FilePath) throws(Errno) -> FilePath {
        if let there = self.resolved(path) { return there }
        var place = path
        // The number of links that Linux follows.
        for _ in 0..<40 {
            guard let target = try self.target(ofLink: place) else { return place }
            place = place.removingLastComponent().pushing(target)
        }
        throw .tooManySymbolicLinkLevels
    }

    /// The target of a link; `nil` if there is no link.
    private static func target(ofLink path: FilePath) throws(Errno) -> FilePath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        // SAFETY: the kernel writes inside the buffer, one byte fewer than it has: it ends with NUL.
        let count = unsafe path.withPlatformString { text in
            unsafe buffer.withUnsafeMutableBufferPointer { unsafe readlink(text, $0.baseAddress!, $0.count - 1) }
        }
        if count >= 0 {
            return unsafe buffer.withUnsafeBufferPointer { unsafe FilePath(platformString: $0.baseAddress!) }
        }
        guard errno == EINVAL || errno == ENOENT else { throw Errno(rawValue: errno) }
        return nil
    }

    // Calls with names in an open folder, so that no link can redirect them. A name is one component.
    // SAFETY, for all of them: the String's C string lives through the call, which keeps no pointer to it.

    /// Makes a folder with the usual permissions.
    static func makeFolder(_ path: FilePath) throws(Errno) {
        // SAFETY: the C string lives through the call.
        let result = unsafe path.withPlatformString { unsafe mkdir($0, 0o777) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a folder with the usual permissions.
    static func makeFolder(_ name: String, in folder: FileDescriptor) throws(Errno) {
        guard unsafe mkdirat(folder.rawValue, name, 0o777) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a folder that only this user may enter.
    static func makePrivateFolder(_ name: String, in folder: FileDescriptor) throws(Errno) {
        guard unsafe mkdirat(folder.rawValue, name, 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    static func openFolder(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try self.opening { unsafe openat(folder.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }

    /// Makes a file for writing; `fileExists` if anything has that name, even a link.
    static func createFile(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try self.opening { unsafe openat(folder.rawValue, name, flags, self.newFilePermissions.rawValue) }
    }

    /// The status of the file with that name, or of the link itself.
    static func status(of name: String, in folder: FileDescriptor) throws(Errno) -> FileStatus {
        var raw = Glibc.stat()
        // SAFETY: the structure lives through the call.
        guard unsafe fstatat(folder.rawValue, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw Errno(rawValue: errno)
        }
        return FileStatus(raw)
    }

    /// Whether anything has that name, even a dangling link.
    static func exists(_ name: String, in folder: FileDescriptor) -> Bool {
        var raw = Glibc.stat()
        // SAFETY: the structure lives through the call.
        return unsafe fstatat(folder.rawValue, name, &raw, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Moves a file into another folder under the same name.
    /// - Parameter replacing: Whether a file, or a link itself, may be replaced; otherwise it throws `fileExists`.
    static func rename(
        _ name: String, in old: FileDescriptor, to new: FileDescriptor, replacing: Bool
    ) throws(Errno) {
        if replacing {
            guard unsafe renameat(old.rawValue, name, new.rawValue, name) == 0 else { throw Errno(rawValue: errno) }
        } else {
            let result = unsafe fw_rename_exclusively(old.rawValue, name, new.rawValue, name)
            guard result == 0 else { throw Errno(rawValue: -result) }
        }
    }

    /// Moves a file to another name in the same folder.
    /// - Parameter replacing: Whether a file, or a link itself, may be replaced; otherwise it throws `fileExists`.
    static func rename(
        _ old: String, to new: String, in folder: FileDescriptor, replacing: Bool
    ) throws(Errno) {
        if replacing {
            guard unsafe renameat(folder.rawValue, old, folder.rawValue, new) == 0 else { throw Errno(rawValue: errno) }
        } else {
            let result = unsafe fw_rename_exclusively(folder.rawValue, old, folder.rawValue, new)
            guard result == 0 else { throw Errno(rawValue: -result) }
        }
    }

    /// Moves a file to a free name in another folder of the same file system; `fileExists` if it isn't free.
    static func rename(
        _ old: String, in folder: FileDescriptor, to new: String, in place: FileDescriptor
    ) throws(Errno) {
        let result = unsafe fw_rename_exclusively(folder.rawValue, old, place.rawValue, new)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Exchanges the files of two names in one step (RENAME_EXCHANGE).
    /// - Throws: `invalidArgument` and others if the file system can't do that.
    static func exchange(_ one: String, with other: String, in folder: FileDescriptor) throws(Errno) {
        let result = unsafe fw_rename_exchange(folder.rawValue, one, other)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Gives a file, or a link itself, one more name.
    static func link(_ old: String, as new: String, in folder: FileDescriptor) throws(Errno) {
        guard unsafe linkat(folder.rawValue, old, folder.rawValue, new, 0) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    /// Gives a file one more name, in an open folder.
    static func link(_ old: FilePath, as new: String, in folder: FileDescriptor) throws(Errno) {
        // SAFETY: the C string lives through the call.
        let result = unsafe old.withPlatformString { unsafe linkat(AT_FDCWD, $0, folder.rawValue, new, 0) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Whether a file has a list of permissions beside its mode.
    static func hasAccessList(_ descriptor: FileDescriptor) -> Bool { fw_has_access_list(descriptor.rawValue) != 0 }

    /// Whether permissions don't bind this process.
    static var isPrivileged: Bool { geteuid() == 0 }

    /// A file without a name in an open folder (O_TMPFILE), which ``link(_:as:in:)`` can give one.
    static func openUnnamed(in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        let option = fw_unnamed_file_option()
        guard option != 0 else { throw .notSupported }
        let flags = O_WRONLY | O_CLOEXEC | option
        return try self.opening { unsafe openat(folder.rawValue, ".", flags, self.newFilePermissions.rawValue) }
    }

    /// Gives an unnamed file a name; `fileExists` if anything has it.
    static func link(_ descriptor: FileDescriptor, as name: String, in folder: FileDescriptor) throws(Errno) {
        let result = unsafe fw_link_descriptor(descriptor.rawValue, folder.rawValue, name)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Opens a file for reading, without following a link or blocking.
    static func openFile(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try self.opening {
            unsafe openat(folder.rawValue, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
    }

    /// Locks an open file until it is closed.
    /// - Returns: Whether it got the lock.
    static func lock(_ descriptor: FileDescriptor) -> Bool { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 }

    /// Waits for the lock of an open file or folder, up to a limit; not at all if the file system has no locks.
    static func waitForLock(_ descriptor: FileDescriptor, atMost limit: Duration) {
        let end = ContinuousClock.Instant.after(limit)
        while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else { return }
            self.sleep(.milliseconds(1))
        }
    }

    /// Releases the lock of an open file or folder.
    static func unlock(_ descriptor: FileDescriptor) { _ = flock(descriptor.rawValue, LOCK_UN) }

    /// All names in an open folder, in any order.
    static func names(in folder: FileDescriptor) throws(Errno) -> [String] {
        let descriptor = try self.opening {
            unsafe openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        guard let stream = unsafe fdopendir(descriptor.rawValue) else {
            let error = Errno(rawValue: errno)
            try self.close(descriptor)
            throw error
        }
        // SAFETY: the stream owns the descriptor from here on and is closed once. An entry is copied before the next
        // call, and its name ends with NUL.
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func unlink(_ name: String, in folder: FileDescriptor) { _ = unsafe unlinkat(folder.rawValue, name, 0) }

    /// Removes a folder if it is empty.
    static func removeFolder(_ name: String, in folder: FileDescriptor) {
        _ = unsafe unlinkat(folder.rawValue, name, AT_REMOVEDIR)
    }

    /// Removes a folder if it is empty.
    static func removeFolder(_ path: FilePath) {
        // SAFETY: the C string lives through the call.
        _ = unsafe path.withPlatformString { unsafe rmdir($0) }
    }

    private static func opening(_ call: () -> CInt) throws(Errno) -> FileDescriptor {
        while true {
            let number = call()
            if number >= 0 { return FileDescriptor(rawValue: number) }
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }

    /// Moves up to `count` bytes in the kernel and returns their number; 0 at the end of the input.
    static func transfer(
        _ way: KernelWay, from input: FileDescriptor, at offset: inout Int64, to output: FileDescriptor, count: Int
    ) throws(Errno) -> Int {
        let moved =
            switch way {
            case .sendfile: unsafe fw_sendfile(output.rawValue, input.rawValue, &offset, count)
            case .copyFileRange: unsafe fw_copy_file_range(output.rawValue, input.rawValue, &offset, count)
            }
        guard moved >= 0 else { throw Errno(rawValue: CInt(-moved)) }
        return moved
    }

    /// Requests a larger pipe. Without it, writing is only slower.
    static func enlargePipe(_ descriptor: FileDescriptor, to bytes: CInt) {
        _ = fw_set_pipe_size(descriptor.rawValue, bytes)
    }

    /// Waits until a non-blocking descriptor is ready.
    /// - Parameter limit: The longest wait, less than a few hundred years; `nil` for no limit.
    /// - Returns: Whether it is ready. It is `false` after a signal too.
    @discardableResult
    static func wait(
        _ descriptor: FileDescriptor, for readiness: Readiness, atMost limit: Duration? = nil
    ) throws(Errno) -> Bool {
        let events = readiness == .read ? CShort(POLLIN) : CShort(POLLOUT)
        return try self.wait(descriptor, events, limit) != 0
    }

    /// Waits until a pipe's reader has read every byte in it.
    ///
    /// There is no event for an empty pipe, so it is checked after 50 µs, then after twice that, up to 10 ms. The wait
    /// uses almost no processor time, and is at most twice as long as the reader needs.
    /// - Throws: `brokenPipe` if the pipe has no reader any more.
    static func waitUntilEmpty(_ pipe: FileDescriptor) throws(Errno) {
        var pause = Duration.microseconds(50)
        while true {
            let queued = fw_queued(pipe.rawValue)
            guard queued >= 0 else { throw Errno(rawValue: -queued) }
            if queued == 0 { return }
            if try self.wait(pipe, 0, pause) & CInt(POLLERR) != 0 { throw .brokenPipe }
            pause = min(pause * 2, .milliseconds(10))
        }
    }

    /// - Returns: The events; 0 for none within the limit, or a signal.
    private static func wait(
        _ descriptor: FileDescriptor, _ events: CShort, _ limit: Duration?
    ) throws(Errno) -> CInt {
        let parts = limit?.components
        let nanoseconds = parts.map { $0.seconds * 1_000_000_000 + $0.attoseconds / 1_000_000_000 } ?? -1
        let result = fw_wait(descriptor.rawValue, events, nanoseconds)
        guard result >= 0 || -result == EINTR else { throw Errno(rawValue: -result) }
        return max(result, 0)
    }

    /// Sleeps until the clock's next tick if `time`, a file's modification time, is in the current tick. A write in the
    /// same tick would leave the same time.
    ///
    /// A tick is 1 to 10 ms, as the kernel reports it. File systems with whole seconds (ext3; FAT has every other
    /// second) are recognised by a time without a fraction.
    static func waitForTick(after time: FileTime) {
        let tick = time.nanoseconds > 0 ? self.clockTick : time.seconds % 2 == 0 ? 2_000_000_000 : 1_000_000_000
        var now = timespec()
        // SAFETY: the pointer is to this frame's variable.
        while unsafe clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0 {
            // A time ahead of the clock wasn't set by a write now: a write would change it.
            let (seconds, isFar) = Int64(now.tv_sec).subtractingReportingOverflow(time.seconds)
            guard !isFar, (0...2).contains(seconds) else { return }
            let passed = seconds * 1_000_000_000 + Int64(now.tv_nsec) - time.nanoseconds
            guard passed >= 0, passed < tick else { return }
            self.sleep(.nanoseconds(tick - passed))
        }
    }

    /// The nanoseconds of one tick of the clock that file systems use.
    private static let clockTick: Int64 = {
        var tick = timespec()
        // SAFETY: the pointer is to this frame's variable.
        let isKnown = unsafe clock_getres(CLOCK_REALTIME_COARSE, &tick) == 0 && tick.tv_sec == 0
        return isKnown ? Int64(tick.tv_nsec) : 10_000_000
    }()

    /// Makes `copy`, an empty file, share the content that `file` has at this moment (FICLONE).
    /// - Throws: `notSupported` and others if the file system can't do that, or the files are on different ones.
    static func clone(_ file: FileDescriptor, into copy: FileDescriptor) throws(Errno) {
        let result = fw_clone(file.rawValue, copy.rawValue)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Sleeps this thread.
    static func sleep(_ duration: Duration) {
        let (whole, attoseconds) = duration.asWait.components
        var wanted = timespec(tv_sec: Int(whole), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        // SAFETY: both pointers are to this frame's variables.
        while unsafe nanosleep(&wanted, &rest) != 0, errno == EINTR { wanted = rest }
    }

    /// Runs `body` while SIGPIPE and SIGXFSZ can't kill the process. The calls return EPIPE and EFBIG instead.
    static func withoutWriteSignals<Result>(
        _ body: () throws(FormworkError) -> Result
    ) throws(FormworkError) -> Result {
        // SAFETY: the guard is a plain C struct of this frame, given to begin and end in this order on this thread.
        var state = unsafe fw_signal_guard()
        unsafe fw_signal_guard_begin(&state)
        defer { unsafe fw_signal_guard_end(&state) }
        return try body()
    }

    /// Runs the caller's code with the thread's original signal mask, even inside ``withoutWriteSignals(_:)``, because
    /// a process that it starts inherits the mask.
    static func withWriteSignals<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: the guard belongs to this thread, and its frame still exists, because it encloses this one.
        guard let state = unsafe fw_signal_guard_current() else { return try body() }
        unsafe fw_signal_guard_lift(state)
        defer { unsafe fw_signal_guard_lower(state) }
        return try body()
    }

    /// Repeats a call that a signal interrupts. A negative count is an error.
    private static func counting(_ call: () -> Int) throws(Errno) -> Int {
        while true {
            let count = call()
            if count >= 0 { return count }
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }
}

/// A system call that moves file bytes without a buffer.
enum KernelWay { case sendfile, copyFileRange }

/// The event to wait for on a non-blocking descriptor.
enum Readiness { case read, write }
