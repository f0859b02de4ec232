/// Scans one `-F` argument byte by byte, as curl does, and counts columns for errors.
struct FormArgumentScanner {
    /// The role of a word. It decides where the word ends and which parameters it may have.
    enum Role {
        case text, contents, upload, open
    }

    let name: String
    private let text: String
    private let bytes: [UInt8]
    private let grammar: FormGrammar
    /// The index of the next byte.
    private(set) var index: Int
    private(set) var warnings: [String] = []

    init(_ text: String, at index: String.Index, name: String, grammar: FormGrammar) {
        self.name = name
        self.text = text
        self.bytes = Array(text.utf8)
        self.grammar = grammar
        self.index = text.utf8.distance(from: text.startIndex, to: index)
    }

    var peek: UInt8? { self.index < self.bytes.count ? self.bytes[self.index] : nil }

    mutating func skip() { self.index += 1 }

    /// Reports that something would be lost: an error, or curl's warning.
    mutating func complain(
        _ message: String, at place: Int? = nil, curlWarns warning: String? = nil
    ) throws(FormworkError) {
        guard self.grammar == .curl else { throw self.error(message, at: place) }
        if let warning { self.warnings.append(warning) }
    }

    private func error(_ message: String, at place: Int? = nil) -> FormworkError {
        // Counted from 1, in characters as they are displayed.
        let column = String(decoding: self.bytes[..<(place ?? self.index)], as: UTF8.self).count + 1
        return FormworkError(.invalidArgument, "column \(column): \(message)")
    }

    // MARK: - A word and its parameters

    /// A word and its parameters, up to the argument's end or, for uploads, a `,`.
    mutating func part(_ role: Role) throws(FormworkError) -> (String, FormArgument.Parameters) {
        let end = role == .upload ? UInt8(ascii: ",") : nil
        let word = try self.word(endingAt: end, isText: role == .text)
        var parameters = FormArgument.Parameters()
        var seen: Set<String> = []
        var last: String?
        while self.peek == UInt8(ascii: ";") {
            self.skip()
            self.skipSpace()
            let place = self.index
            guard let keyword = self.keyword() else {
                try self.unknown(role, after: last, endingAt: end)
                continue
            }
            last = keyword
            if keyword != "headers", !seen.insert(keyword).inserted {
                try self.complain("\(keyword)= is given twice: leave one out", at: place)
            }
            switch keyword {
            case "type": parameters.contentType = try self.mediaType(endingAt: end)
            case "headers": parameters.headers.append(try self.header(endingAt: end))
            case "length": parameters.length = try self.length(endingAt: end, place)
            case "encoder":
                let encoder = try self.word(endingAt: end)
                if TransferEncoding(token: encoder) == nil {
                    try self.complain(
                        "encoder=\(encoder) is not one of base64, quoted-printable, 7bit, 8bit, binary", at: place)
                }
                parameters.encoder = encoder
            default: parameters.filename = try self.word(endingAt: end)
            }
            try self.refuse(keyword, of: role, &parameters, at: place)
        }
        if parameters.contentType != nil, parameters.headers.contains(where: { $0.isNamed("content-type") }) {
            try self.complain("type= and a Content-Type in headers= exclude each other: leave one of them out")
        }
        if parameters.filename != nil, parameters.headers.contains(where: { $0.isNamed("content-disposition") }) {
            try self.complain("filename= and a Content-Disposition in headers= exclude each other: leave one out")
        }
        return (word, parameters)
    }

    /// Removes a parameter that has no meaning for the role.
    private mutating func refuse(
        _ keyword: String, of role: Role, _ parameters: inout FormArgument.Parameters, at place: Int
    ) throws(FormworkError) {
        let message: String
        switch (keyword, role) {
        case ("filename", .contents): message = "a '<' part is a field without a filename: use '@'"
        case ("filename", .open): message = "a multipart can't have a filename"
        case ("encoder", .open): message = "a multipart can't be encoded: encode the parts in it"
        case ("length", .text), ("length", .open):
            return try self.complain("length= is for standard input, FIFOs and devices", at: place)
        default: return
        }
        let (name, value) =
            keyword == "filename" ? ("file name", parameters.filename) : ("encoder", parameters.encoder)
        try self.complain(message, at: place, curlWarns: "Field \(name) not allowed here: \(value ?? "")")
        if keyword == "filename" { parameters.filename = nil } else { parameters.encoder = nil }
    }

    /// - Parameter keyword: The parameter before it; `nil` if it follows the word.
    private mutating func unknown(
        _ role: Role, after keyword: String?, endingAt end: UInt8?
    ) throws(FormworkError) {
        let place = self.index
        let rest = self.bytes[self.index...].prefix { $0 != UInt8(ascii: ";") && $0 != end }
        let segment = String(decoding: rest, as: UTF8.self)
        let name = rest.prefix { !$0.isSpace && $0 != UInt8(ascii: "=") }
        let isSpaced =
            rest[name.endIndex...].first { !$0.isSpace } == UInt8(ascii: "=")
            && Self.keywords.contains(String(decoding: name, as: UTF8.self).lowercased())
        let fix =
            switch role {
            case _ where isSpaced: "leave out the space before '='"
            case _ where keyword == "filename" || keyword == "headers":
                "leave it out, or write \(keyword ?? "")=\"…;…\" if it belongs to that"
            case _ where keyword != nil: "leave it out"
            case .text: "a value with ';' needs --form-string or double quotes: \(self.name)=\"…;…\""
            case .open: segment.contains("/") ? "write \(self.name)=(;type=multipart/mixed" : "leave it out"
            case .contents, .upload: "a path with ';' needs double quotes: \(self.name)=@\"…;…\""
            }
        let word = self.grammar == .curl ? try self.bareOrQuoted(endingAt: end).text : ""
        try self.complain(
            "\"\(segment)\" is not one of type=, filename=, headers=, encoder=, length=: \(fix)", at: place,
            curlWarns: word.isEmpty ? nil : "skip unknown form field: \(word)")
    }

    private static let keywords = ["type", "filename", "headers", "encoder", "length"]

    /// Reads a keyword with its `=`, in upper or lower case; `nil` if there is none, and then nothing is skipped.
    private mutating func keyword() -> String? {
        for keyword in Self.keywords where keyword != "length" || self.grammar == .strict {
            let head = self.bytes[self.index...].prefix(keyword.utf8.count + 1)
            guard String(decoding: head, as: UTF8.self).lowercased() == keyword + "=" else { continue }
            self.index = head.endIndex
            return keyword
        }
        return nil
    }

    // MARK: - Values

    /// A word in double quotes, or a bare one without the space around it.
    private mutating func word(endingAt end: UInt8?, isText: Bool = false) throws(FormworkError) -> String {
        let start = self.index
        self.skipSpace()
        let (word, isQuoted) = try self.bareOrQuoted(endingAt: end)
        if isQuoted { return word }
        var trimmed = word.utf8[...]
        while trimmed.last?.isSpace ?? false { trimmed.removeLast() }
        // Trimming blanks is expected, but a line end is usually content.
        let lost = [
            self.bytes[start...].prefix { $0.isSpace },
            self.bytes[..<self.index].suffix(word.utf8.count - trimmed.count),
        ]
        if isText, lost.contains(where: { $0.contains { !$0.isBlank } }) {
            try self.complain(
                "a line end around a value would be lost: put the value in double quotes",
                at: start)
        }
        return String(Substring(trimmed))
    }

    /// A word in double quotes, in which `\\` and `\"` are escapes, or all text up to `;` or `end`. An unclosed quote
    /// is an ordinary character.
    private mutating func bareOrQuoted(endingAt end: UInt8?) throws(FormworkError) -> (text: String, isQuoted: Bool) {
        if self.peek == UInt8(ascii: "\""), let quoted = self.quotedWord() {
            let place = self.index
            let rest = self.bytes[self.index...].prefix { $0 != UInt8(ascii: ";") && $0 != end }
            self.index = rest.endIndex
            if rest.contains(where: { !$0.isSpace }) {
                try self.complain(
                    "text after a closing quote would be lost: write \\\" for a quote inside quotes", at: place,
                    curlWarns: "Trailing data after quoted form parameter")
            }
            return (quoted, true)
        }
        let bare = self.bytes[self.index...].prefix { $0 != UInt8(ascii: ";") && $0 != end }
        self.index = bare.endIndex
        return (String(decoding: bare, as: UTF8.self), false)
    }

    private mutating func quotedWord() -> String? {
        var word: [UInt8] = []
        var at = self.index + 1
        while at < self.bytes.count {
            let byte = self.bytes[at]
            if byte == UInt8(ascii: "\"") {
                self.index = at + 1
                return String(decoding: word, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\"), at + 1 < self.bytes.count,
                self.bytes[at + 1] == UInt8(ascii: "\\") || self.bytes[at + 1] == UInt8(ascii: "\"")
            {
                at += 1
            }
            word.append(self.bytes[at])
            at += 1
        }
        return nil
    }

    /// The value of `type=`: all text up to the next keyword, so that parameters belong to it
    /// (`;type=text/html;charset=utf-8`).
    private mutating func mediaType(endingAt end: UInt8?) throws(FormworkError) -> String {
        self.skipSpace()
        let start = self.index
        // curl reads `%127[^/ ]/%127[^;, \n]` with scanf: a ';' or ',' before the '/' belongs to the type.
        let major = self.bytes[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: " ") }.prefix(127)
        let slash = major.endIndex
        let hasSlash = slash < self.bytes.count && self.bytes[slash] == UInt8(ascii: "/") && !major.isEmpty
        let minor =
            hasSlash ? self.bytes[(slash + 1)...].prefix { ![0x3B, 0x2C, 0x20, 0x0A].contains($0) }.prefix(127) : []
        guard !minor.isEmpty else {
            throw self.error("type= needs a media type such as text/plain")
        }
        self.index = minor.endIndex
        if self.grammar == .strict { try self.checkNothingFollows(endingAt: end) }
        var last = self.index
        var quotes = QuoteState()
        quotes.pass(self.bytes[start..<last])
        while true {
            let segment = self.index
            while let byte = self.peek, byte != UInt8(ascii: ";"), byte != end {
                self.skip()
                if !byte.isSpace { last = self.index }
            }
            quotes.pass(self.bytes[segment..<self.index])
            guard self.peek == UInt8(ascii: ";") else { break }
            var ahead = self
            ahead.skip()
            ahead.skipSpace()
            let begin = ahead.index
            let isQuoted = self.grammar == .strict && quotes.isInside
            let isRelated =
                String(decoding: self.bytes[start...].prefix(17), as: UTF8.self).lowercased() == "multipart/related"
            if !isQuoted, let keyword = ahead.keyword() {
                // multipart/related has a parameter `type` (RFC 2387 §3.1), which curl accepts too.
                if keyword != "type" || self.grammar == .strict && !isRelated { break }
            }
            self.index = begin
            last = begin
            if self.grammar == .strict, !isQuoted { try self.checkParameter(endingAt: end) }
        }
        let value = String(decoding: self.bytes[start..<last], as: UTF8.self)
        if self.grammar == .strict {
            do throws(FormworkError) { try PartHeader.checkMediaType(value) } catch {
                throw self.error(error.message, at: start)
            }
        }
        return value
    }

    /// Checks that a parameter of a type, `name=value`, comes next.
    private mutating func checkParameter(endingAt end: UInt8?) throws(FormworkError) {
        let segment = self.bytes[self.index...].prefix { $0 != UInt8(ascii: ";") && $0 != end }
        let name = segment.prefix { $0.isTokenByte }
        guard name.isEmpty || name.endIndex == segment.endIndex || self.bytes[name.endIndex] != UInt8(ascii: "=") else {
            let value = segment[(name.endIndex + 1)...]
            var ahead = self
            guard value.first != UInt8(ascii: "\"") else {
                ahead.index = value.startIndex
                guard ahead.quotedWord() != nil else { return }
                let rest = self.bytes[ahead.index...].prefix { $0 != UInt8(ascii: ";") && $0 != end }
                guard !rest.contains(where: { !$0.isSpace }) else {
                    throw self.error(
                        "text follows the closing quote of a parameter's value: write \\\" for a quote in it",
                        at: ahead.index)
                }
                return
            }
            if let quote = value.firstIndex(of: UInt8(ascii: "\"")) {
                throw self.error("a parameter's value has a quote inside: put quotes around all of it", at: quote)
            }
            ahead.index = value.prefix { !$0.isSpace }.endIndex
            return try ahead.checkNothingFollows(endingAt: end)
        }
        try self.complain(
            "\"\(String(decoding: segment, as: UTF8.self))\" is neither a parameter of the type, such as "
                + "charset=utf-8, nor one of filename=, headers=, encoder=, length=")
    }

    /// Checks that only space comes between a type, or the value of its parameter, and the next `;`.
    private mutating func checkNothingFollows(endingAt end: UInt8?) throws(FormworkError) {
        let rest = self.bytes[self.index...].prefix { $0 != UInt8(ascii: ";") && $0 != end }
        guard rest.first?.isSpace ?? false, let start = rest.firstIndex(where: { !$0.isSpace }) else { return }
        let word = String(decoding: rest[start...], as: UTF8.self)
        try self.complain(
            "\"\(word)\" follows the type without a ';' before it: a parameter is written text/plain;charset=utf-8",
            at: start)
    }

    private mutating func header(endingAt end: UInt8?) throws(FormworkError) -> FormArgument.Header {
        if self.peek == UInt8(ascii: "@") || self.peek == UInt8(ascii: "<") {
            self.skip()
            return .file(path: try self.word(endingAt: end))
        }
        self.skipSpace()
        let place = self.index
        let line = try self.word(endingAt: end)
        if self.grammar == .strict {
            do throws(FormworkError) { _ = try HeaderField(line: line) } catch {
                throw self.error(error.message, at: place)
            }
        }
        return .line(line)
    }

    private mutating func length(endingAt end: UInt8?, _ place: Int) throws(FormworkError) -> Int64 {
        let digits = try self.word(endingAt: end)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int64(digits) else {
            throw self.error("length= needs a number of bytes, not \"\(digits)\"", at: place)
        }
        return length
    }

    private mutating func skipSpace() {
        while let byte = self.peek, byte.isSpace { self.skip() }
    }
}

extension FormArgument.Header {
    fileprivate func isNamed(_ name: String) -> Bool {
        if case .line(let line) = self { line.asciiLowercased.starts(with: (name + ":").utf8) } else { false }
    }
}

/// Whether a quoted string was begun and not ended.
private struct QuoteState {
    private(set) var isInside = false
    private var isEscaped = false

    mutating func pass(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\""), !self.isEscaped { self.isInside.toggle() }
            self.isEscaped = self.isInside && byte == UInt8(ascii: "\\") && !self.isEscaped
        }
    }
}
