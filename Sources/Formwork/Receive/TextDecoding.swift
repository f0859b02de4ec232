/// The accepted charsets of received text fields.
///
/// A field declares its charset with the parameter `charset` of its `Content-Type` (RFC 7578 §5.1.2). A field named
/// `_charset_` declares it for all fields of the form (§4.6). Other text is UTF-8, and names of fields always are.
public struct TextDecoding: Sendable {
    /// UTF-8, US-ASCII, and ISO-8859-1, which is read as windows-1252, as in browsers (WHATWG Encoding).
    public static let standard = TextDecoding { _ in nil }

    private let other: @Sendable (_ charset: String) -> (@Sendable ([UInt8]) -> String?)?

    /// Adds charsets to those of ``standard``.
    /// - Parameter find: Returns the decoder for a charset's name in lower case, or `nil` for an unknown charset. The
    ///   decoder returns `nil` for invalid bytes.
    public init(adding find: @escaping @Sendable (_ charset: String) -> (@Sendable ([UInt8]) -> String?)?) {
        self.other = find
    }

    /// Decodes text, or throws.
    package func text(_ bytes: [UInt8], _ charset: String?) throws(FormworkError) -> String {
        // Nearly all text; the rest finds a closure first.
        if charset == nil, let text = bytes.validText { return text }
        let decode: (@Sendable ([UInt8]) -> String?)? =
            switch charset {
            case nil, "utf-8"?, "utf8"?: { String(validating: $0, as: UTF8.self) }
            case "us-ascii"?, "ascii"?: { String(validating: $0, as: Unicode.ASCII.self) }
            case "iso-8859-1"?, "iso8859-1"?, "iso_8859-1"?, "latin1"?, "l1"?, "windows-1252"?, "cp1252"?, "x-cp1252"?:
                Self.windows1252
            case let charset?: self.other(charset)
            }
        if let text = decode?(bytes) { return text }
        let shown = (charset ?? "UTF-8").withControlCharactersEscaped
        guard decode != nil else {
            throw FormworkError(
                .malformedBody,
                "The charset \"\(shown)\" of the text isn't known: send UTF-8, or use a TextDecoding that includes it"
            )
        }
        throw FormworkError(.malformedBody, "The text is not valid \(shown)")
    }

    /// Decodes text. Invalid text is decoded as UTF-8 and repaired, as in WHATWG.
    @usableFromInline
    func repaired(_ bytes: [UInt8], _ charset: String?) -> String {
        if charset == nil { return String(decoding: bytes, as: UTF8.self) }
        return (try? self.text(bytes, charset)) ?? String(decoding: bytes, as: UTF8.self)
    }

    @usableFromInline
    static func repaired(_ bytes: [UInt8], of header: ReceivedHeader) -> String {
        Self.standard.repaired(bytes, header.charset)
    }

    /// WHATWG's table. The five bytes that windows-1252 doesn't define are control characters, so every byte is valid.
    private static func windows1252(_ bytes: [UInt8]) -> String? {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(byte >> 5 == 4 ? Self.high[Int(byte & 31)] : Unicode.Scalar(byte)) }
        return String(text)
    }

    /// The characters of the bytes 80 to 9F.
    private static let high =
        Array(
            "\u{20AC}\u{81}\u{201A}\u{192}\u{201E}\u{2026}\u{2020}\u{2021}\u{2C6}\u{2030}\u{160}\u{2039}\u{152}\u{8D}\u{17D}\u{8F}"
                .unicodeScalars)
        + Array(
            "\u{90}\u{2018}\u{2019}\u{201C}\u{201D}\u{2022}\u{2013}\u{2014}\u{2DC}\u{2122}\u{161}\u{203A}\u{153}\u{9D}\u{17E}\u{178}"
                .unicodeScalars)
}
