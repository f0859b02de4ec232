/// How much of an untrusted body is read before ``FormworkError/Code/limitExceeded``.
///
/// Every default is finite; a caller that wants no bound writes `.max`, and so says it. Bytes count as received, before
/// any decoding. A limit's value passes; one more fails, as soon as it is read. A negative one counts as 0.
public struct ParsingLimits: Hashable, Sendable {
    /// Bytes of the boundary. Default 70, RFC 2046 §5.1.1.
    public var boundaryLength = 70
    /// Bytes of the whole body, preamble and epilogue counted. Default 1 GiB: ours, for want of a common one.
    public var totalBytes: Int64 = 1 << 30
    /// Bytes before the first delimiter, which are skipped. Default 16 KiB, as for a header section.
    public var preambleBytes: Int64 = 16 << 10
    /// Bytes of one part's header section, line ends and the empty line counted. Default 16 KiB, as busboy's.
    public var headerBytes = 16 << 10
    /// Header fields of one part. Default 32, as multer's and actix's.
    public var headerCount = 32
    /// Bytes of all header sections together. Default 1 MiB: a kibibyte for each of 1,000 parts.
    public var totalHeaderBytes = 1 << 20
    /// Bytes of a field's name. Default 1 KiB: ours; busboy means 100 bytes.
    public var nameBytes = 1 << 10
    /// Parts of the body. Default 1,000, as Go's `ReadForm` has since 1.19.8.
    public var parts = 1_000
    /// Parts without a filename. Default 1,000, as Starlette's.
    public var fields = 1_000
    /// Parts with a filename. Default 1,000, as Starlette's.
    public var files = 1_000
    /// Content bytes of one part without a filename. Default 1 MiB, as busboy's and Starlette's.
    public var fieldBytes: Int64 = 1 << 20
    /// Content bytes of one part with a filename. Default 200 MiB, as formidable's.
    public var fileBytes: Int64 = 200 << 20

    /// The defaults, to be changed where needed.
    public init() {}

    /// Every limit at its default.
    public static let `default` = Self()
    /// No limit but the boundary's length: for bodies from a source that is trusted.
    public static let none: Self = {
        var limits = Self()
        (limits.totalBytes, limits.preambleBytes, limits.fieldBytes, limits.fileBytes) = (.max, .max, .max, .max)
        (limits.headerBytes, limits.headerCount, limits.totalHeaderBytes) = (.max, .max, .max)
        (limits.nameBytes, limits.parts, limits.fields, limits.files) = (.max, .max, .max, .max)
        return limits
    }()

    /// The same with 0 for each that is negative.
    var withoutNegatives: Self {
        var limits = self
        let counts: [WritableKeyPath<Self, Int>] = [
            \.boundaryLength, \.headerBytes, \.headerCount, \.totalHeaderBytes, \.nameBytes, \.parts, \.fields, \.files,
        ]
        for count in counts { limits[keyPath: count] = max(0, limits[keyPath: count]) }
        let sizes: [WritableKeyPath<Self, Int64>] = [\.totalBytes, \.preambleBytes, \.fieldBytes, \.fileBytes]
        for size in sizes { limits[keyPath: size] = max(0, limits[keyPath: size]) }
        return limits
    }
}
