/// The value of an extended parameter, `charset'language'text` with `%XX` (RFC 8187 §3.2).
enum ExtendedValue {
    /// The text; `nil` for another charset than UTF-8 and ISO-8859-1, an invalid escape, bytes that are invalid in the
    /// charset, and text with NUL, CR or LF, which a plain value can't contain either.
    static func text(of value: ArraySlice<UInt8>) -> String? {
        let pieces = value.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        guard let bytes = pieces[2].percentDecoded(isLoose: false),
            !bytes.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D })
        else { return nil }
        switch String(decoding: pieces[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        default: return nil
        }
    }
}
