import FormworkCore
import SystemPackage

/// A file time from the kernel. It isn't one count of nanoseconds, because 64 bits reach only from 1677 to 2262.
package struct FileTime: Hashable, Sendable, Codable {
    /// Seconds since 1970, rounded down; negative before 1970.
    package var seconds: Int64
    /// Nanoseconds in the second, 0 to 999,999,999.
    package var nanoseconds: Int64

    package init(seconds: Int64, nanoseconds: Int64) { (self.seconds, self.nanoseconds) = (seconds, nanoseconds) }
}

/// Identifies the state of a file within one process. It is taken when a body is planned, and compared while it is
/// sent.
package struct FileValidator: Hashable, Sendable {
    /// The file's size in bytes.
    package var size: Int64
    package var modified: FileTime
    /// The file's number on its device.
    package var inode: UInt64
    /// The device's number. On many file systems it changes with each mount.
    package var device: UInt64

    /// Whether both are of one file, under any name.
    package func isSameFile(as other: FileValidator?) -> Bool {
        self.inode == other?.inode && self.device == other?.device
    }

    /// The change from `self` to `later`, in words; `nil` if there is none.
    package func change(to later: FileValidator) -> String? {
        if !self.isSameFile(as: later) { return "was replaced by another file" }
        return self.size.change(to: later.size) ?? (self.modified != later.modified ? "was rewritten" : nil)
    }
}

extension Int64 {
    /// How a file's size changed, in words; `nil` if it didn't.
    package func change(to later: Int64) -> String? {
        if later < self { return "shrank from \(self) to \(later, "byte")" }
        return later > self ? "grew from \(self) to \(later, "byte")" : nil
    }
}

extension FileValidator {
    /// The state of the file at `path`; `nil` if it isn't a regular file.
    package init?(ofRegularFile path: FilePath) throws(Errno) {
        let status = try SystemCalls.status(of: path)
        guard status.kind == .regular else { return nil }
        self = status.validator
    }
}

/// A FIFO, whatever its path: its bytes can be read only once.
package struct PipeIdentity: Hashable, Sendable {
    private let inode: UInt64
    private let device: UInt64

    /// `nil` for another file.
    package init?(_ status: FileStatus?) {
        guard let status, status.kind == .fifo else { return nil }
        (self.inode, self.device) = (status.validator.inode, status.validator.device)
    }

    /// Standard input; `nil` if it isn't a FIFO.
    package static var standardInput: PipeIdentity? {
        PipeIdentity(try? SystemCalls.status(of: FileDescriptor.standardInput))
    }
}
