/// Watches a multipart body beside its parser, and says what probably happened to one that can't be read.
///
/// Pass it the chunks and the parser's events. The cause is a guess from the bytes seen, made without IO, so a command and
/// a server's log show the same sentence, one of those of ``Oddity/Severity/damage``. Text from the body is escaped and shortened.
/// About 5 KiB are stored.
package struct BodyDiagnosis: Sendable {
    /// The bytes of the start that are kept: enough for the first line, and to recognise other formats.
    static let headLimit = 1024
    /// The bytes of a part's content that are kept: enough to distinguish bytes from decoded text.
    static let sampleLimit = 4096

    /// The expected boundary; `nil` if there was none.
    var boundary: String?
    /// The message's `Content-Length`, in bytes; `nil` if it had none.
    package var contentLength: Int64?
    /// The message's `Content-Encoding`; `nil` if it had none.
    var contentEncoding: String?
    /// The number of bytes of the body so far.
    package private(set) var byteCount: Int64 = 0
    /// The number of parts with a complete header section.
    var parts = 0

    /// The first bytes of the body.
    private(set) var head: [UInt8] = []
    /// Damage in the content of a part, which may not have ended yet.
    var damage: Finding? {
        self.found
            ?? self.sampledType.flatMap { Self.inContent(self.sample, type: $0, part: self.parts) }
    }
    /// Damage in a part that has ended.
    private var found: Finding?
    /// The type of the part whose content is being sampled; `nil` for none.
    private var sampledType: String?
    private var sample: [UInt8] = []

    /// A diagnosis with the facts known before the first byte. Each may be set later.
    package init(boundary: String? = nil, contentLength: Int64? = nil, contentEncoding: String? = nil) {
        (self.boundary, self.contentLength) = (boundary, contentLength)
        self.contentEncoding = contentEncoding
    }

    /// A diagnosis with the facts known before the first byte, and the boundary of `parser`.
    package init(for parser: MultipartParser, contentLength: Int64? = nil, contentEncoding: String? = nil) {
        self.init(
            boundary: String(decoding: parser.boundary, as: UTF8.self), contentLength: contentLength,
            contentEncoding: contentEncoding)
    }

    /// Records the body's next bytes, which are also passed to the parser.
    mutating func take(_ chunk: RawSpan) {
        self.byteCount += Int64(chunk.byteCount)
        let count = min(chunk.byteCount, Self.headLimit - self.head.count)
        if count > 0 { self.head.append(chunk, 0..<count) }
    }

    /// Records the body's next bytes, which are also passed to the parser.
    package mutating func take(_ chunk: [UInt8]) { chunk.withRawSpan { self.take($0) } }

    /// Records an event of the parser for `chunk`.
    mutating func take(_ event: MultipartParser.Event, in chunk: RawSpan) {
        switch event {
        case .partBegan(let header):
            self.parts += 1
            self.sample = []
            self.sampledType = self.found == nil ? header.contentType.flatMap { $0.isBinaryType ? $0 : nil } : nil
        case .content(let range):
            guard self.sampledType != nil, self.sample.count < Self.sampleLimit else { return }
            let count = min(range.count, Self.sampleLimit - self.sample.count)
            self.sample.append(chunk, range.lowerBound..<range.lowerBound + count)
        case .heldContent(let bytes):
            guard self.sampledType != nil, self.sample.count < Self.sampleLimit else { return }
            self.sample += bytes
        case .partEnded:
            self.found = self.damage
            self.sampledType = nil
        case .finished, .needsInput: return
        }
    }

    /// Records an event of the parser for `chunk`.
    package mutating func take(_ event: MultipartParser.Event, in chunk: [UInt8]) {
        chunk.withRawSpan { self.take(event, in: $0) }
    }

    /// The probable cause of an error.
    /// - Parameter error: The parser's error; `nil` for a parsed body, of which only the content is checked.
    /// - Returns: `nil` if there is no indication, and for limits that were exceeded after the first part.
    package func finding(for error: FormworkError?) -> Finding? {
        guard let error else { return self.inChunks ?? self.damage }
        if self.byteCount == 0 {
            let length = self.contentLength.map { $0 > 0 ? ", but its Content-Length is \($0)" : "" } ?? ""
            return Finding(.emptyBody, length)
        }
        let inHead = self.parts == 0 ? self.inHead(error) : nil
        return inHead ?? self.inLineEnds(error) ?? self.damage ?? self.atEnd(error)
    }

    // MARK: Before the first part

    private func inHead(_ error: FormworkError) -> Finding? {
        self.inEncoding ?? self.inChunks ?? self.inBoundary(error) ?? self.inShape(HeadLine(self.head[...]).text)
    }

    /// A delimiter after a chunk's size. The parser takes the size for a preamble, and later sizes for content.
    private var inChunks: Finding? {
        let line = HeadLine(self.head[...])
        guard line.end == .crlf, Self.isChunkSize(line.text), line.rest.starts(with: [0x2D, 0x2D]) else { return nil }
        return Finding(.chunkedCoding, Self.shown(line.text))
    }

    private var inEncoding: Finding? {
        let magics = [("gzip", [0x1F, 0x8B]), ("zstd", [0x28, 0xB5, 0x2F, 0xFD])] as [(String, [UInt8])]
        if let magic = magics.first(where: { self.head.starts(with: $0.1) })?.0 {
            return Finding(.compressed, magic)
        }
        guard let encoding = self.contentEncoding, encoding.lowercased() != "identity", !encoding.isEmpty else {
            return nil
        }
        return Finding(.contentEncoded, Self.shown(encoding.utf8))
    }

    /// Compares the first line that begins with `--` with the boundary.
    private func inBoundary(_ error: FormworkError) -> Finding? {
        guard let boundary = self.boundary else { return nil }
        // The end of a line may still be on its way, and what has arrived of it says nothing about the boundary.
        let isWhole = error.code == .truncatedBody || self.byteCount > self.head.count
        var rest = isWhole ? self.head[...] : self.head[..<((self.head.lastIndex(of: 0x0A) ?? -1) + 1)]
        while !rest.isEmpty {
            let line = HeadLine(rest)
            rest = line.rest
            guard line.text.starts(with: [0x2D, 0x2D]), line.text.count > 2 else { continue }
            var found = line.text.dropFirst(2)
            while let last = found.last, last.isBlank { found.removeLast() }
            if found.elementsEqual(boundary.utf8) { return Self.inLineEnd(line.end) }
            if found.elementsEqual((boundary + "--").utf8) { return nil }
            return line.text.elementsEqual(boundary.utf8)
                ? Finding(.dashedBoundary, Self.shown(found))
                : Finding(.otherBoundary, Self.shown(line.text), Self.shown(boundary.utf8))
        }
        return nil
    }

    private func inShape(_ line: ArraySlice<UInt8>) -> Finding? {
        let text = self.head.drop { $0.isBlank || $0 == 0x0D || $0 == 0x0A }
        let words = line.split(separator: 0x20)
        let http = "HTTP/".utf8
        if words.first?.starts(with: http) ?? false || (words.count == 3 && words[2].starts(with: http)) {
            return Finding(.messageHead)
        }
        if Self.isBase64OfDelimiter(text) {
            return Finding(.base64)
        }
        switch text.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return Finding(.notMultipart, "JSON")
        case UInt8(ascii: "<"): return Finding(.notMultipart, "XML or HTML")
        default: break
        }
        let isURLEncoded = line.contains(0x3D) && self.head.prefix(256).allSatisfy { $0.isURLEncodedByte }
        return isURLEncoded ? Finding(.notMultipart, "url-encoded") : nil
    }

    /// Whether the bytes are Base64 of something that begins as a delimiter does.
    private static func isBase64OfDelimiter(_ text: ArraySlice<UInt8>) -> Bool {
        let start = text.prefix(64)
        guard start.count >= 16, start.starts(with: "LS".utf8), (0x30...0x33).contains(start[start.startIndex + 2])
        else {
            return false
        }
        return start.allSatisfy { $0.isLetterOrDigit || $0 == 0x2B || $0 == 0x2F || $0 == 0x3D }
    }

    private static func isChunkSize(_ line: ArraySlice<UInt8>) -> Bool {
        let digits = line.prefix { $0.hexDigit != nil }
        guard (1...16).contains(digits.count) else { return false }
        return digits.count == line.count || line[digits.endIndex] == 0x3B
    }

    // MARK: After the first part

    private func inLineEnds(_ error: FormworkError) -> Finding? {
        guard error.parsingFailure?.kind == .malformedHeader else { return nil }
        // The delimiter was recognised, so the line after it is the first that can show a conversion.
        let first = HeadLine(self.head[...])
        return Self.inLineEnd(HeadLine(first.rest).end)
    }

    private static func inLineEnd(_ end: HeadLine.End) -> Finding? {
        switch end {
        case .lf: Finding(.lostCarriageReturns)
        case .crcrlf: Finding(.doubledCarriageReturns)
        case .crlf, .none: nil
        }
    }

    private func atEnd(_ error: FormworkError) -> Finding? {
        // Another error may be long before the end.
        guard error.parsingFailure?.kind == .unexpectedEnd else { return nil }
        if let length = self.contentLength, length > self.byteCount {
            return Finding(.cut, ": only \(self.byteCount) of \(length, "byte") arrived")
        }
        return self.parts > 0 ? Finding(.cut, ", or its sender wrote no close delimiter") : nil
    }

    /// - Returns: `nil` for content that looks undamaged.
    private static func inContent(_ sample: [UInt8], type: String, part: Int) -> Finding? {
        guard let text = Self.text(of: sample) else { return nil }
        var (replaced, high, controls) = (0, 0, 0)
        var isLatin = true
        for scalar in text.unicodeScalars where !scalar.isASCII {
            high += 1
            if scalar.value == 0xFFFD { replaced += 1 }
            if (0x80...0x9F).contains(scalar.value) { controls += 1 }
            isLatin = isLatin && scalar.value <= 0xFF
        }
        let isLost = replaced >= 4 || sample.starts(with: [0xEF, 0xBF, 0xBD])
        guard isLost || isLatin && high >= 4 && controls > 0 else { return nil }
        return Finding(
            .decodedAsText, "\(part)", Self.shown(type.utf8),
            isLost ? "were replaced by U+FFFD and are lost" : "from 80 to FF were encoded as UTF-8")
    }

    /// The sample as text, without a character that its end cuts off; `nil` if it is not UTF-8.
    private static func text(of sample: [UInt8]) -> String? {
        let tail = sample.suffix(3).lastIndex { $0 >= 0xC0 }
        return String(validating: sample, as: UTF8.self)
            ?? tail.flatMap { String(validating: sample[..<$0], as: UTF8.self) }
    }

    /// Text from the body for a line on a terminal: escaped, at most 80 characters.
    private static func shown(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes.prefix(320), as: UTF8.self).withControlCharactersEscaped.shortened(to: 80)
    }
}

/// One line of a body's start.
private struct HeadLine {
    enum End { case crlf, lf, crcrlf, none }

    var text: ArraySlice<UInt8>
    var end: End
    var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        guard let lf = bytes.firstIndex(of: 0x0A) else {
            (self.text, self.end, self.rest) = (bytes, .none, [])
            return
        }
        self.rest = bytes[(lf + 1)...]
        self.text = bytes[..<lf]
        if self.text.last != 0x0D {
            self.end = .lf
        } else {
            self.text.removeLast()
            self.end = self.text.last == 0x0D ? .crcrlf : .crlf
            while self.text.last == 0x0D { self.text.removeLast() }
        }
    }
}

extension String {
    /// Whether a `Content-Type` is a binary type, which must not be decoded as text.
    fileprivate var isBinaryType: Bool {
        let type = self.prefix { $0 != ";" && $0 != " " }.lowercased()
        if type.hasSuffix("+xml") || type.hasSuffix("+json") { return false }
        if ["image/", "audio/", "video/", "font/"].contains(where: type.hasPrefix) { return true }
        let binary = ["octet-stream", "pdf", "zip", "gzip", "zstd", "wasm", "x-tar", "x-gzip", "x-7z-compressed"]
        return type.hasPrefix("application/") && binary.contains(String(type.dropFirst(12)))
    }
}

extension UInt8 {
    /// Whether the byte occurs in url-encoded forms, including square brackets and line ends.
    fileprivate var isURLEncodedByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x25, 0x26, 0x2A, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A, 0x3D, 0x40, 0x5B, 0x5D, 0x5F, 0x7E, 0x0D, 0x0A: true
        default: false
        }
    }
}
