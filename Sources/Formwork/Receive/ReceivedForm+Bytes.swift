extension ReceivedForm {
    /// Reads a multipart or url-encoded body in memory.
    ///
    /// ```swift
    /// let form = try ReceivedForm(body, contentType: "multipart/form-data; boundary=x")
    /// ```
    /// - Parameters:
    ///   - body: The whole body.
    ///   - contentType: The request's `Content-Type`; `nil`, for none, is an error.
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits of what is read.
    /// - Throws: What ``ReceivedParts`` throws for the same body.
    @inlinable
    public init(
        _ body: some BodyChunk, contentType: String?, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default
    ) throws(FormworkError) {
        self = try body.withBytes { bytes throws(FormworkError) in
            try ReceivedForm(reading: bytes, contentType, profile, limits)
        }
    }

    /// Reads a body in memory, copied once.
    /// - Throws: What ``ReceivedParts`` throws for the same body.
    @_disfavoredOverload
    public init(
        _ body: some Sequence<UInt8>, contentType: String?, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default
    ) throws(FormworkError) {
        try self.init(Array(body), contentType: contentType, profile: profile, limits: limits)
    }

    /// Reads a body from a string, as UTF-8.
    /// - Throws: What ``ReceivedParts`` throws for the same body.
    public init(
        _ body: String, contentType: String?, profile: ParsingProfile = .default, limits: ParsingLimits = .default
    ) throws(FormworkError) {
        try self.init(Array(body.utf8), contentType: contentType, profile: profile, limits: limits)
    }

    /// Whether a type is `application/x-www-form-urlencoded`, with any parameters (WHATWG defines none).
    @usableFromInline
    package static func isURLEncoded(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = "application/x-www-form-urlencoded"
        if contentType.hasSameBytes(as: type) { return true }
        var wanted = type.utf8.makeIterator()
        for byte in contentType.utf8 {
            if byte == 0x3B { break }
            if byte.isBlank { continue }
            let isLetter = (0x41...0x5A).contains(byte)
            guard (isLetter ? byte | 0x20 : byte) == wanted.next() else { return false }
        }
        return wanted.next() == nil
    }
}
