import SystemPackage

/// How much memory a collected form takes, and where files go that are larger.
public struct CollectingLimits: Sendable, Hashable {
    /// What a part is taken to cost besides its bytes, so that a million empty ones cost something too.
    static let partOverhead = 256

    /// Bytes of memory for all parts together: header sections, the contents of fields, small files, and 256 bytes more
    /// for each part. A field that doesn't fit is an error; a file goes to disk. Default 8 MiB: ours; Go's form takes 10.
    public var memoryBytes = 8 << 20
    /// Bytes of a file that stay in memory; a larger one goes to disk. Default 64 KiB: ours.
    public var fileMemoryBytes = 64 << 10
    /// Where the file is made that all large files are kept in; `nil` for `$TMPDIR`, or else `/tmp`.
    public var folder: FilePath?

    /// The defaults, to be changed where needed.
    public init() {}
}
