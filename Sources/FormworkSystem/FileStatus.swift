import FormworkLibc
import SystemPackage

/// The status of a file at one moment.
package struct FileStatus: Sendable {
    package var kind: FileType
    package var validator: FileValidator
    /// The inode's change time, which also changes with renaming, unlinking and `chmod`.
    package var changed: FileTime
    /// Whether the mode bits let everyone read it.
    package var seemsReadable: Bool
    package var permissions: FilePermissions
    /// The number of its names.
    package var links: Int
    package var user: UInt32
    package var group: UInt32

    init(_ raw: stat) {
        self.kind = FileType(rawValue: CInterop.Mode(raw.st_mode & S_IFMT))
        self.validator = FileValidator(
            size: Int64(raw.st_size), modified: FileTime(raw.modified), inode: UInt64(raw.st_ino),
            device: UInt64(truncatingIfNeeded: raw.st_dev))
        self.changed = FileTime(raw.changed)
        self.permissions = FilePermissions(rawValue: CInterop.Mode(raw.st_mode & 0o7777))
        self.seemsReadable = raw.st_mode & 0o444 == 0o444
        self.links = Int(clamping: raw.st_nlink)
        (self.user, self.group) = (UInt32(raw.st_uid), UInt32(raw.st_gid))
    }
}

extension stat {
    #if canImport(Darwin)
    fileprivate var modified: timespec { self.st_mtimespec }
    fileprivate var changed: timespec { self.st_ctimespec }
    #else
    fileprivate var modified: timespec { self.st_mtim }
    fileprivate var changed: timespec { self.st_ctim }
    #endif
}

extension FileTime {
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
