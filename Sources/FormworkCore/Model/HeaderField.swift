/// One header field of a body part. It is checked, so it can't end its line or begin another one.
public struct HeaderField: Hashable, Sendable {
    /// The field's name, a token (RFC 9110 §5.1). Receivers ignore its case.
    public let name: String
    /// The field's value without surrounding blanks (RFC 9110 §5.5), sent as UTF-8.
    public let value: String
    /// The whole line as curl sends it, unchecked; `nil` for every other field.
    package let verbatimLine: [UInt8]?

    /// Makes a field, and checks it.
    /// - Throws: ``FormworkError/Code/invalidArgument`` if the name is not a token, or the value contains CR, LF, NUL
    ///   or another control character than TAB, or begins or ends with a blank.
    public init(_ name: String, _ value: String) throws(FormworkError) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else {
            throw FormworkError(
                .invalidArgument,
                "The header field name \"\(name)\" is not a token: use only letters, digits and !#$%&'*+-.^_`|~.")
        }
        try FormworkError.checkFieldValue(value, of: name)
        self.name = name
        self.value = value
        self.verbatimLine = nil
    }

    /// Reads a header line, `Name: value`.
    /// - Throws: What ``init(_:_:)`` throws, also for a line without a colon.
    public init(line: String) throws(FormworkError) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw FormworkError(.invalidArgument, "the header \"\(line)\" has no ':': write Name: value")
        }
        // Bytes, not Characters: a combining mark after the colon would be removed with it.
        var value = line[colon...].utf8.dropFirst()
        while value.first?.isBlank ?? false { value.removeFirst() }
        while value.last?.isBlank ?? false { value.removeLast() }
        try self.init(String(line[..<colon]), String(Substring(value)))
    }

    /// An unchecked header line, as curl sends it. Only to reproduce its bytes.
    package init(verbatim line: [UInt8]) {
        self.name = ""
        self.value = String(decoding: line, as: UTF8.self)
        self.verbatimLine = line
    }

    /// Whether a verbatim line has the name `name`, as curl compares it: up to the colon, in any case.
    package func replaces(_ name: String) -> Bool {
        guard let line = self.verbatimLine, line.dropFirst(name.utf8.count).first == UInt8(ascii: ":") else {
            return false
        }
        return String(decoding: line.prefix(name.utf8.count), as: UTF8.self).lowercased() == name.lowercased()
    }

    /// Whether this is the field `name`, in any case.
    package func isNamed(_ name: String) -> Bool {
        self.name.utf8.count == name.utf8.count && self.name.lowercased() == name.lowercased()
    }
}

extension HeaderField: Codable {
    private enum CodingKeys: CodingKey { case name, value }

    /// Reads a field and checks it as ``init(_:_:)`` does.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try self.init(
            container.decode(String.self, forKey: .name), container.decode(String.self, forKey: .value))
    }
}

extension FormworkError {
    /// Checks a header field value from a caller (RFC 9110 §5.5).
    static func checkFieldValue(_ value: String, of name: String) throws(FormworkError) {
        if let bad = value.utf8.first(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
            let what = String(Unicode.Scalar(bad)).withControlCharactersEscaped
            throw FormworkError(
                .invalidArgument,
                "The value of \(name) contains the control character \(what), which could end the header: remove it.")
        }
        if let first = value.utf8.first, let last = value.utf8.last, first.isBlank || last.isBlank {
            throw FormworkError(.invalidArgument, "The value of \(name) begins or ends with a blank: trim it.")
        }
    }
}

extension UInt8 {
    /// RFC 9110 §5.6.2 `tchar`.
    @inline(__always)
    package var isTokenByte: Bool {
        // Bit N of the first word is byte N, of the second byte 64 + N: `!#$%&'*+-.`, digits; letters and `^_`|~`.
        let (low, high): (UInt64, UInt64) = (0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
        return self < 0x80 && (self < 0x40 ? low : high) >> UInt64(self & 0x3F) & 1 == 1
    }

    /// SP or TAB.
    package var isBlank: Bool { self == 0x20 || self == 0x09 }
    /// SP, TAB, LF, VT, FF and CR.
    package var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
