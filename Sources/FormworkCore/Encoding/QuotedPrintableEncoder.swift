/// RFC 2045 §6.7, piece by piece, in lines of at most 76 characters: the same bytes however the content is cut.
///
/// CRLF stays a line end, because that is what it means in text. Everything else that is not printable ASCII is
/// encoded, and so is a blank before a line end or the end, where mail servers would drop it.
package struct QuotedPrintableEncoder: Sendable {
    private static let columns = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Characters in the line begun.
    package private(set) var column: Int
    /// Bytes whose form depends on what follows, at most 2.
    private var held: [UInt8] = []

    /// - Parameter column: Characters in the line that is continued.
    package init(column: Int = 0) { self.column = column }

    /// How many of the bytes given so far have no form yet.
    package var heldCount: Int { self.held.count }

    /// Appends what `input` comes to, as far as its form is certain; at the end, everything.
    package mutating func encode(_ input: [UInt8], isEnd: Bool, into out: inout [UInt8]) {
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
                // The last column is free for a character that ends its line: else a soft line end needs it.
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

    /// Whether a line or everything ends at `index`; `nil` when the next bytes have to be known.
    private static func isLineEnd(_ bytes: [UInt8], _ index: Int, _ isEnd: Bool) -> Bool? {
        if index < bytes.count, bytes[index] != 0x0D { return false }
        if index + 1 < bytes.count { return bytes[index + 1] == 0x0A }
        return isEnd ? index >= bytes.count : nil
    }
}
