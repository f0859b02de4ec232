import CFormworkSystem
import FormworkCore
import FormworkLibc
import SystemPackage

// Unsafe code in this file: system calls. Every call is typed, is retried on EINTR, and throws an `Errno`.

/// A path, or a name in an open folder.
package protocol SystemPath {
    func withPlatformString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result
}

extension FilePath: SystemPath {}

// The name of an open folder's file is one component, so that no link can redirect the call.
extension String: SystemPath {}

extension FileDescriptor {
    /// The folder in which a path begins that has no open folder.
    package static var currentFolder: FileDescriptor { FileDescriptor(rawValue: AT_FDCWD) }
}

// SAFETY, for all calls here: the path is a C string during the call, which keeps no pointer to it.

extension SystemCalls {
    /// Gives a file, or a link itself, another name.
    /// - Parameters:
    ///   - place: Where the old name is; `nil` for the folder of the new one.
    ///   - replacing: Whether a file, or a link itself, may be replaced; otherwise it throws `fileExists`.
    package static func rename(
        _ old: some SystemPath, from place: FileDescriptor? = nil, to new: some SystemPath,
        in folder: FileDescriptor = .currentFolder, replacing: Bool = true
    ) throws(Errno) {
        let from = (place ?? folder).rawValue
        let result = unsafe old.withPlatformString { old in
            unsafe new.withPlatformString { new in
                guard replacing else { return unsafe fw_rename_exclusively(from, old, folder.rawValue, new) }
                return unsafe renameat(from, old, folder.rawValue, new) == 0 ? 0 : -errno
            }
        }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Exchanges the files of two names in one step (RENAME_EXCHANGE).
    /// - Throws: `invalidArgument` and others if the file system can't do that.
    package static func exchange(_ one: String, with other: String, in folder: FileDescriptor) throws(Errno) {
        let result = unsafe fw_rename_exchange(folder.rawValue, one, other)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Gives a file, or a link itself, one more name; `fileExists` if anything has it.
    /// - Parameter place: Where the old name is; `nil` for the folder of the new one.
    package static func link(
        _ old: some SystemPath, from place: FileDescriptor? = nil, as new: some SystemPath,
        in folder: FileDescriptor = .currentFolder
    ) throws(Errno) {
        let result = unsafe old.withPlatformString { old in
            unsafe new.withPlatformString { new in
                unsafe linkat((place ?? folder).rawValue, old, folder.rawValue, new, 0)
            }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Gives an unnamed file a name; `fileExists` if anything has it.
    package static func link(
        _ descriptor: FileDescriptor, as name: some SystemPath, in folder: FileDescriptor = .currentFolder
    ) throws(Errno) {
        let result = unsafe name.withPlatformString {
            unsafe fw_link_descriptor(descriptor.rawValue, folder.rawValue, $0)
        }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    package static func unlink(_ path: some SystemPath, in folder: FileDescriptor = .currentFolder) {
        _ = unsafe path.withPlatformString { unsafe unlinkat(folder.rawValue, $0, 0) }
    }

    /// Removes a folder if it is empty.
    package static func removeFolder(_ path: some SystemPath, in folder: FileDescriptor = .currentFolder) {
        _ = unsafe path.withPlatformString { unsafe unlinkat(folder.rawValue, $0, AT_REMOVEDIR) }
    }

    /// Makes a folder with the usual permissions, or one that only this user may enter.
    package static func makeFolder(
        _ path: some SystemPath, in folder: FileDescriptor = .currentFolder, isPrivate: Bool = false
    ) throws(Errno) {
        let result = unsafe path.withPlatformString { unsafe mkdirat(folder.rawValue, $0, isPrivate ? 0o700 : 0o777) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a folder that only this user may enter, unless there is a folder already.
    package static func makePrivateFolder(_ path: FilePath) throws(Errno) {
        do throws(Errno) { try self.makeFolder(path, isPrivate: true) } catch .fileExists {
            guard try self.status(of: path).kind == .directory else { throw .notDirectory }
        }
    }

    /// `path` with every link followed; `nil` if nothing is there.
    package static func resolved(_ path: FilePath) -> FilePath? {
        // SAFETY: realpath allocates its answer, which is copied and then freed once.
        unsafe path.withPlatformString { text -> FilePath? in
            guard let real = unsafe realpath(text, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe FilePath(platformString: real)
        }
    }

    /// The path to which opening `path` for writing leads, with every link followed. A dangling link leads to the path
    /// that it names.
    package static func destination(of path: FilePath) throws(Errno) -> FilePath {
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
    static func target(ofLink path: FilePath) throws(Errno) -> FilePath? {
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

    /// Opens a folder to make files in it, for which it needn't be readable.
    package static func openFolder(_ path: FilePath) throws(Errno) -> FileDescriptor {
        do throws(Errno) { return try self.open(path, .readOnly, .directory) } catch {
            guard error == .permissionDenied else { throw error }
            // O_EXEC or O_PATH, whose macros aren't imported everywhere.
            #if canImport(Darwin)
            let forSearch: CInt = 0x4000_0000
            #else
            let forSearch: CInt = 0o1000_0000
            #endif
            return try self.open(path, in: .currentFolder, O_DIRECTORY | O_CLOEXEC | forSearch)
        }
    }

    package static func openFolder(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try self.open(name, in: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// Makes a file for writing; `fileExists` if anything has that name, even a link.
    package static func createFile(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try self.open(name, in: folder, flags, self.newFilePermissions)
    }

    /// Opens a file for reading, without following a link or blocking.
    package static func openFile(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try self.open(name, in: folder, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    }

    /// A file without a name in an open folder (O_TMPFILE), which ``link(_:as:in:)`` can give one.
    package static func openUnnamed(in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try self.openUnnamed(".", in: folder, self.newFilePermissions)
    }

    /// A file without a name in a folder.
    package static func openUnnamed(
        in folder: FilePath, permissions: FilePermissions = SystemCalls.newFilePermissions
    ) throws(Errno) -> FileDescriptor {
        try self.openUnnamed(folder, in: .currentFolder, permissions)
    }

    private static func openUnnamed(
        _ path: some SystemPath, in folder: FileDescriptor, _ permissions: FilePermissions
    ) throws(Errno) -> FileDescriptor {
        let option = fw_unnamed_file_option()
        guard option != 0 else { throw .notSupported }
        return try self.open(path, in: folder, O_RDWR | O_CLOEXEC | option, permissions)
    }

    static func open(
        _ path: some SystemPath, in folder: FileDescriptor, _ flags: CInt, _ permissions: FilePermissions = []
    ) throws(Errno) -> FileDescriptor {
        let number = try self.counting {
            unsafe path.withPlatformString { text in
                Int(unsafe openat(folder.rawValue, text, flags, mode_t(permissions.rawValue)))
            }
        }
        return FileDescriptor(rawValue: CInt(number))
    }

    /// The status of the file with that name, or of the link itself.
    package static func status(of name: some SystemPath, in folder: FileDescriptor) throws(Errno) -> FileStatus {
        try self.status(name, folder, AT_SYMLINK_NOFOLLOW)
    }

    /// The status of the file with that path, or of the link itself.
    package static func linkStatus(of path: FilePath) throws(Errno) -> FileStatus {
        try self.status(path, .currentFolder, AT_SYMLINK_NOFOLLOW)
    }

    static func status(_ path: some SystemPath, _ folder: FileDescriptor, _ flags: CInt) throws(Errno) -> FileStatus {
        var raw = stat()
        // SAFETY: the structure lives through the call.
        let result = unsafe path.withPlatformString { unsafe fstatat(folder.rawValue, $0, &raw, flags) }
        guard result == 0 else { throw Errno(rawValue: errno) }
        return FileStatus(raw)
    }

    /// Whether anything has that name, even a dangling link.
    package static func exists(_ name: String, in folder: FileDescriptor) -> Bool {
        (try? self.status(of: name, in: folder)) != nil
    }

    /// Whether a file has a list of permissions beside its mode.
    package static func hasAccessList(_ descriptor: FileDescriptor) -> Bool {
        fw_has_access_list(descriptor.rawValue) != 0
    }

    /// Whether permissions don't bind this process.
    package static var isPrivileged: Bool { geteuid() == 0 }

    /// Locks an open file until it is closed.
    /// - Returns: Whether it got the lock.
    package static func lock(_ descriptor: FileDescriptor) -> Bool {
        (try? self.takeLock(descriptor)) != nil
    }

    /// Locks an open file until it is closed; `wouldBlock` while another process has the lock, and another error if the
    /// file system has no locks.
    package static func takeLock(_ descriptor: FileDescriptor) throws(Errno) {
        while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }

    /// Waits for the lock of an open file or folder, up to a limit; not at all if the file system has no locks.
    package static func waitForLock(_ descriptor: FileDescriptor, atMost limit: Duration) {
        let end = ContinuousClock.Instant.after(limit)
        while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else { return }
            self.sleep(.milliseconds(1))
        }
    }

    /// Releases the lock of an open file or folder.
    package static func unlock(_ descriptor: FileDescriptor) { _ = flock(descriptor.rawValue, LOCK_UN) }

    /// All names in an open folder, in any order. Bytes that aren't UTF-8 are replaced.
    package static func names(in folder: FileDescriptor) throws(Errno) -> [String] {
        try self.rawNames(in: folder).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes of all names in an open folder, in any order.
    package static func rawNames(in folder: FileDescriptor) throws(Errno) -> [[UInt8]] {
        let descriptor = try self.open(".", in: folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard let stream = unsafe fdopendir(descriptor.rawValue) else {
            let error = Errno(rawValue: errno)
            try self.close(descriptor)
            throw error
        }
        // SAFETY: the stream owns the descriptor from here on and is closed once. An entry is copied before the next
        // call, and its name ends with NUL.
        defer { unsafe closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            // At the end the number stays 0, after an error it doesn't.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        guard errno == 0 else { throw Errno(rawValue: errno) }
        return names
    }

    /// A folder or a file that a pattern leads to, and that can't be looked at.
    package struct UnreadablePath: Error {
        package let path: [UInt8]
        package let reason: Errno
    }

    /// The bytes of the paths that a shell's pattern matches, in order; none if it matches nothing.
    ///
    /// glob(3) isn't used, because it leaves out what is in a folder that it can't read.
    package static func paths(matching pattern: String) throws(UnreadablePath) -> [[UInt8]] {
        let pieces = pattern.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).map(Array.init)
        var found: [[UInt8]] = [[]]
        for (index, piece) in pieces.enumerated() {
            var next: [[UInt8]] = []
            for start in found.map({ index > 0 ? $0 + [0x2F] : $0 }) {
                if piece.contains(where: { "*?[".utf8.contains($0) }) {
                    next += try self.names(matching: piece, in: start).map { start + $0 }
                    continue
                }
                let path = start + self.literal(piece)
                let isBetweenSlashes = piece.isEmpty && index + 1 < pieces.count
                guard try isBetweenSlashes ? true : self.isThere(path) else { continue }
                next.append(path)
            }
            found = next
        }
        return found
    }

    /// The names in a folder that match one piece of a pattern, in the order of their bytes; none if there is no folder.
    private static func names(matching piece: [UInt8], in folder: [UInt8]) throws(UnreadablePath) -> [[UInt8]] {
        do throws(Errno) {
            let path = folder.isEmpty ? [0x2E] : folder
            let opened = try self.open(path, in: .currentFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { try? self.close(opened) }
            return try self.rawNames(in: opened).filter { name in
                unsafe piece.withPlatformString { piece in
                    unsafe name.withPlatformString { unsafe fnmatch(piece, $0, FNM_PERIOD) == 0 }
                }
            }.sorted { $0.lexicographicallyPrecedes($1) }
        } catch {
            guard self.meansNothing(error) else { throw UnreadablePath(path: folder, reason: error) }
            return []
        }
    }

    /// Whether a path leads to something, even a dangling link.
    private static func isThere(_ path: [UInt8]) throws(UnreadablePath) -> Bool {
        do throws(Errno) {
            _ = try self.status(path, .currentFolder, AT_SYMLINK_NOFOLLOW)
            return true
        } catch {
            guard self.meansNothing(error) else { throw UnreadablePath(path: path, reason: error) }
            return false
        }
    }

    private static func meansNothing(_ error: Errno) -> Bool {
        [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(error)
    }

    /// A piece of a pattern without the backslashes that protect its characters.
    private static func literal(_ piece: [UInt8]) -> [UInt8] {
        var (text, isProtected) = ([UInt8](), false)
        for byte in piece {
            isProtected = byte == 0x5C && !isProtected
            if !isProtected { text.append(byte) }
        }
        return text
    }

}

extension [UInt8]: SystemPath {
    /// A path whose bytes may be no text.
    package func withPlatformString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        try unsafe body((self + [0]).map { CChar(bitPattern: $0) })
    }
}
