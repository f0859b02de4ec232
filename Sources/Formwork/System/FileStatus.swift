import Glibc
import SystemPackage

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

    init(_ raw: stat) {
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
    init(_ time: timespec) {
        self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
