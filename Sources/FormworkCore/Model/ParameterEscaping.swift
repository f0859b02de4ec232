/// How a part's name and filename are written between quotes in `Content-Disposition`.
///
/// Text is sent as UTF-8. Every rule but ``raw`` refuses NUL, because C programs would cut the name there.
public enum ParameterEscaping: String, Hashable, Sendable, Codable, CaseIterable {
    /// `"` as `%22`, CR as `%0D`, LF as `%0A`, nothing else, as browsers, curl, requests and undici do.
    ///
    /// Source: WHATWG HTML, "escape a multipart/form-data name". `%` is not escaped, so a receiver can't distinguish a
    /// name with `%22` from one with a quote.
    case whatwg
    /// `"` as `\"` and `\` as `\\`, as curl's `--form-escape` and Go do. CR and LF are refused.
    case backslash
    /// As ``backslash``, but CR and LF are sent unescaped and break the framing, as with `--form-escape` of curl 7.81
    /// to 8.21. Only to reproduce its bytes.
    case backslashUnchecked
    /// A name with `"`, `\`, CR or LF is an error, for receivers whose decoding is unknown.
    case refuse
    /// The unescaped bytes. A quote or a line end in a name breaks the framing.
    ///
    /// AFNetworking and Alamofire do this. Use it only to reproduce their bytes, for names that you wrote yourself.
    case raw

    /// Appends `text` escaped; `role` names it in errors.
    package func append(_ text: String, as role: String, to bytes: inout [UInt8]) throws(FormworkError) {
        if self.leaves(text) { return bytes.append(text) }
        for byte in text.utf8 {
            switch (byte, self) {
            case (0x00, _): throw self.refusal(role, text, "NUL")
            case (0x22, .whatwg): bytes.append("%22")
            case (0x0D, .whatwg): bytes.append("%0D")
            case (0x0A, .whatwg): bytes.append("%0A")
            case (0x22, .backslash), (0x22, .backslashUnchecked): bytes.append("\\\"")
            case (0x5C, .backslash), (0x5C, .backslashUnchecked): bytes.append("\\\\")
            case (0x0D, .backslashUnchecked), (0x0A, .backslashUnchecked): bytes.append(byte)
            case (0x0D, _), (0x0A, _): throw self.refusal(role, text, "a line end")
            case (0x22, .refuse): throw self.refusal(role, text, "a quote")
            case (0x5C, .refuse): throw self.refusal(role, text, "a backslash")
            default: bytes.append(byte)
            }
        }
    }

    /// Whether ``append(_:as:to:)`` appends the text as it is.
    func leaves(_ text: String) -> Bool {
        // The first check is fast, and enough for most names.
        text.isAboveQuoteWithoutBackslash || self == .raw || !text.utf8.contains(where: \.mayNeedEscaping)
    }

    private func refusal(_ role: String, _ text: String, _ what: String) -> FormworkError {
        FormworkError(
            .invalidArgument,
            "The \(role) \"\(text)\" contains \(what), which the escaping rule \"\(self.rawValue)\" refuses: rename it"
                + (self == .whatwg ? "." : " or use the rule \"whatwg\"."))
    }
}

extension UInt8 {
    /// Whether some rule changes or refuses the byte.
    @inline(__always) fileprivate var mayNeedEscaping: Bool {
        self == 0x22 || self == 0x5C || self == 0x0D || self == 0x0A || self == 0x00
    }
}
