import FormworkCore

/// Which bytes stay unescaped in url-encoded text, which are written as `%HH`, and how a space is written.
///
/// ASCII letters and digits are never escaped; bytes above 0x7F always are. Hexadecimal digits are upper case
/// (RFC 3986 section 2.1). `%` is escaped like any other byte, so text that is already encoded is encoded again.
public struct PercentEncoder: Hashable, Sendable {
    /// How a space is written.
    public enum Space: String, CaseIterable, Hashable, Sendable {
        /// `%20`, as in RFC 3986.
        case percent
        /// `+`, as in `application/x-www-form-urlencoded`.
        case plus
        /// Unescaped.
        case raw
    }

    /// For each byte its output: up to three bytes, the first one lowest, and their count in the top byte.
    private(set) var entries: [UInt32]
    /// False only in tables for a caller's own set, in which letters or digits are escaped.
    private(set) var leavesLetters: Bool

    /// Creates the table.
    /// - Parameters:
    ///   - unescaped: The ASCII characters to leave unescaped besides letters and digits; characters beyond ASCII are
    ///     escaped nevertheless. A space in it has no effect, and neither has `+` if a space is written as one.
    ///   - space: How a space is written.
    public init(leaving unescaped: String, space: Space = .percent) {
        let standing = Set(unescaped.utf8)
        // An unescaped plus would be read as a space.
        self.init(space: space) {
            $0.isLetterOrDigit || standing.contains($0) && ($0 != 0x2B || space != .plus)
        }
    }

    /// Creates a table for a caller's set of characters, which may lack letters and contain separators.
    /// - Parameter stands: Whether to leave a byte unescaped; called for all ASCII bytes except the space.
    package init(space: Space, where stands: (UInt8) -> Bool) {
        self.entries = (0...UInt8.max).map { byte in
            switch byte {
            case 0x20: Self.entry(of: space)
            case 0..<0x80 where stands(byte): 1 << 24 | UInt32(byte)
            default: Self.escape(byte)
            }
        }
        self.leavesLetters = (0..<0x80).allSatisfy { !$0.isLetterOrDigit || stands($0) }
    }

    /// `%2B` for a plus.
    private static func escape(_ byte: UInt8) -> UInt32 {
        let digit = { (value: UInt8) in UInt32(value < 10 ? 0x30 + value : 0x37 + value) }
        return 3 << 24 | digit(byte & 15) << 16 | digit(byte >> 4) << 8 | 0x25
    }

    private static func entry(of space: Space) -> UInt32 {
        switch space {
        case .percent: Self.escape(0x20)
        case .plus: 1 << 24 | 0x2B
        case .raw: 1 << 24 | 0x20
        }
    }

    /// The same table with another rule for the space.
    package func space(_ space: Space) -> PercentEncoder {
        var table = self
        table.entries[0x20] = Self.entry(of: space)
        // An unescaped plus would be read as a space.
        if space == .plus { table.entries[0x2B] = Self.escape(0x2B) }
        return table
    }

    /// The ASCII characters that stay unescaped, besides letters and digits.
    var unescaped: String {
        let standing = (UInt8(0)..<0x80).filter { byte in
            self.entries[Int(byte)] == 1 << 24 | UInt32(byte)
                && !(Unicode.Scalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte))
        }
        return String(decoding: standing, as: UTF8.self)
    }

    /// Escapes `text` as UTF-8: one pass, one allocation.
    public func encode(_ text: String) -> String {
        var output: [UInt8] = []
        output.append(escaping: text.utf8, self)
        return String(decoding: output, as: UTF8.self)
    }

    /// Escapes bytes of any encoding, such as GB 18030.
    public func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.append(escaping: bytes, self)
        return output
    }
}
