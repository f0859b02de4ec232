import CFormworkSystem
import FormworkCore
import Glibc
import SystemPackage

// This module's one door to unsafe code and to the kernel: every call is typed, retried on EINTR, and gives an `Errno`.

/// What a file is at a moment.
struct FileStatus: Sendable {
    var kind: FileType
    var validator: FileValidator
    /// The inode's own change time in nanoseconds: renaming, unlinking and `chmod` move it, not only writing.
    var changed: Int64
    /// Whether the mode bits let this process read it, as far as they can tell.
    var seemsReadable: Bool
    var permissions: FilePermissions

    fileprivate init(_ stat: Stat) {
        self.kind = stat.type
        self.validator = FileValidator(
            size: stat.size, modified: Self.nanoseconds(stat.st_mtim.tv_sec, stat.st_mtim.tv_nsec),
            inode: UInt64(stat.inode.rawValue), device: UInt64(stat.deviceID.rawValue))
        self.changed = Self.nanoseconds(stat.st_ctim.tv_sec, stat.st_ctim.tv_nsec)
        self.permissions = stat.permissions
        self.seemsReadable = stat.permissions.isSuperset(of: [.ownerRead, .groupRead, .otherRead])
    }

    private static func nanoseconds(_ seconds: Int, _ nanoseconds: Int) -> Int64 {
        Int64(seconds) * 1_000_000_000 + Int64(nanoseconds)
    }
}

enum SystemCalls {
    static func status(of path: FilePath) throws(Errno) -> FileStatus { FileStatus(try Stat(path)) }

    static func status(of descriptor: FileDescriptor) throws(Errno) -> FileStatus {
        FileStatus(try Stat(descriptor))
    }

    /// Whether this process may read `path`, by the kernel's own answer.
    static func mayRead(_ path: FilePath) -> Bool {
        // SAFETY: the C string lives through the call.
        unsafe path.withPlatformString { unsafe access($0, R_OK) == 0 }
    }

    static func open(
        _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions? = nil
    ) throws(Errno) -> FileDescriptor {
        try typed {
            try FileDescriptor.open(path, mode, options: options.union(.closeOnExec), permissions: permissions)
        }
    }

    static func read(_ descriptor: FileDescriptor, into buffer: inout MutableRawSpan) throws(Errno) -> Int {
        // SAFETY: the kernel writes inside the buffer, during the call.
        try unsafe buffer.withUnsafeMutableBytes { bytes throws(Errno) in
            try typed { try unsafe descriptor.read(into: bytes) }
        }
    }

    static func read(
        _ descriptor: FileDescriptor, at offset: Int64, into buffer: inout MutableRawSpan
    ) throws(Errno) -> Int {
        // SAFETY: as above.
        try unsafe buffer.withUnsafeMutableBytes { bytes throws(Errno) in
            try typed { try unsafe descriptor.read(fromAbsoluteOffset: offset, into: bytes) }
        }
    }

    /// Writes some of `bytes[range]`, at least one byte.
    static func write(_ descriptor: FileDescriptor, _ bytes: [UInt8], _ range: Range<Int>) throws(Errno) -> Int {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "range outside the bytes")
        // SAFETY: the range was checked, and the kernel only reads, during the call.
        let written = unsafe bytes.withUnsafeBytes { all in
            unsafe Glibc.write(descriptor.rawValue, all.baseAddress! + range.lowerBound, range.count)
        }
        guard written >= 0 else { throw Errno(rawValue: errno) }
        return written
    }

    static func seek(_ descriptor: FileDescriptor, by offset: Int64, from whence: FileDescriptor.SeekOrigin)
        throws(Errno) -> Int64
    {
        try typed { try descriptor.seek(offset: offset, from: whence) }
    }

    static func close(_ descriptor: FileDescriptor) throws(Errno) {
        try typed { try descriptor.close() }
    }

    /// What `umask` is taken from.
    static let newFilePermissions: FilePermissions = [
        .ownerReadWrite, .groupReadWrite, .otherReadWrite,
    ]

    /// A file without a name in `folder` (O_TMPFILE), which ``link(_:at:)`` can give one.
    static func openUnnamed(in folder: FilePath) throws(Errno) -> FileDescriptor {
        let option = fw_unnamed_file_option()
        guard option != 0 else { throw .notSupported }
        return try self.open(
            folder, .readWrite, FileDescriptor.OpenOptions(rawValue: option), permissions: self.newFilePermissions)
    }

    /// A file that nobody else can reach and that is gone when it is closed.
    static func openTemporary(in folder: FilePath) throws(Errno) -> FileDescriptor {
        if let descriptor = try? self.openUnnamed(in: folder) { return descriptor }
        let name = folder.appending(".formwork.\(String(UInt64.random(in: .min ... .max), radix: 36))")
        let descriptor = try self.open(
            name, .readWrite, [.create, .exclusiveCreate], permissions: [.ownerRead, .ownerWrite])
        self.unlink(name)
        return descriptor
    }

    static func setPermissions(of descriptor: FileDescriptor, _ permissions: FilePermissions) {
        _ = fchmod(descriptor.rawValue, permissions.rawValue)
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
        let result = unsafe path.withPlatformString { unsafe fw_link_descriptor(descriptor.rawValue, $0) }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// `path` with every link followed; `nil` when it leads nowhere.
    static func resolved(_ path: FilePath) -> FilePath? {
        // SAFETY: realpath allocates its answer, which is copied and then freed once.
        unsafe path.withPlatformString { text -> FilePath? in
            guard let real = unsafe realpath(text, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe FilePath(platformString: real)
        }
    }

    /// The file kinds' fast ways. Each moves up to `count` bytes and says how many; 0 is the end of the input.
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

    /// Asks for a larger pipe; a refusal costs speed only.
    static func enlargePipe(_ descriptor: FileDescriptor, to bytes: CInt) {
        _ = fw_set_pipe_size(descriptor.rawValue, bytes)
    }

    /// Waits until a non-blocking descriptor is ready.
    static func wait(_ descriptor: FileDescriptor, for readiness: Readiness) throws(Errno) {
        let result = fw_wait(descriptor.rawValue, readiness == .read ? CShort(POLLIN) : CShort(POLLOUT))
        guard result >= 0 || -result == EINTR else { throw Errno(rawValue: -result) }
    }

    /// Sleeps this thread.
    static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var wanted = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        // SAFETY: both pointers are to this frame's variables.
        while unsafe nanosleep(&wanted, &rest) != 0, errno == EINTR { wanted = rest }
    }

    /// Runs `body` while SIGPIPE and SIGXFSZ can't end the process: they come as EPIPE and EFBIG.
    static func withoutWriteSignals<Result>(
        _ body: () throws(FormworkError) -> Result
    ) throws(FormworkError) -> Result {
        // SAFETY: the guard is a plain C struct of this frame, given to begin and end in this order on this thread.
        var state = fw_signal_guard()
        unsafe fw_signal_guard_begin(&state)
        defer { unsafe fw_signal_guard_end(&state) }
        return try body()
    }

    /// swift-system throws untyped, but nothing else than `Errno`.
    private static func typed<Result>(_ call: () throws -> Result) throws(Errno) -> Result {
        do { return try call() } catch let error as Errno { throw error } catch { throw .ioError }
    }
}

/// A way the kernel moves file bytes without a buffer of ours.
enum KernelWay { case sendfile, copyFileRange }

/// What a non-blocking descriptor is waited for.
enum Readiness { case read, write }
