/// How a part's content is written so that it passes through channels which don't take any byte (RFC 2045 §6).
///
/// HTTP takes any byte, and RFC 7578 §4.7 advises against these in forms; mail and some old receivers want them.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TransferEncoding: Hashable, Sendable, Codable {
    /// RFC 2045 §6.8 in lines of `columns` characters; the last line has no line end. The length is known beforehand.
    ///
    /// `columns` is a multiple of 4 from 4 on; `nil` writes one line.
    case base64(columns: Int? = 76)
    /// RFC 2045 §6.7 in lines of at most 76 characters. CRLF stays a line end; a lone CR or LF is encoded.
    ///
    /// The length depends on every byte. With `isMeasured` the content is read once when the body is planned, so that
    /// it has a length and any offset can be gone to; otherwise the body has no length.
    case quotedPrintable(isMeasured: Bool = false)
    /// The bytes as they are; one over 127 is an error, and so is NUL unless allowed (RFC 2045 §2.7).
    case sevenBit(allowsNUL: Bool = false)
    /// The bytes as they are, said to be lines of text.
    case eightBit
    /// The bytes as they are.
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

    /// The encoding of that name, in any case; `nil` when there is none.
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

    /// Whether the content goes out as it is and unchecked.
    package var isIdentity: Bool { self == .eightBit || self == .binary }
}
