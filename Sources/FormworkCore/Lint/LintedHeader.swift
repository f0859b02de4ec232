/// A lint's findings in one part's header section.
struct LintedHeader {
    private static let usual = ["content-disposition", "content-type", "content-transfer-encoding"]
    /// The bytes of a section that every server reads. Some read no more.
    private static let usualLength = 512

    private let header: ReceivedHeader
    private let names: [String]
    private(set) var findings: [(FormLint.Rule, String)] = []

    init(_ header: ReceivedHeader) {
        self.header = header
        self.names = header.fields.map { $0.name.lowercased() }
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
        let count = self.header.bytes.count
        if count > Self.usualLength {
            self.add(
                .longHeader,
                "The header section has \(count, "byte"): use at most \(Self.usualLength), as some servers read no more."
            )
        }
    }

    private mutating func checkFields() {
        for name in Self.usual where self.names.count(where: { $0 == name }) > 1 {
            self.add(
                .duplicateHeader, "The field \(name) occurs twice: give it once, as receivers use different ones.")
        }
        for field in self.header.fields where !Self.usual.contains(field.name.lowercased()) {
            self.add(.otherHeader, "The field \(field.name) has no place in a form: leave it out.")
        }
        if self.names.contains("content-transfer-encoding") {
            self.add(
                .transferEncoding, "Content-Transfer-Encoding is deprecated in forms: send the content unencoded.")
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
        guard let name = self.header.nameBytes else {
            return self.add(.missingName, "The part has no name: write name=\"…\" in its Content-Disposition.")
        }
        if name.isEmpty {
            self.add(.emptyName, "The part's name is empty: receivers drop such parts, so name it.")
        }
    }

    /// - Parameter role: `name` or `filename`.
    private mutating func checkName(_ bytes: ArraySlice<UInt8>?, _ role: String) {
        guard let bytes else { return }
        if String(validating: bytes, as: UTF8.self) == nil {
            self.add(.invalidText, "The \(role) is not UTF-8: write it in UTF-8.")
        }
        if zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0x5C && $1 == 0x22 }) {
            self.add(.backslashEscape, "A quote in the \(role) is escaped with a backslash: write %22, as browsers do.")
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
    }

    private mutating func checkType() {
        guard let type = self.header.contentType?.lowercased() else {
            if self.header.isFile {
                self.add(
                    .missingFileType, "The file has no Content-Type: write its type, or application/octet-stream.")
            }
            return
        }
        if type.hasPrefix("multipart/mixed") {
            self.add(
                .nestedFiles, "Files are sent as multipart/mixed inside a part: send each as a part of the same name.")
        } else if !self.header.isFile, type.contains("charset=") {
            self.add(
                .fieldCharset,
                "A field's Content-Type has a charset, which many receivers ignore: send UTF-8 without it.")
        }
    }
}
