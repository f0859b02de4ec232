import FormworkCore
import SystemPackage

/// How much memory a collected form takes, and where files go that are larger.
public struct CollectingLimits: Sendable, Hashable {
    /// What a part is taken to cost besides its bytes, so that a million empty ones cost something too.
    @usableFromInline static var partOverhead: Int { 256 }

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

/// What bounds the bytes that are collected of one part.
@usableFromInline
enum CollectingLimit {
    /// The caller wants no more of this part.
    case content(Int)
    /// What is left of ``CollectingLimits/memoryBytes``.
    case form(left: Int, of: Int)

    var room: Int {
        switch self {
        case .content(let bytes): max(0, bytes)
        case .form(let left, _): max(0, left)
        }
    }

    /// That the form has crossed its limit.
    var formError: FormworkError {
        let limit = if case .form(_, let limit) = self { limit } else { self.room }
        return ParsingFailure(.memoryBytesLimit, limit: Int64(limit))
            .error("The form takes more than \(limit) bytes of memory (CollectingLimits.memoryBytes).", at: nil)
    }
}
