import SystemPackage

/// Free space on a disk.
package enum DiskSpace {
    /// The bytes that this user may still write on the disk of a path; `nil` if that is unknown, or the path doesn't
    /// exist.
    package static func available(at path: FilePath) -> Int64? { try? SystemCalls.availableBytes(at: path) }
}
