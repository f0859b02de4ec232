/// Base64 (RFC 2045 §6.8), encoded in pieces. There is a CRLF between lines, none after the last.
package struct Base64Encoder: Sendable {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The number of characters in a full line.
    private let columns: Int
    /// The number of characters in the current line.
    private var column = 0
    /// The bytes of the incomplete group, at most 2.
    private var held: [UInt8] = []

    /// - Parameter columns: A multiple of 4, at least 4; `nil` for one line.
    package init(columns: Int?) { self.columns = columns ?? .max }

    /// Appends the encoded `input`; at the end, the incomplete group too.
    package mutating func encode(_ input: [UInt8], isEnd: Bool, into out: inout [UInt8]) {
        let bytes = self.held.isEmpty ? input : self.held + input
        let whole = bytes.count - bytes.count % 3
        self.append(groupsOf: bytes, upTo: whole, to: &out)
        self.held = Array(bytes[whole...])
        guard isEnd, !self.held.isEmpty else { return }
        let count = self.held.count
        self.append(groupsOf: self.held + [0, 0], upTo: 3, to: &out)
        for place in count + 1..<4 { out[out.count - 4 + place] = UInt8(ascii: "=") }
        self.held = []
    }

    private mutating func append(groupsOf bytes: [UInt8], upTo end: Int, to out: inout [UInt8]) {
        let groups = end / 3
        guard groups > 0 else { return }
        var at = out.count
        let room = groups * 4 + (self.columns == .max ? 0 : (groups * 4 / self.columns + 1) * 2)
        out.append(contentsOf: [UInt8](repeating: 0, count: room))
        var column = self.column
        var target = out.mutableSpan
        let (source, alphabet) = (bytes.span, Self.alphabet.span)
        for start in stride(from: 0, to: end, by: 3) {
            if column == self.columns {
                target[at] = 0x0D
                target[at + 1] = 0x0A
                at += 2
                column = 0
            }
            let bits = UInt32(source[start]) << 16 | UInt32(source[start + 1]) << 8 | UInt32(source[start + 2])
            target[at] = alphabet[Int(bits >> 18)]
            target[at + 1] = alphabet[Int(bits >> 12 & 63)]
            target[at + 2] = alphabet[Int(bits >> 6 & 63)]
            target[at + 3] = alphabet[Int(bits & 63)]
            at += 4
            column += 4
        }
        self.column = column
        out.removeSubrange(at...)
    }

    /// The number of characters for `count` bytes, including line ends.
    /// - Throws: ``FormworkError/Code/invalidArgument`` if that exceeds the largest length.
    package static func encodedLength(of count: Int64, columns: Int?) throws(FormworkError) -> Int64 {
        guard count > 0 else { return 0 }
        let (characters, overflow) = ((count - 1) / 3 + 1).multipliedReportingOverflow(by: 4)
        guard !overflow else { throw FormworkError(.invalidArgument, "The body is longer than 2^63 - 1 bytes.") }
        guard let columns else { return characters }
        return try characters.addingLength((characters - 1) / Int64(columns) * 2)
    }

    /// The best start for the character at `offset`: a byte of the content, and the number of characters to skip from
    /// an encoder that begins there.
    package static func place(of offset: Int64, columns: Int?) -> (content: Int64, surplus: Int64) {
        guard let columns = columns.map(Int64.init) else { return (offset / 4 * 3, offset % 4) }
        return (offset / (columns + 2) * (columns / 4 * 3), offset % (columns + 2))
    }
}

extension Int64 {
    /// The sum of two lengths.
    /// - Throws: ``FormworkError/Code/invalidArgument`` if it exceeds the largest length.
    package func addingLength(_ other: Int64) throws(FormworkError) -> Int64 {
        let (sum, overflow) = self.addingReportingOverflow(other)
        guard !overflow else { throw FormworkError(.invalidArgument, "The body is longer than 2^63 - 1 bytes.") }
        return sum
    }
}
