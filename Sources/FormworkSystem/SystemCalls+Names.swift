import CFormworkSystem
import FormworkCore
import FormworkLibc
import SystemPackage

// Unsafe code in this file: system calls. Every call is typed, is retried on EINTR, and throws an `Errno`.

extension SystemCalls {
    package static func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
        // SAFETY: both C strings live through the call.
        let result = unsafe old.withPlatformString { from in
            unsafe new.withPlatformString { to in unsafe kernelRename(from, to) }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    package static func unlink(_ path: FilePath) {
        // SAFETY: the C string lives through the call.
        _ = unsafe path.withPlatformString { unsafe kernelUnlink($0) }
    }

    package static func link(_ descriptor: FileDescriptor, at path: FilePath) throws(Errno) {
        // SAFETY: the C string lives through the call.
        let result = unsafe path.withPlatformString { text in
            unsafe fw_link_descriptor(descriptor.rawValue, AT_FDCWD, text)
        }
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    package static func link(_ old: FilePath, at new: FilePath) throws(Errno) {
        // SAFETY: both C strings live through the call.
        let result = unsafe old.withPlatformString { from in
            unsafe new.withPlatformString { to in unsafe kernelLink(from, to) }
        }
        guard result == 0 else { throw Errno(rawValue: errno) }
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

    // Calls with names in an open folder, so that no link can redirect them. A name is one component.
    // SAFETY, for all of them: the String's C string lives through the call, which keeps no pointer to it.

    /// Makes a folder with the usual permissions.
    package static func makeFolder(_ path: FilePath) throws(Errno) {
        // SAFETY: the C string lives through the call.
        let result = unsafe path.withPlatformString { unsafe mkdir($0, 0o777) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a folder with the usual permissions.
    package static func makeFolder(_ name: String, in folder: FileDescriptor) throws(Errno) {
        guard unsafe mkdirat(folder.rawValue, name, 0o777) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a folder that only this user may enter.
    package static func makePrivateFolder(_ name: String, in folder: FileDescriptor) throws(Errno) {
        guard unsafe mkdirat(folder.rawValue, name, 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a folder that only this user may enter, unless there is a folder already.
    package static func makePrivateFolder(_ path: FilePath) throws(Errno) {
        // SAFETY: the C string lives through the call.
        let result = unsafe path.withPlatformString { unsafe mkdir($0, 0o700) }
        guard result != 0 else { return }
        let error = Errno(rawValue: errno)
        guard error == .fileExists else { throw error }
        guard try self.status(of: path).kind == .directory else { throw .notDirectory }
    }

    package static func openFolder(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try self.opening { unsafe openat(folder.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
    }

    /// Makes a file for writing; `fileExists` if anything has that name, even a link.
    package static func createFile(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        return try self.opening {
            unsafe openat(folder.rawValue, name, flags, mode_t(self.newFilePermissions.rawValue))
        }
    }

    /// The status of the file with that name, or of the link itself.
    package static func status(of name: String, in folder: FileDescriptor) throws(Errno) -> FileStatus {
        var raw = stat()
        // SAFETY: the structure lives through the call.
        guard unsafe fstatat(folder.rawValue, name, &raw, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw Errno(rawValue: errno)
        }
        return FileStatus(raw)
    }

    /// Whether anything has that name, even a dangling link.
    package static func exists(_ name: String, in folder: FileDescriptor) -> Bool {
        var raw = stat()
        // SAFETY: the structure lives through the call.
        return unsafe fstatat(folder.rawValue, name, &raw, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Moves a file into another folder under the same name.
    /// - Parameter replacing: Whether a file, or a link itself, may be replaced; otherwise it throws `fileExists`.
    package static func rename(
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
    package static func rename(
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
    package static func rename(
        _ old: String, in folder: FileDescriptor, to new: String, in place: FileDescriptor
    ) throws(Errno) {
        let result = unsafe fw_rename_exclusively(folder.rawValue, old, place.rawValue, new)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Exchanges the files of two names in one step (RENAME_EXCHANGE).
    /// - Throws: `invalidArgument` and others if the file system can't do that.
    package static func exchange(_ one: String, with other: String, in folder: FileDescriptor) throws(Errno) {
        let result = unsafe fw_rename_exchange(folder.rawValue, one, other)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Gives a file, or a link itself, one more name.
    package static func link(_ old: String, as new: String, in folder: FileDescriptor) throws(Errno) {
        guard unsafe linkat(folder.rawValue, old, folder.rawValue, new, 0) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    /// Gives a file one more name, in an open folder.
    package static func link(_ old: FilePath, as new: String, in folder: FileDescriptor) throws(Errno) {
        // SAFETY: the C string lives through the call.
        let result = unsafe old.withPlatformString { unsafe linkat(AT_FDCWD, $0, folder.rawValue, new, 0) }
        guard result == 0 else { throw Errno(rawValue: errno) }
    }

    /// Whether a file has a list of permissions beside its mode.
    package static func hasAccessList(_ descriptor: FileDescriptor) -> Bool {
        fw_has_access_list(descriptor.rawValue) != 0
    }

    /// Whether permissions don't bind this process.
    package static var isPrivileged: Bool { geteuid() == 0 }

    /// A file without a name in an open folder (O_TMPFILE), which ``link(_:as:in:)`` can give one.
    package static func openUnnamed(in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        let option = fw_unnamed_file_option()
        guard option != 0 else { throw .notSupported }
        let flags = O_WRONLY | O_CLOEXEC | option
        return try self.opening { unsafe openat(folder.rawValue, ".", flags, mode_t(self.newFilePermissions.rawValue)) }
    }

    /// Gives an unnamed file a name; `fileExists` if anything has it.
    package static func link(_ descriptor: FileDescriptor, as name: String, in folder: FileDescriptor) throws(Errno) {
        let result = unsafe fw_link_descriptor(descriptor.rawValue, folder.rawValue, name)
        guard result == 0 else { throw Errno(rawValue: -result) }
    }

    /// Opens a file for reading, without following a link or blocking.
    package static func openFile(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try self.opening {
            unsafe openat(folder.rawValue, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        }
    }

    /// Locks an open file until it is closed.
    /// - Returns: Whether it got the lock.
    package static func lock(_ descriptor: FileDescriptor) -> Bool {
        flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
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
        let pattern = self.cString(piece)
        do throws(Errno) {
            let path = self.cString(folder.isEmpty ? [0x2E] : folder)
            // SAFETY: the C string lives through the call.
            let opened = try self.opening {
                unsafe openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
            defer { try? self.close(opened) }
            return try self.rawNames(in: opened).filter {
                // SAFETY: both C strings live through the call.
                unsafe fnmatch(pattern, self.cString($0), FNM_PERIOD) == 0
            }.sorted { $0.lexicographicallyPrecedes($1) }
        } catch {
            guard self.meansNothing(error) else { throw UnreadablePath(path: folder, reason: error) }
            return []
        }
    }

    /// Whether a path leads to something, even a dangling link.
    private static func isThere(_ path: [UInt8]) throws(UnreadablePath) -> Bool {
        var raw = stat()
        // SAFETY: the C string and the structure live through the call.
        if unsafe fstatat(AT_FDCWD, self.cString(path), &raw, AT_SYMLINK_NOFOLLOW) == 0 { return true }
        let reason = Errno(rawValue: errno)
        guard self.meansNothing(reason) else { throw UnreadablePath(path: path, reason: reason) }
        return false
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

    private static func cString(_ bytes: [UInt8]) -> [CChar] { (bytes + [0]).map { CChar(bitPattern: $0) } }

    package static func unlink(_ name: String, in folder: FileDescriptor) {
        _ = unsafe unlinkat(folder.rawValue, name, 0)
    }

    /// Removes a folder if it is empty.
    package static func removeFolder(_ name: String, in folder: FileDescriptor) {
        _ = unsafe unlinkat(folder.rawValue, name, AT_REMOVEDIR)
    }

    /// Removes a folder if it is empty.
    package static func removeFolder(_ path: FilePath) {
        // SAFETY: the C string lives through the call.
        _ = unsafe path.withPlatformString { unsafe rmdir($0) }
    }
}
