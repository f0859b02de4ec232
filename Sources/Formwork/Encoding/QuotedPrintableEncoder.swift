/// Quoted-printable (RFC 2045 §6.7) in lines of at most 76 characters, encoded in pieces. The result doesn't depend on
/// how the content is cut.
///
/// CRLF stays a line end, as in text. All other bytes that are not printable ASCII are encoded. A blank before a line
/// end or the end is encoded too, because mail servers would drop it.
struct QuotedPrintableEncoder: Sendable {
    private static let columns = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The number of characters in the current line.
    private(set) var column: Int
    /// Bytes whose encoding depends on the next bytes, at most 2.
    private var held: [UInt8] = []

    /// - Parameter column: The number of characters already in the current line.
    init(column: Int = 0) { self.column = column }

    /// The number of bytes that are not encoded yet.
    var heldCount: Int { self.held.count }

    /// Appends the encoded `input`, as far as its encoding is certain; at the end, everything.
    mutating func encode(_ input: [UInt8], isEnd: Bool, into out: inout [UInt8]) {
        let bytes = self.held.isEmpty ? input : self.held + input
        var at = 0
        while at < bytes.count {
            let byte = bytes[at]
            var isLiteral = (0x21...0x7E).contains(byte) && byte != 0x3D
            if byte.isBlank {
                guard let atLineEnd = Self.isLineEnd(bytes, at + 1, isEnd) else { break }
                isLiteral = !atLineEnd
            } else if byte == 0x0D {
                guard let isLineEnd = Self.isLineEnd(bytes, at, isEnd) else { break }
                if isLineEnd {
                    out.append("\r\n")
                    self.column = 0
                    at += 2
                    continue
                }
            }
            let end = self.column + (isLiteral ? 1 : 3)
            if end >= Self.columns {
                // Only the last character of a line may use the last column. Otherwise a soft line end needs it.
                guard let isLast = end > Self.columns ? false : Self.isLineEnd(bytes, at + 1, isEnd) else { break }
                if !isLast {
                    out.append("=\r\n")
                    self.column = 0
                    continue
                }
            }
            if isLiteral {
                out.append(byte)
            } else {
                out.append(0x3D)
                out.append(Self.digits[Int(byte >> 4)])
                out.append(Self.digits[Int(byte & 15)])
            }
            self.column = end
            at += 1
        }
        self.held = Array(bytes[at...])
    }

    /// Whether a line or the content ends at `index`; `nil` if that depends on the next bytes.
    private static func isLineEnd(_ bytes: [UInt8], _ index: Int, _ isEnd: Bool) -> Bool? {
        if index < bytes.count, bytes[index] != 0x0D { return false }
        if index + 1 < bytes.count { return bytes[index + 1] == 0x0A }
        return isEnd ? index >= bytes.count : nil
    }
}
