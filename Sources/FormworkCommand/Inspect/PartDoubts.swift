#if Command
import Formwork
import FormworkCore

/// What may be wrong with a body that could be read: delimiters that aren't any, and quotes that end too early.
struct PartDoubts {
    private let delimiter: String
    private var preamble: StrayDelimiter
    private var content: StrayDelimiter
    private var epilogue: StrayDelimiter
    private var hasByteOrderMark = false
    /// A warning that an encoded part is listed as it was sent; `nil` without one. It isn't a doubt: every receiver finds
    /// the same parts.
    private(set) var encodedPart: String?
    /// The offset of the bytes that arrive next, before the first part.
    private var offset: Int64 = 0
    private var part = 0
    /// The offset of the part's next content.
    private var contentOffset: Int64 = 0
    /// The part whose content holds the stray delimiter.
    private var strayPart = 0
    /// The first name with a quote that isn't escaped, and the first `filename*` that can't be read.
    private var bareQuote, extendedFilename: String?

    init(_ parser: MultipartParser) {
        (self.preamble, self.content) = (StrayDelimiter(of: parser), StrayDelimiter(of: parser))
        self.epilogue = StrayDelimiter(of: parser, isInEpilogue: true)
        self.delimiter = String(decoding: parser.delimiter.dropFirst(2), as: UTF8.self)
    }

    /// Looks at bytes before the first part; the first part may begin in them.
    mutating func take(preamble chunk: [UInt8]) {
        if self.offset == 0 { self.hasByteOrderMark = chunk.starts(with: [0xEF, 0xBB, 0xBF]) }
        chunk.withRawSpan { self.preamble.take($0, 0..<$0.byteCount, at: self.offset) }
        self.offset += Int64(chunk.count)
    }

    /// Looks at bytes after the close delimiter.
    mutating func take(epilogue chunk: [UInt8], from start: Int, at offset: Int64) {
        chunk.withRawSpan { self.epilogue.take($0, start..<$0.byteCount, at: offset) }
    }

    /// - Parameter offset: The place of the part's content in the body.
    mutating func begin(_ header: ReceivedHeader, at offset: Int64) {
        self.part += 1
        self.contentOffset = offset
        self.content.restart()
        let encoding = header.values(of: "Content-Transfer-Encoding").last?.asciiLowercased ?? []
        if self.encodedPart == nil, encoding == Array("base64".utf8) || encoding == Array("quoted-printable".utf8) {
            self.encodedPart =
                "the content of part \(self.part) is encoded (Content-Transfer-Encoding: "
                + "\(String(decoding: encoding, as: UTF8.self))), and is listed and extracted as it was sent: RFC 7578 "
                + "deprecates that in forms"
        }
        for (role, bytes) in [("name", header.nameBytes), ("filename", header.filenameBytes)]
        where self.bareQuote == nil && bytes?.hasBareQuote ?? false {
            let text = String(decoding: (bytes ?? []).prefix(80), as: UTF8.self)
            self.bareQuote =
                "the \(role) of part \(self.part), \"\(text)\", has a quote that isn't escaped, and other receivers end it "
                + "there: write %22"
        }
        if self.extendedFilename == nil, let bytes = header.extendedFilenameBytes, header.extendedFilename == nil {
            let text = DisplayText(String(decoding: bytes, as: UTF8.self), limit: 60).text
            self.extendedFilename =
                "the filename* of part \(self.part), \(text), isn't UTF-8 or ISO-8859-1 in percent-encoding (RFC 8187), and "
                + "isn't used"
        }
    }

    mutating func take(_ chunk: [UInt8], _ range: Range<Int>) {
        guard self.content.offset == nil else { return }
        chunk.withRawSpan { self.content.take($0, range, at: self.contentOffset) }
        self.contentOffset += Int64(range.count)
        if self.content.offset != nil { self.strayPart = self.part }
    }

    /// What other receivers may read differently, when the whole body was read.
    func all(_ parser: MultipartParser) -> [String] {
        var doubts: [String] = []
        if self.hasByteOrderMark, parser.preambleBytes > 0 {
            doubts.append("the body begins with a byte order mark, so its first part may be lost: remove it")
        } else if let offset = parser.preambleDelimiterOffset {
            doubts.append(
                "a line at offset \(offset), before the first part, begins like a delimiter but isn't one, so a part may "
                    + "be lost: a delimiter needs CRLF before and after it (--profile lenient accepts LF too)")
        } else if let offset = self.preamble.offset, offset < parser.preambleBytes {
            doubts.append(
                "\(parser.preambleBytes, "byte") before the first delimiter were skipped, and they hold "
                    + "\"\(self.delimiter)\" at offset \(offset), so a part may be lost: a delimiter needs CRLF before it"
            )
        }
        if let offset = self.content.offset { doubts.append(self.text(of: offset)) }
        if let offset = self.epilogue.offset {
            doubts.append(
                "the close delimiter is followed by \"\(self.delimiter)\" at offset \(offset), so a part is lost: "
                    + "write \"\(self.delimiter)--\" only at the end")
        }
        return doubts + [self.bareQuote, self.extendedFilename].compactMap { $0 }
    }

    private func text(of offset: Int64) -> String {
        let (side, fix) =
            if self.content.followsCRLF {
                ("after", "LF alone is after it (--profile lenient accepts it)")
            } else if self.content.followsLF {
                ("before", "LF alone is before it (--profile lenient accepts it)")
            } else {
                ("before", "write CRLF before it")
            }
        return
            "the content of part \(self.strayPart) holds the delimiter \"\(self.delimiter)\" at offset \(offset) without "
            + "CRLF \(side) it, so a part may be lost: \(fix)"
    }

    /// The probable cause of an error, as half a sentence; `nil` if nothing was seen.
    func cause(of error: FormworkError, _ recent: RecentBytes, _ chunk: [UInt8]) -> String? {
        switch error.parsingFailure?.kind {
        case .malformedHeader?:
            guard let offset = error.offset, let line = recent.line(at: offset, before: chunk), !line.namesField else {
                return nil
            }
            let text = DisplayText(String(decoding: line, as: UTF8.self), limit: 60).text
            return
                "the line \"\(text)\" belongs to the content, and the empty line between header and content is missing"
        case .unexpectedEnd?:
            if let offset = self.content.offset { return self.text(of: offset) }
            // At the beginning it is the first delimiter itself.
            guard self.part == 0, let offset = self.preamble.offset, offset > 0 else { return nil }
            return "it holds \"\(self.delimiter)\" at offset \(offset), but not at the start of a line"
        default: return nil
        }
    }
}

/// The last bytes of a body before the current chunk.
struct RecentBytes {
    private static let limit = 64 << 10

    private var bytes: [UInt8] = []
    /// The offset after the last of them.
    private var end: Int64 = 0

    mutating func take(_ chunk: [UInt8]) {
        self.end += Int64(chunk.count)
        let last = chunk.suffix(Self.limit)
        self.bytes = last.count == Self.limit ? Array(last) : Array((self.bytes + last).suffix(Self.limit))
    }

    /// The line that begins at an offset, without its end; `nil` if its bytes are gone.
    func line(at offset: Int64, before chunk: [UInt8]) -> ArraySlice<UInt8>? {
        let all = self.bytes + chunk.prefix(Self.limit)
        let start = self.end - Int64(self.bytes.count)
        guard offset >= start, offset - start < Int64(all.count) else { return nil }
        return all[Int(offset - start)...].prefix { $0 != 0x0A && $0 != 0x0D }
    }
}

extension ArraySlice<UInt8> {
    /// Whether the line begins like a header field: a name, and a colon after it or after blanks.
    fileprivate var namesField: Bool {
        let name = self.prefix { $0.isTokenByte }
        let rest = self[name.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
        return !name.isEmpty && rest.first == 0x3A
    }

    /// Whether there is a quote without a backslash before it.
    fileprivate var hasBareQuote: Bool {
        self.indices.contains { self[$0] == 0x22 && ($0 == self.startIndex || self[$0 - 1] != 0x5C) }
    }
}
#endif
