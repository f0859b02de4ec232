import SystemPackage

/// What tells one state of a file from another: taken when a body is planned, checked while it is sent.
public struct FileValidator: Hashable, Sendable, Codable {
    /// Bytes in the file.
    public var size: Int64
    /// The modification time in nanoseconds since 1970.
    public var modified: Int64
    /// The file's number on its device.
    public var inode: UInt64
    /// The device's number.
    public var device: UInt64

    /// Describes a file's state.
    public init(size: Int64, modified: Int64, inode: UInt64, device: UInt64) {
        self.size = size
        self.modified = modified
        self.inode = inode
        self.device = device
    }

    /// What happened between `self` and `later`, in words; `nil` when nothing did.
    func change(to later: FileValidator) -> String? {
        if self.inode != later.inode || self.device != later.device { return "was replaced by another file" }
        if later.size < self.size { return "shrank from \(self.size) to \(later.size) bytes" }
        if later.size > self.size { return "grew from \(self.size) to \(later.size) bytes" }
        return self.modified != later.modified ? "was rewritten" : nil
    }
}

extension FileValidator {
    /// The state that the file at `path` is in; `nil` for what is no regular file.
    package init?(ofRegularFile path: FilePath) throws(Errno) {
        let status = try SystemCalls.status(of: path)
        guard status.kind == .regular else { return nil }
        self = status.validator
    }
}
