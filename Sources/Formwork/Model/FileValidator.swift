import SystemPackage

/// A moment as the kernel gives it. Never a count of nanoseconds: years before 1677 and after 2262 have none in 64 bits.
package struct FileTime: Hashable, Sendable, Codable {
    /// Whole seconds since 1970, rounded down; negative before.
    package var seconds: Int64
    /// Nanoseconds into the second, 0 to 999,999,999.
    package var nanoseconds: Int64

    package init(seconds: Int64, nanoseconds: Int64) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }
}

/// Distinguishes the states of a file within one process: taken when a body is planned, compared while it is sent.
package struct FileValidator: Hashable, Sendable {
    /// Bytes in the file.
    package var size: Int64
    package var modified: FileTime
    /// The file's number on its device.
    package var inode: UInt64
    /// The device's number: another one after each mount on many file systems.
    package var device: UInt64

    /// What happened between `self` and `later`, in words; `nil` when nothing did.
    func change(to later: FileValidator) -> String? {
        if self.inode != later.inode || self.device != later.device { return "was replaced by another file" }
        return self.size.change(to: later.size) ?? (self.modified != later.modified ? "was rewritten" : nil)
    }
}

extension Int64 {
    /// How a file's size changed, in words; `nil` when it didn't.
    func change(to later: Int64) -> String? {
        if later < self { return "shrank from \(self) to \(later) bytes" }
        return later > self ? "grew from \(self) to \(later) bytes" : nil
    }
}

extension FileValidator {
    /// The state that the file at `path` is in; `nil` for anything but a regular file.
    package init?(ofRegularFile path: FilePath) throws(Errno) {
        let status = try SystemCalls.status(of: path)
        guard status.kind == .regular else { return nil }
        self = status.validator
    }
}
