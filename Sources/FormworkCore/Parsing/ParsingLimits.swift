/// The limits of an untrusted body. Beyond them, parsing throws ``FormworkError/Code/limitExceeded``.
///
/// ```swift
/// var limits = ParsingLimits()
/// (limits.totalBytes, limits.fileBytes, limits.files) = (50 << 20, 20 << 20, 5)
/// let parts = try ReceivedParts(body, contentType: contentType, limits: limits)
/// ```
///
/// Every default is finite; write `.max` for no limit. Bytes count as received, before any decoding. The value itself
/// is allowed; one more fails as soon as it is read, so nothing beyond a limit is stored. A negative limit counts as 0.
///
/// They limit what a client may send, not what is kept in memory: a part is limited there when it is collected. Parts with a
/// name can have another limit: ``named``. So can a single part after its header section has arrived, see
/// ``MultipartParser/limitContent(to:)``.
public struct ParsingLimits: Hashable, Sendable {
    /// Bytes of the boundary. Default 70, as in RFC 2046 §5.1.1.
    public var boundaryLength = 70
    /// Bytes of the whole body, including preamble and epilogue. Default 1 GiB; there is no common value.
    public var totalBytes: Int64 = 1 << 30
    /// Bytes before the first delimiter, which are skipped. Default 16 KiB, as for a header section.
    public var preambleBytes: Int64 = 16 << 10
    /// Bytes of one part's header section, including line ends and the empty line. Default 16 KiB, as in busboy.
    public var headerBytes = 16 << 10
    /// Header fields of one part. Default 32, as in multer and actix.
    public var headerCount = 32
    /// Bytes of all header sections together. Default 1 MiB: a kibibyte for each of 1,000 parts.
    public var totalHeaderBytes = 1 << 20
    /// Bytes of a field's name. Default 1 KiB (busboy: 100 bytes).
    public var nameBytes = 1 << 10
    /// Parts of the body. Default 1,000, as in Go's `ReadForm` since 1.19.8.
    public var parts = 1_000
    /// Parts without a filename. Default 1,000, as in Starlette.
    public var fields = 1_000
    /// Parts with a filename. Default 1,000, as in Starlette.
    public var files = 1_000
    /// Content bytes of one part without a filename. Default 1 MiB, as in busboy and Starlette.
    public var fieldBytes: Int64 = 1 << 20
    /// Content bytes of one part with a filename. Default 200 MiB, as in formidable.
    public var fileBytes: Int64 = 200 << 20

    /// Content bytes of each part with this name, instead of ``fieldBytes`` or ``fileBytes``. ``totalBytes`` holds for the whole
    /// body all the same. Default: none.
    public var named: [String: Int64] = [:]
    /// Whether a part whose name isn't in ``named`` is refused: ``ParsingFailure/Kind/unknownName``. Default: no.
    public var onlyNamed = false

    /// The default limits.
    public init() {}

    /// Every limit at its default.
    public static let `default` = Self()
    /// No limit except the boundary's length, for bodies from a trusted source.
    public static let none: Self = {
        var limits = Self()
        (limits.totalBytes, limits.preambleBytes, limits.fieldBytes, limits.fileBytes) = (.max, .max, .max, .max)
        (limits.headerBytes, limits.headerCount, limits.totalHeaderBytes) = (.max, .max, .max)
        (limits.nameBytes, limits.parts, limits.fields, limits.files) = (.max, .max, .max, .max)
        return limits
    }()

    /// Whether a part's name matters.
    package var dependsOnNames: Bool { self.onlyNamed || !self.named.isEmpty }

    /// The most content bytes of a part.
    /// - Throws: ``ParsingFailure/Kind/unknownName``.
    package func contentBytes(of name: String?, isFile: Bool) throws(ParsingFailure) -> Int64 {
        if let limit = name.flatMap({ self.named[$0] }) { return max(0, limit) }
        guard !self.onlyNamed else { throw ParsingFailure(.unknownName) }
        return isFile ? self.fileBytes : self.fieldBytes
    }

    /// The same limits, with 0 for negative ones.
    var withoutNegatives: Self {
        // Written out: key paths took longer than parsing a small form.
        var limits = self
        limits.boundaryLength = max(0, self.boundaryLength)
        limits.totalBytes = max(0, self.totalBytes)
        limits.preambleBytes = max(0, self.preambleBytes)
        limits.headerBytes = max(0, self.headerBytes)
        limits.headerCount = max(0, self.headerCount)
        limits.totalHeaderBytes = max(0, self.totalHeaderBytes)
        limits.nameBytes = max(0, self.nameBytes)
        limits.parts = max(0, self.parts)
        limits.fields = max(0, self.fields)
        limits.files = max(0, self.files)
        limits.fieldBytes = max(0, self.fieldBytes)
        limits.fileBytes = max(0, self.fileBytes)
        return limits
    }
}
