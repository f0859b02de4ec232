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
    @inlinable
    public init(
        _ body: some BodyChunk, contentType: String?, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default
    ) throws(FormworkError) {
        self = try body.withBytes { bytes throws(FormworkError) in
            try ReceivedForm(reading: bytes, contentType, profile, limits)
        }
    }

    /// Reads a whole body.
    @usableFromInline
    init(
        reading body: RawSpan, _ contentType: String?, _ profile: ParsingProfile, _ limits: ParsingLimits
    ) throws(FormworkError) {
        if Self.isURLEncoded(contentType) {
            let text = [UInt8](copying: body, 0..<body.byteCount)
            try self.init(urlEncoded: text, limits: limits, byteLimit: Int(clamping: limits.totalBytes))
            return
        }
        let parser = try MultipartParser(ofRequest: contentType, profile: profile, limits: limits)
        var machine = PartsMachine(parser, ReceivingDeadlines())
        var collector = FormCollector(.none)
        machine.begin()
        do throws(FormworkError) {
            switch try collector.advance(&machine, in: body) {
            case .finished: break
            // Nothing is written: memory has no limit.
            case .needsChunk, .writes, .writesHeld: try machine.finish()
            }
        } catch {
            throw machine.named(error, in: body)
        }
        self.init(entries: collector.entriesInMemory)
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
        var wanted = "application/x-www-form-urlencoded".utf8.makeIterator()
        for byte in contentType.utf8 {
            if byte == 0x3B { break }
            if byte.isBlank { continue }
            let isLetter = (0x41...0x5A).contains(byte)
            guard (isLetter ? byte | 0x20 : byte) == wanted.next() else { return false }
        }
        return wanted.next() == nil
    }

    /// Reads url-encoded text. Its pairs become fields.
    /// - Parameters:
    ///   - byteLimit: The most bytes of the text.
    ///   - memory: The most bytes of memory for its pairs.
    @usableFromInline
    package init(
        urlEncoded text: [UInt8], limits: ParsingLimits, byteLimit: Int, memory: Int = .max
    ) throws(FormworkError) {
        let rules = URLEncodedParsing(
            limits: URLEncodedLimits(
                bytes: byteLimit, pairs: Swift.min(limits.fields, limits.parts), pairBytes: byteLimit))
        let pairs = try URLEncodedPairs(text, rules: rules)
        var entries: [Entry] = []
        entries.reserveCapacity(pairs.count)
        var left = memory
        for (index, pair) in pairs.enumerated() {
            try Self.check(pair, index, limits)
            left -= CollectingLimits.partOverhead + pair.nameBytes.count + (pair.valueBytes?.count ?? 0)
            guard left >= 0 else { throw CollectingLimit.form(left: 0, of: memory).formError }
            entries.append(Entry(fieldNamed: pair.nameBytes, pair.valueBytes ?? []))
        }
        self.init(entries: entries)
    }

    private static func check(
        _ pair: URLEncodedPairs.Element, _ index: Int, _ limits: ParsingLimits
    ) throws(FormworkError) {
        if pair.nameBytes.count > limits.nameBytes {
            throw ParsingFailure(.nameBytesLimit, limit: Int64(limits.nameBytes)).error(
                "A field's name has \(pair.nameBytes.count, "byte"): the limit is \(limits.nameBytes).", at: nil)
        }
        if let count = pair.valueBytes?.count, Int64(count) > limits.fieldBytes {
            throw ParsingFailure(.fieldBytesLimit, limit: limits.fieldBytes)
                .error("the content has \(count, "byte"): the limit is \(limits.fieldBytes)", at: nil)
                .naming(PartReference(index: index, name: pair.name))
        }
    }
}
