/// An encoding of a part's content for channels that don't accept all bytes (RFC 2045 §6).
///
/// HTTP accepts all bytes, and RFC 7578 §4.7 advises against these in forms. Mail and some old receivers need them.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TransferEncoding: Hashable, Sendable, Codable {
    /// RFC 2045 §6.8 in lines of `columns` characters, without a line end after the last. The length is known in
    /// advance.
    ///
    /// `columns` is a multiple of 4, at least 4; `nil` writes one line.
    case base64(columns: Int? = 76)
    /// RFC 2045 §6.7 in lines of at most 76 characters. CRLF stays a line end; a lone CR or LF is encoded.
    ///
    /// The length depends on every byte. With `isMeasured` the content is read once when the body is planned, so that
    /// the body has a length and readers can seek to any offset; otherwise the body has no length.
    case quotedPrintable(isMeasured: Bool = false)
    /// The unchanged bytes. A byte over 127 is an error, and so is NUL unless allowed (RFC 2045 §2.7).
    case sevenBit(allowsNUL: Bool = false)
    /// The unchanged bytes, declared as lines of text.
    case eightBit
    /// The unchanged bytes.
    case binary

    /// The value of `Content-Transfer-Encoding`.
    public var token: String {
        switch self {
        case .base64: "base64"
        case .quotedPrintable: "quoted-printable"
        case .sevenBit: "7bit"
        case .eightBit: "8bit"
        case .binary: "binary"
        }
    }

    /// The encoding with that name, in any case; `nil` if there is none.
    public init?(token: String) {
        switch token.lowercased() {
        case "base64": self = .base64()
        case "quoted-printable": self = .quotedPrintable()
        case "7bit": self = .sevenBit()
        case "8bit": self = .eightBit
        case "binary": self = .binary
        default: return nil
        }
    }

    /// Whether the content is sent unchanged and unchecked.
    package var isIdentity: Bool { self == .eightBit || self == .binary }
}
