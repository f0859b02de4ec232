import FormworkCore
import FormworkURLEncoded

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
    public init(
        _ body: some BodyChunk, contentType: String?, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default
    ) throws(FormworkError) {
        if Self.isURLEncoded(contentType) {
            try self.init(urlEncoded: body.array, limits: limits, byteLimit: Int(clamping: limits.totalBytes))
            return
        }
        let parser = try MultipartParser(ofRequest: contentType, profile: profile, limits: limits)
        var machine = PartsMachine(parser, ReceivingDeadlines())
        let parts = try body.withBytes { bytes throws(FormworkError) in
            machine.begin(bytes)
            do throws(FormworkError) { return try machine.allParts(of: bytes) } catch { throw machine.named(error) }
        }
        self.init(parts)
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
    package static func isURLEncoded(_ contentType: String?) -> Bool {
        let type = contentType?.prefix { $0 != ";" } ?? ""
        return type.filter { $0 != " " && $0 != "\t" }.lowercased() == "application/x-www-form-urlencoded"
    }

    /// Reads url-encoded text. Its pairs become fields.
    /// - Parameter byteLimit: The most bytes of the text.
    package init(urlEncoded text: [UInt8], limits: ParsingLimits, byteLimit: Int) throws(FormworkError) {
        let rules = URLEncodedParsing(
            limits: URLEncodedLimits(
                bytes: byteLimit, pairs: Swift.min(limits.fields, limits.parts), pairBytes: byteLimit))
        let pairs = try URLEncodedPairs(text, rules: rules)
        for (index, pair) in pairs.enumerated() { try Self.check(pair, index, limits) }
        self.init(fields: pairs.lazy.map { ($0.nameBytes, $0.valueBytes ?? []) })
    }

    private static func check(
        _ pair: URLEncodedPairs.Element, _ index: Int, _ limits: ParsingLimits
    ) throws(FormworkError) {
        if pair.nameBytes.count > limits.nameBytes {
            throw ParsingFailure(.nameBytesLimit, limit: Int64(limits.nameBytes)).error(
                "A field's name has \(pair.nameBytes.count) bytes: the limit is \(limits.nameBytes).", at: nil)
        }
        if let count = pair.valueBytes?.count, Int64(count) > limits.fieldBytes {
            throw ParsingFailure(.fieldBytesLimit, limit: limits.fieldBytes)
                .error("the content has \(count) bytes: the limit is \(limits.fieldBytes)", at: nil)
                .naming(PartReference(index: index, name: pair.name))
        }
    }
}

extension PartsMachine {
    /// The parts of a complete body.
    fileprivate mutating func allParts(
        of body: RawSpan
    ) throws(FormworkError) -> [(header: ReceivedHeader, content: CollectedContent)] {
        var parts: [(header: ReceivedHeader, content: CollectedContent)] = []
        while true {
            switch try self.nextPart(in: body) {
            case .part(let header):
                var bytes: [UInt8] = []
                if try !self.collect(into: &bytes, upTo: .content(.max), in: body) { try self.finish() }
                parts.append((header, CollectedContent(bytes)))
            case .needsChunk: try self.finish()
            case .finished: return parts
            }
            if self.isFinished { return parts }
        }
    }
}
