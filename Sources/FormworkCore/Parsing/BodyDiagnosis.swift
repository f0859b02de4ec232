/// The probable reason why a multipart body could not be read, for the person who has to fix it.
///
/// It is a guess from the bytes seen, made without IO, so a command and a server's log show the same sentence. Text
/// from the body is escaped and shortened.
public struct BodyDiagnosis: Hashable, Sendable, CustomStringConvertible {
    /// A kind of damage. More may be added, so a `switch` needs a `default`.
    public struct Cause: Hashable, Sendable, RawRepresentable {
        /// The kind's name, usable as a metrics label.
        public let rawValue: String
        /// A kind with a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There are no bytes: something had read the body before, or it was never sent.
        public static let emptyBody = Self(rawValue: "emptyBody")
        /// The body is JSON, url-encoded, XML, or starts with the head of an HTTP message.
        public static let notMultipart = Self(rawValue: "notMultipart")
        /// The body is still compressed.
        public static let contentEncoded = Self(rawValue: "contentEncoded")
        /// The body is still encoded with Base64, in which API gateways pass it.
        public static let base64 = Self(rawValue: "base64")
        /// The body still has HTTP's chunk sizes.
        public static let chunkedCoding = Self(rawValue: "chunkedCoding")
        /// The body's first line has another boundary than the header.
        public static let otherBoundary = Self(rawValue: "otherBoundary")
        /// Lines end with LF only, which ``ParsingProfile/lenient`` reads: a conversion of line ends removed the CRs.
        public static let bareLineFeeds = Self(rawValue: "bareLineFeeds")
        /// Lines end with CR CR LF: a conversion of line ends replaced LF by CRLF.
        public static let doubledCarriageReturns = Self(rawValue: "doubledCarriageReturns")
        /// The body was cut off.
        public static let cut = Self(rawValue: "cut")
        /// Content was decoded as text and encoded again, so its bytes are lost or doubled.
        public static let decodedAsText = Self(rawValue: "decodedAsText")
    }

    /// The cause, for decisions in code.
    public var cause: Cause
    /// One sentence without a full stop.
    public var description: String

    init(_ cause: Cause, _ description: String) {
        (self.cause, self.description) = (cause, description)
    }

    /// Looks for a probable cause.
    /// - Parameters:
    ///   - error: The parser's error; `nil` for a parsed body, of which only the content is checked.
    ///   - seen: What was received.
    /// - Returns: `nil` if there is no indication, and for limits that were exceeded after the first part.
    public init?(of error: FormworkError?, in seen: BodyObservation) {
        guard let error else {
            guard let diagnosis = Self.ofChunks(seen) ?? seen.damage else { return nil }
            self = diagnosis
            return
        }
        if seen.byteCount == 0 {
            let length = seen.contentLength.map { $0 > 0 ? ", but its Content-Length is \($0)" : "" } ?? ""
            self.init(
                .emptyBody, "the body has no bytes\(length): something has read it before, or it was never sent")
        } else if seen.parts == 0, let diagnosis = Self.ofHead(error, seen) {
            self = diagnosis
        } else if let diagnosis = Self.ofLineEnds(error, seen) ?? seen.damage ?? Self.ofEnd(error, seen) {
            self = diagnosis
        } else {
            return nil
        }
    }

    // MARK: Before the first part

    private static func ofHead(_ error: FormworkError, _ seen: BodyObservation) -> Self? {
        if let encoded = self.ofEncoding(seen) { return encoded }
        if let diagnosis = self.ofChunks(seen) ?? self.ofBoundary(error, seen) { return diagnosis }
        return self.ofShape(HeadLine(seen.head[...]).text, seen.head)
    }

    /// A delimiter after a chunk's size. The parser takes the size for a preamble, and later sizes for content.
    private static func ofChunks(_ seen: BodyObservation) -> Self? {
        let line = HeadLine(seen.head[...])
        guard line.end == .crlf, self.isChunkSize(line.text), line.rest.starts(with: [0x2D, 0x2D]) else { return nil }
        let size = self.shown(line.text)
        return Self(.chunkedCoding, "its first line, \"\(size)\", is a chunk's size: decode the chunked coding first")
    }

    private static func ofEncoding(_ seen: BodyObservation) -> Self? {
        let magic: String? =
            if seen.head.starts(with: [0x1F, 0x8B]) {
                "gzip"
            } else if seen.head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
                "zstd"
            } else {
                nil
            }
        if let magic { return Self(.contentEncoded, "it is compressed with \(magic): decompress it first") }
        guard let encoding = seen.contentEncoding, encoding.lowercased() != "identity", !encoding.isEmpty else {
            return nil
        }
        return Self(
            .contentEncoded, "its Content-Encoding is \(self.shown(Array(encoding.utf8)[...])): decode it first")
    }

    /// Compares the first line that begins with `--` with the boundary.
    private static func ofBoundary(_ error: FormworkError, _ seen: BodyObservation) -> Self? {
        guard let boundary = seen.boundary else { return nil }
        // The end of a line may still be on its way, and what has arrived of it says nothing about the boundary.
        let isWhole = error.code == .truncatedBody || seen.byteCount > seen.head.count
        var rest = isWhole ? seen.head[...] : seen.head[..<((seen.head.lastIndex(of: 0x0A) ?? -1) + 1)]
        while !rest.isEmpty {
            let line = HeadLine(rest)
            rest = line.rest
            guard line.text.starts(with: [0x2D, 0x2D]), line.text.count > 2 else { continue }
            var found = line.text.dropFirst(2)
            while let last = found.last, last.isBlank { found.removeLast() }
            if found.elementsEqual(boundary.utf8) { return self.ofLineEnd(line.end) }
            if found.elementsEqual((boundary + "--").utf8) { return nil }
            if line.text.elementsEqual(boundary.utf8) {
                return Self(
                    .otherBoundary,
                    "the boundary is given with the two dashes that begin a delimiter: it is "
                        + "\"\(self.shown(found))\"")
            }
            return Self(
                .otherBoundary,
                "its first line is \"\(self.shown(line.text))\", but the boundary is given as "
                    + "\"\(self.shown(Array(boundary.utf8)[...]))\"")
        }
        return nil
    }

    private static func ofShape(_ line: ArraySlice<UInt8>, _ head: [UInt8]) -> Self? {
        let text = head.drop { $0.isBlank || $0 == 0x0D || $0 == 0x0A }
        let words = line.split(separator: 0x20)
        let http = "HTTP/".utf8
        if words.first?.starts(with: http) ?? false || (words.count == 3 && words[2].starts(with: http)) {
            return Self(.notMultipart, "it begins with the head of an HTTP message: remove it first")
        }
        if self.isBase64OfDelimiter(text) {
            return Self(.base64, "it is encoded with Base64, as API gateways pass it: decode it first")
        }
        switch text.first {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return Self(.notMultipart, "it is JSON, not multipart")
        case UInt8(ascii: "<"): return Self(.notMultipart, "it is XML or HTML, not multipart")
        default: break
        }
        let isURLEncoded =
            line.contains(0x3D) && head.prefix(256).allSatisfy { $0.isURLEncodedByte }
        return isURLEncoded ? Self(.notMultipart, "it is url-encoded, not multipart") : nil
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

    private static func ofLineEnds(_ error: FormworkError, _ seen: BodyObservation) -> Self? {
        guard error.parsingFailure?.kind == .malformedHeader else { return nil }
        // The delimiter was recognised, so the line after it is the first that can show a conversion.
        let first = HeadLine(seen.head[...])
        return self.ofLineEnd(HeadLine(first.rest).end)
    }

    private static func ofLineEnd(_ end: HeadLine.End) -> Self? {
        switch end {
        case .lf:
            Self(.bareLineFeeds, "its lines end with LF instead of CRLF: it went through a conversion of line ends")
        case .crcrlf:
            Self(.doubledCarriageReturns, "its lines end with CR CR LF: LF became CRLF in a body that had CRLF already")
        case .crlf, .none: nil
        }
    }

    private static func ofEnd(_ error: FormworkError, _ seen: BodyObservation) -> Self? {
        if let length = seen.contentLength, length > seen.byteCount {
            return Self(.cut, "it was cut off: only \(seen.byteCount) of \(length, "byte") arrived")
        }
        guard error.parsingFailure?.kind == .unexpectedEnd, seen.parts > 0 else { return nil }
        return Self(.cut, "it was cut off, or its sender wrote no close delimiter")
    }

    /// - Returns: `nil` for content that looks undamaged.
    init?(ofContent sample: [UInt8], type: String, part: Int) {
        guard let text = Self.text(of: sample) else { return nil }
        var (replaced, high, controls) = (0, 0, 0)
        var isLatin = true
        for scalar in text.unicodeScalars where !scalar.isASCII {
            high += 1
            if scalar.value == 0xFFFD { replaced += 1 }
            if (0x80...0x9F).contains(scalar.value) { controls += 1 }
            isLatin = isLatin && scalar.value <= 0xFF
        }
        let what = "part \(part) (\(Self.shown(Array(type.utf8)[...]))) was decoded as text on its way"
        if replaced >= 4 || sample.starts(with: [0xEF, 0xBF, 0xBD]) {
            self.init(.decodedAsText, "\(what): its bytes were replaced by U+FFFD and are lost")
        } else if isLatin, high >= 4, controls > 0 {
            self.init(.decodedAsText, "\(what): its bytes from 80 to FF were encoded as UTF-8")
        } else {
            return nil
        }
    }

    /// The sample as text, without a character that its end cuts off; `nil` if it is not UTF-8.
    private static func text(of sample: [UInt8]) -> String? {
        let tail = sample.suffix(3).lastIndex { $0 >= 0xC0 }
        return String(validating: sample, as: UTF8.self)
            ?? tail.flatMap { String(validating: sample[..<$0], as: UTF8.self) }
    }

    /// Text from the body for a line on a terminal: escaped, at most 80 characters.
    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
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
