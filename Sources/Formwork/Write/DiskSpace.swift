import SystemPackage

/// Room for more.
package enum DiskSpace {
    /// Bytes that this user may still write on the disk of a path; `nil` where that isn't told, or nothing is there.
    package static func available(at path: FilePath) -> Int64? { try? SystemCalls.availableBytes(at: path) }
}
