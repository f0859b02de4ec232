/// How much memory a collected form may use, and where larger files are stored.
public struct CollectingLimits: Sendable, Hashable {
    /// The memory that is counted for each part besides its bytes, so that a million empty parts are limited too.
    @usableFromInline static var partOverhead: Int { 256 }

    /// The most bytes of memory for all parts together: header sections, fields, small files, and 256 bytes more for
    /// each part. A field that doesn't fit is an error; a file that doesn't fit is stored on disk. Default 8 MiB.
    public var memoryBytes = 8 << 20
    /// The most bytes of a file in memory. A larger one is stored on disk. Default 64 KiB.
    public var fileMemoryBytes = 64 << 10
    /// The folder of the one file that stores all large files; `nil` for `$TMPDIR`, or `/tmp` without it.
    public var folder: FilePath?

    /// The defaults.
    public init() {}

    /// No limits, for a body that is in memory already.
    static let none: Self = {
        var limits = Self()
        (limits.memoryBytes, limits.fileMemoryBytes) = (.max, .max)
        return limits
    }()
}

/// The limit on the bytes that are collected of one part.
@usableFromInline
enum CollectingLimit {
    /// The caller's limit for this part.
    case content(Int)
    /// The rest of ``CollectingLimits/memoryBytes``.
    case form(left: Int, of: Int)

    var room: Int {
        switch self {
        case .content(let bytes): max(0, bytes)
        case .form(let left, _): max(0, left)
        }
    }

    /// The error that the form exceeds its limit.
    var formError: FormworkError {
        let limit = if case .form(_, let limit) = self { limit } else { self.room }
        return ParsingFailure(.memoryBytesLimit, limit: Int64(limit))
            .error("The form needs more than \(limit, "byte") of memory (CollectingLimits.memoryBytes).", at: nil)
    }
}
