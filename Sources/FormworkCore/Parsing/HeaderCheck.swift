/// What is odd in one part's header section.
struct HeaderCheck {
    private static let usual = ["content-disposition", "content-type", "content-transfer-encoding"]
    /// The bytes of a section that every server reads. Some read no more.
    private static let usualLength = 512

    private let header: ReceivedHeader
    private let fields: [(name: String, value: String)]
    private let names: [String]
    private(set) var findings: [Finding] = []

    init(_ header: ReceivedHeader) {
        self.header = header
        self.fields = header.fields
        self.names = self.fields.map { $0.name.lowercased() }
        self.checkLines()
        self.checkFields()
        self.checkDisposition()
        self.checkName(self.header.nameBytes, "name")
        self.checkName(self.header.filenameBytes, "filename")
        self.checkFilename()
        self.checkType()
    }

    private mutating func add(_ oddity: Oddity, _ details: String...) {
        self.findings.append(Finding(oddity, details, nil, nil))
    }

    private mutating func checkLines() {
        let lines = self.header.bytes.split(separator: 0x0A)
        if lines.contains(where: { $0.first?.isBlank ?? false }) { self.add(.foldedHeader) }
        let isBlank = lines.contains { line in
            guard !(line.first?.isBlank ?? true), let colon = line.firstIndex(of: 0x3A) else { return false }
            return colon > line.startIndex && line[colon - 1].isBlank
        }
        if isBlank { self.add(.blankBeforeColon) }
        let isControl: (UInt8) -> Bool = { $0 < 0x20 && $0 != 0x09 && $0 != 0x0D || $0 == 0x7F }
        if lines.contains(where: { $0.contains(where: isControl) }) {
            self.add(.controlCharacter, "A header field", "a control character")
        }
        let count = self.header.bytes.count
        if count > Self.usualLength { self.add(.longHeader, "\(count, "byte")") }
    }

    private mutating func checkFields() {
        for name in Set(self.names).sorted() where self.names.count(where: { $0 == name }) > 1 {
            self.add(.duplicateHeader, name)
        }
        for field in self.fields where !Self.usual.contains(field.name.lowercased()) {
            self.add(.otherHeader, field.name)
        }
        // Rack 2.2 searches the whole section for these.
        let text = self.header.bytes.map { $0 == 0x5F ? 0x2D : $0 }
        for (name, word) in [(Self.usual[0], Self.usual[0]), (Self.usual[1], Self.usual[1] + ":")]
        where text.count(ofWord: word) > self.names.count(where: { $0 == name }) {
            self.add(.hiddenHeader, name)
        }
        for (name, field) in zip(self.names, self.fields)
        where name != Self.usual[0] && ["name=", "name*"].contains(where: { field.value.utf8.count(ofWord: $0) > 0 }) {
            self.add(.hiddenParameter, "field \(field.name)")
        }
        if let at = self.names.firstIndex(of: "content-transfer-encoding") {
            let encoding = self.fields[at].value
            let isIdentity = ["7bit", "8bit", "binary"].contains(encoding.lowercased())
            if isIdentity { self.add(.transferEncoding) } else { self.add(.encodedContent, encoding) }
        }
        if self.names.contains("content-disposition"), self.names.first != "content-disposition" {
            self.add(.dispositionNotFirst)
        }
    }

    private mutating func checkDisposition() {
        guard let disposition = self.header.disposition else { return self.add(.missingDisposition) }
        guard disposition.lowercased() == "form-data" else { return self.add(.otherDisposition, disposition) }
        if !self.header.isPlainField, let at = self.names.lastIndex(of: "content-disposition") {
            self.checkParameters(self.fields[at].value)
        }
        guard let name = self.header.nameBytes else { return self.add(.missingName) }
        if name.allSatisfy(\.isBlank) {
            self.add(.emptyName)
        } else if let first = name.first, [0x5B, 0x5D, 0x2F].contains(first) {
            self.add(.bracketName)
        } else if self.header.isFile, name.contains(0x5B) || name.contains(0x5D),
            String(decoding: name, as: UTF8.self).wholeMatch(of: /[^\[\]]*(\[[^\[\]]*\])*/) == nil
        {
            self.add(.looseBracket)
        }
    }

    private mutating func checkParameters(_ value: String) {
        let list = ParameterCheck(value)
        if let slip = list.slip {
            self.add(.parameterSyntax, "Content-Disposition", slip.rawValue, "form-data; name=\"…\"")
        }
        for (name, isQuoted) in list.names where name != "filename*" {
            if name.contains("*") {
                self.add(.extendedParameter, "Content-Disposition", name)
            } else if name != "name", name != "filename" {
                self.add(.otherParameter, name)
            } else if !isQuoted {
                self.add(.unquotedName, name, name)
            }
        }
    }

    /// - Parameter role: `name` or `filename`.
    private mutating func checkName(_ bytes: ArraySlice<UInt8>?, _ role: String) {
        guard let bytes else { return }
        if String(validating: bytes, as: UTF8.self) == nil { self.add(.invalidText, role) }
        if bytes.contains(0x5C) { self.add(.backslash, role) }
        if bytes.count(ofWord: "name=") > 0 { self.add(.hiddenParameter, role) }
        let isBare = bytes.indices.contains { at in
            bytes[at] == 0x22 && (at == bytes.startIndex || bytes[at - 1] != 0x5C)
        }
        if isBare { self.add(.unescapedQuote, role) }
        if bytes.starts(with: "=?".utf8) { self.add(.encodedWord, role) }
        if bytes.starts(with: "\u{FEFF}".utf8) { self.add(.controlCharacter, "The \(role)", "a byte order mark") }
        // A dot in a regular expression of JavaScript doesn't match them, so a file becomes a field.
        if ["\u{2028}", "\u{2029}"].contains(where: { bytes.count(ofWord: $0) > 0 }) {
            self.add(.controlCharacter, "The \(role)", "a line separator")
        }
        let signs = bytes.indices.filter { bytes[$0] == 0x25 }.map { bytes[$0...].dropFirst().prefix(2) }
        let escapes = signs.filter { $0.count == 2 && $0.allSatisfy { $0.hexDigit != nil } }
        guard !escapes.isEmpty else { return }
        // Those that browsers write. Some receivers decode a filename if each % begins an escape.
        let isUsual = escapes.allSatisfy {
            ["22", "0D", "0A"].contains(String(decoding: $0, as: UTF8.self).uppercased())
        }
        if role == "filename", !isUsual, escapes.count == signs.count {
            self.add(.encodedFilename)
        } else {
            self.add(.percentEscape, role)
        }
    }

    private mutating func checkFilename() {
        if let extended = self.header.extendedFilenameBytes {
            let isReadable = self.header.extendedFilename != nil
            let text = String(decoding: extended, as: UTF8.self).shortened(to: 60)
            if isReadable { self.add(.extendedFilename) } else { self.add(.unreadableFilename, text) }
        }
        guard let name = self.header.filenameBytes else { return }
        // Backslashes that escape a quote don't count.
        let isPath = zip(name, name.dropFirst() + [0]).contains { (byte: UInt8, next: UInt8) in
            byte == 0x2F || (byte == 0x5C && next != 0x22)
        }
        if isPath { self.add(.filenamePath) }
        if name.contains(0x3A), let field = self.header.nameBytes, field.startIndex > name.startIndex {
            self.add(.nameNotFirst)
        }
        if !name.isEmpty, name.allSatisfy({ $0 == 0x2F || $0 == 0x2E }) { self.add(.dotFilename) }
    }

    private mutating func checkType() {
        guard let text = self.header.contentType else {
            if self.header.isFile { self.add(.missingFileType) }
            return
        }
        let list = ParameterCheck(text)
        let example = "type/subtype; name=\"…\""
        if let slip = list.slip {
            self.add(.parameterSyntax, "Content-Type", slip.rawValue, example)
        } else if !list.isType || !list.isReadable {
            self.add(.parameterSyntax, "Content-Type", "isn't type/subtype with parameters", example)
        } else if Set(list.names.map(\.name)).count < list.names.count {
            self.add(.duplicateParameter, "Content-Type")
        } else if let name = list.names.first(where: { $0.name.contains("*") })?.name {
            self.add(.extendedParameter, "Content-Type", name)
        }
        let type = text.lowercased()
        if type.hasPrefix("multipart/") || type.hasPrefix("message/") {
            self.add(.nestedFiles)
        } else if let charset = self.header.charset, !["utf-8", "us-ascii", "iso-8859-1"].contains(charset) {
            self.add(.otherCharset, charset)
        } else if !self.header.isFile, type.contains("charset=") {
            self.add(.fieldCharset)
        }
    }
}

extension Collection<UInt8> {
    /// How often a word in lower-case letters occurs, in any case.
    func count(ofWord word: String) -> Int {
        let (small, word) = (self.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, Array(word.utf8))
        return small.indices.count { small[$0...].starts(with: word) }
    }
}

/// What is odd in a value with parameters.
struct ParameterCheck {
    /// Whether the text before the parameters is `type/subtype`, without blanks.
    private(set) var isType: Bool
    /// The names, in lower case and in their order, with what is known of the values.
    private(set) var names: [(name: String, isQuoted: Bool)] = []
    /// What isn't written as in RFC 9110; `nil` also if the list can't be read any further.
    private(set) var slip: ParameterList.Slip?
    private(set) var isReadable = true

    init(_ text: String) {
        let bytes = Array(text.utf8)
        let start = bytes.firstIndex(of: 0x3B) ?? bytes.count
        let words = bytes[..<start].split(separator: 0x2F, omittingEmptySubsequences: false)
        self.isType = words.count == 2 && words.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }
        var list = ParameterList(start..<bytes.count, .guessed)
        while let next = (try? list.next(in: bytes.span)) ?? nil {
            self.names.append((String(decoding: bytes[next.name], as: UTF8.self).lowercased(), next.isQuoted))
        }
        let endsWithBlank = start < bytes.count && bytes[..<start].last?.isBlank ?? false
        self.slip = endsWithBlank ? .blank : list.slip
        if list.place < bytes.count { self.isReadable = false }
    }
}
