/// A lint's findings in one part's header section.
struct LintedHeader {
    private static let usual = ["content-disposition", "content-type", "content-transfer-encoding"]
    /// The bytes of a section that every server reads. Some read no more.
    private static let usualLength = 512

    private let header: ReceivedHeader
    private let fields: [(name: String, value: String)]
    private let names: [String]
    private(set) var findings: [(FormLint.Rule, String)] = []

    init(_ header: ReceivedHeader) {
        self.header = header
        self.fields = header.fields
        self.names = self.fields.map { $0.name.lowercased() }
    }

    mutating func run() {
        self.checkLines()
        self.checkFields()
        self.checkDisposition()
        self.checkName(self.header.nameBytes, "name")
        self.checkName(self.header.filenameBytes, "filename")
        self.checkFilename()
        self.checkType()
    }

    private mutating func add(_ rule: FormLint.Rule, _ message: String) { self.findings.append((rule, message)) }

    private mutating func checkLines() {
        let lines = self.header.bytes.split(separator: 0x0A)
        if lines.contains(where: { $0.first?.isBlank ?? false }) {
            self.add(.foldedHeader, "A header line continues in the next one: write each field in one line.")
        }
        let isBlank = lines.contains { line in
            guard !(line.first?.isBlank ?? true), let colon = line.firstIndex(of: 0x3A) else { return false }
            return colon > line.startIndex && line[colon - 1].isBlank
        }
        if isBlank { self.add(.blankBeforeColon, "There is a blank before a header's colon: remove it.") }
        let isControl: (UInt8) -> Bool = { $0 < 0x20 && $0 != 0x09 && $0 != 0x0D || $0 == 0x7F }
        if lines.contains(where: { $0.contains(where: isControl) }) {
            self.add(.controlCharacter, "A header field has a control character: leave it out.")
        }
        let count = self.header.bytes.count
        if count > Self.usualLength {
            self.add(
                .longHeader,
                "The header section has \(count, "byte"): use at most \(Self.usualLength), as some servers read no more."
            )
        }
    }

    private mutating func checkFields() {
        for name in Set(self.names).sorted() where self.names.count(where: { $0 == name }) > 1 {
            self.add(
                .duplicateHeader, "The field \(name) occurs twice: give it once, as receivers use different ones.")
        }
        for field in self.fields where !Self.usual.contains(field.name.lowercased()) {
            self.add(.otherHeader, "The field \(field.name) has no place in a form: leave it out.")
        }
        // Rack 2.2 searches the whole section for these.
        let text = self.header.bytes.map { $0 == 0x5F ? 0x2D : $0 }
        for (name, word) in [(Self.usual[0], Self.usual[0]), (Self.usual[1], Self.usual[1] + ":")]
        where text.count(ofWord: word) > self.names.count(where: { $0 == name }) {
            self.add(
                .duplicateHeader,
                "The text \(name) occurs elsewhere in the header section, and some receivers read it there: leave it out."
            )
        }
        for (name, field) in zip(self.names, self.fields)
        where name != Self.usual[0] && ["name=", "name*"].contains(where: { field.value.utf8.count(ofWord: $0) > 0 }) {
            self.add(
                .otherParameter,
                "The field \(field.name) has a name, and some receivers take it for that of Content-Disposition: "
                    + "leave it out."
            )
        }
        if let at = self.names.firstIndex(of: "content-transfer-encoding") {
            if ["7bit", "8bit", "binary"].contains(self.fields[at].value.lowercased()) {
                self.add(
                    .transferEncoding, "Content-Transfer-Encoding is deprecated in forms: send the content unencoded.")
            } else {
                self.add(
                    .encodedContent,
                    "Content-Transfer-Encoding is deprecated in forms, and few receivers decode it: send the content "
                        + "unencoded.")
            }
        }
        if self.names.contains("content-disposition"), self.names.first != "content-disposition" {
            self.add(.dispositionNotFirst, "Content-Disposition is not the first field: write it first.")
        }
    }

    private mutating func checkDisposition() {
        guard let disposition = self.header.disposition else {
            return self.add(
                .missingDisposition, "The part has no Content-Disposition: write form-data with a name.")
        }
        guard disposition.lowercased() == "form-data" else {
            return self.add(.missingDisposition, "The part's disposition is \"\(disposition)\": write form-data.")
        }
        if !self.header.isPlainField, let at = self.names.lastIndex(of: "content-disposition") {
            self.checkParameters(of: self.fields[at])
        }
        guard let name = self.header.nameBytes else {
            return self.add(.missingName, "The part has no name: write name=\"…\" in its Content-Disposition.")
        }
        if name.allSatisfy(\.isBlank) {
            self.add(.emptyName, "The part's name is empty: receivers drop such parts, so name it.")
        } else if name.first == 0x5B || name.first == 0x5D {
            self.add(.bracketName, "The name begins with a bracket, and PHP drops such parts: begin with a letter.")
        }
    }

    private mutating func checkParameters(of field: (name: String, value: String)) {
        let list = LintedParameters(field.value)
        if let oddity = list.oddity {
            self.add(.parameterSyntax, "\(field.name) \(oddity.rawValue): write '; name=\"value\"'.")
        }
        for (name, isQuoted) in list.names where !name.hasSuffix("*") || name != "filename*" {
            if name.contains("*") {
                self.add(
                    .extendedParameter,
                    "\(field.name) has \(name), which few receivers read: write name and filename in UTF-8.")
            } else if name != "name", name != "filename" {
                self.add(
                    .otherParameter, "\(field.name) has the parameter \(name), which forms don't have: leave it out.")
            } else if !isQuoted {
                self.add(.unquotedName, "The \(name) isn't in quotes: write \(name)=\"…\".")
            }
        }
    }

    /// - Parameter role: `name` or `filename`.
    private mutating func checkName(_ bytes: ArraySlice<UInt8>?, _ role: String) {
        guard let bytes else { return }
        if String(validating: bytes, as: UTF8.self) == nil {
            self.add(.invalidText, "The \(role) is not UTF-8: write it in UTF-8.")
        }
        if bytes.contains(0x5C) {
            self.add(
                .backslash,
                "The \(role) has a backslash, which receivers keep, drop or take for an escape: leave it out, and write "
                    + "%22 for a quote.")
        }
        if bytes.count(ofWord: "name=") > 0 {
            self.add(
                .otherParameter,
                "The \(role) has the text name=, which some receivers take for a parameter: choose another \(role).")
        }
        let isBare = bytes.indices.contains { at in
            bytes[at] == 0x22 && (at == bytes.startIndex || bytes[at - 1] != 0x5C)
        }
        if isBare {
            self.add(
                .unescapedQuote,
                "The \(role) has a quote that isn't escaped, and other receivers end it there: write %22.")
        }
        let hasEscape = zip(bytes, zip(bytes.dropFirst(), bytes.dropFirst(2))).contains {
            $0 == 0x25 && $1.0.hexDigit != nil && $1.1.hexDigit != nil
        }
        if hasEscape {
            self.add(
                .percentEscape,
                "The \(role) has % and two digits, which only some receivers decode: choose another \(role)."
            )
        }
    }

    private mutating func checkFilename() {
        if self.header.extendedFilenameBytes != nil {
            self.add(.extendedFilename, "The part has filename*, which forms must not have: write filename in UTF-8.")
        }
        // Backslashes that escape a quote don't count.
        guard let name = self.header.filenameBytes else { return }
        let isPath = zip(name, name.dropFirst() + [0]).contains { (byte: UInt8, next: UInt8) in
            byte == 0x2F || (byte == 0x5C && next != 0x22)
        }
        if isPath {
            self.add(.filenamePath, "The filename is a path, which receivers must not use: send its last component.")
        }
        if name.contains(0x3A), let field = self.header.nameBytes, field.startIndex > name.startIndex {
            self.add(
                .nameNotFirst,
                "The name follows a filename with a colon, after which some receivers don't look for it: "
                    + "write the name first.")
        }
        if !name.isEmpty, name.allSatisfy({ $0 == 0x2F || $0 == 0x2E }) {
            self.add(
                .emptyFilename,
                "The filename has only dots and slashes, of which some receivers leave nothing: name it.")
        }
    }

    private mutating func checkType() {
        guard let text = self.header.contentType else {
            if self.header.isFile {
                self.add(
                    .missingFileType, "The file has no Content-Type: write its type, or application/octet-stream.")
            }
            return
        }
        let list = LintedParameters(text)
        if let oddity = list.oddity {
            self.add(.parameterSyntax, "Content-Type \(oddity.rawValue): write 'type/subtype; name=\"value\"'.")
        } else if !list.isType || !list.isReadable {
            self.add(
                .parameterSyntax,
                "Content-Type isn't type/subtype with parameters: write 'type/subtype; name=\"value\"'.")
        } else if Set(list.names.map(\.name)).count < list.names.count {
            self.add(.duplicateParameter, "Content-Type has a parameter twice: leave one out.")
        } else if let name = list.names.first(where: { $0.name.contains("*") })?.name {
            self.add(.extendedParameter, "Content-Type has \(name), which few receivers read: leave it out.")
        }
        let type = text.lowercased()
        let charset = self.header.charset
        if type.hasPrefix("multipart/") || type.hasPrefix("message/") {
            self.add(
                .nestedFiles, "Files are sent as multipart/mixed inside a part: send each as a part of the same name.")
        } else if let charset, !["utf-8", "us-ascii", "iso-8859-1"].contains(charset) {
            self.add(
                .otherCharset, "The Content-Type has the charset \(charset), which some receivers decode: send UTF-8.")
        } else if !self.header.isFile, type.hasPrefix("application/octet-stream") {
            self.add(
                .fileType,
                "A field has the type application/octet-stream, with which some receivers take it for a file: "
                    + "leave the type out, or give it a filename.")
        } else if !self.header.isFile, type.contains("charset=") {
            self.add(
                .fieldCharset,
                "A field's Content-Type has a charset, which many receivers ignore: send UTF-8 without it.")
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

/// A lint's view of a value with parameters.
struct LintedParameters {
    /// Whether the text before the parameters is `type/subtype`, without blanks.
    private(set) var isType: Bool
    /// The names, in lower case and in their order, with what is known of the values.
    private(set) var names: [(name: String, isQuoted: Bool)] = []
    /// What isn't written as in RFC 9110; `nil` also if the list can't be read any further.
    private(set) var oddity: ParameterList.Oddity?
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
        self.oddity = endsWithBlank ? .blank : list.oddity
        if list.place < bytes.count { self.isReadable = false }
    }
}
