import Formwork

/// What other receivers may read differently in a body that could be read.
struct PartDoubts {
    private var hasByteOrderMark = false
    /// A warning that an encoded part is listed as it was sent; `nil` without one. It isn't a doubt: every receiver finds
    /// the same parts.
    private(set) var encodedPart: String?
    private var part = 0
    /// One warning for each rule, about the first part that broke it.
    private var ambiguities: [String] = []
    private var warned: Set<String> = []

    /// Looks at the start of the body.
    mutating func take(start chunk: [UInt8]) { self.hasByteOrderMark = chunk.starts(with: [0xEF, 0xBB, 0xBF]) }

    mutating func begin(_ header: ReceivedHeader, in parser: MultipartParser) {
        self.part += 1
        if parser.isDelimiter(in: header), self.warned.insert("strayDelimiter").inserted {
            self.ambiguities.append(
                Self.warning("part \(self.part)", "The delimiter's text is in its header: choose another boundary"))
        }
        let encoding = header.values(of: "Content-Transfer-Encoding").last?.asciiLowercased ?? []
        if self.encodedPart == nil, encoding == Array("base64".utf8) || encoding == Array("quoted-printable".utf8) {
            self.encodedPart =
                "the content of part \(self.part) is encoded (Content-Transfer-Encoding: "
                + "\(String(decoding: encoding, as: UTF8.self))), and is listed and extracted as it was sent: RFC 7578 "
                + "deprecates that in forms"
        }
        for ambiguity in header.ambiguities
        where ambiguity.name != "encodedContent" && self.warned.insert(ambiguity.name).inserted {
            self.ambiguities.append(Self.warning("part \(self.part)", ambiguity.description))
        }
        if let bytes = header.extendedFilenameBytes, header.extendedFilename == nil, self.warned.insert("").inserted {
            let text = DisplayText(String(decoding: bytes, as: UTF8.self), limit: 60).text
            self.ambiguities.append(
                "the filename* of part \(self.part), \(text), isn't UTF-8 or ISO-8859-1 in percent-encoding (RFC 8187), and "
                    + "isn't used")
        }
    }

    /// All of them, when the whole body was read.
    func all(_ parser: MultipartParser) -> [String] {
        let type = parser.typeAmbiguities.filter { $0.name != "notFormData" }
        var doubts = type.map { Self.warning("the Content-Type", $0.description) }
        let isExplained = self.hasByteOrderMark || parser.preambleDelimiterOffset != nil
        if self.hasByteOrderMark, parser.preambleBytes > 0 {
            doubts.append("the body begins with a byte order mark, so its first part may be lost: remove it")
        } else if let offset = parser.preambleDelimiterOffset {
            doubts.append(
                "a line at offset \(offset), before the first part, begins like a delimiter but isn't one, so a part may "
                    + "be lost: a delimiter needs CRLF before and after it (--profile lenient accepts LF too)")
        } else if parser.hasPreambleText, !parser.notes.contains(where: \.isInPreamble) {
            doubts.append(
                "\(parser.preambleBytes, "byte") before the first delimiter were skipped: if the start of the body is missing, "
                    + "so are parts")
        }
        // What a profile was chosen for isn't a warning, nor line ends alone.
        let expected: Set = ["preamble", "epilogue", "bareLineFeed", "missingClose"]
        for note in parser.notes where !expected.contains(note.rule.rawValue) && !(isExplained && note.isInPreamble) {
            doubts.append(
                Self.warning((note.part.map { "part \($0), " } ?? "") + "offset \(note.offset)", note.message))
        }
        return doubts + self.ambiguities
    }

    private static func warning(_ subject: String, _ sentence: String) -> String {
        "\(subject) is read differently by other receivers: \(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)"
    }

    /// The probable cause of an error, as half a sentence; `nil` if nothing was seen.
    func cause(of error: FormworkError, _ recent: RecentBytes, _ chunk: [UInt8], _ parser: MultipartParser) -> String? {
        switch error.parsingFailure?.kind {
        case .malformedHeader?:
            guard let offset = error.offset, let line = recent.line(at: offset, before: chunk), !line.namesField else {
                return nil
            }
            let text = DisplayText(String(decoding: line, as: UTF8.self), limit: 60).text
            return
                "the line \"\(text)\" belongs to the content, and the empty line between header and content is missing"
        case .unexpectedEnd?:
            guard let note = parser.notes.first(where: { $0.rule.rawValue == "strayDelimiter" }) else { return nil }
            return "there is a delimiter at offset \(note.offset), but CRLF isn't before and after it"
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
}
