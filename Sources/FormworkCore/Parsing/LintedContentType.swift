/// A lint's view of a message's `Content-Type`, with the boundary to use even if it is invalid.
struct LintedContentType {
    private(set) var boundary: [UInt8] = []
    private(set) var findings: [(FormLint.Rule, String)] = []
    /// Why the body can't be read; `nil` if it can.
    private(set) var error: FormworkError?

    /// What other receivers read differently.
    var ambiguities: [Ambiguity] { self.findings.compactMap { Ambiguity($0.0, $0.1) } }

    init(_ text: String) {
        let bytes = Array(text.utf8)
        do throws(FormworkError) {
            let place = try MultipartParser.boundary(of: bytes, .generic)
            let value = bytes[place.value]
            self.boundary = Array(place.isQuoted ? ParsingProfile.Backslashes.guessed.undone(value) : value)
            // A line can't contain these bytes, so a delimiter can't either.
            guard !self.boundary.isEmpty, !self.boundary.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
                throw MultipartParser.invalidBoundary
            }
            if !text.lowercased().filter({ $0 != " " && $0 != "\t" }).hasPrefix("multipart/form-data;") {
                self.add(
                    .notFormData, "Content-Type is not multipart/form-data: forms are sent as that, or url-encoded.")
            }
            self.checkBoundary(isQuoted: place.isQuoted)
            self.checkParameters(text, bytes)
        } catch {
            self.error = error
        }
    }

    private mutating func add(_ rule: FormLint.Rule, _ message: String) { self.findings.append((rule, message)) }

    private mutating func checkBoundary(isQuoted: Bool) {
        if let bad = self.boundary.first(where: { !$0.isBoundaryByte }) {
            let shown = String(Unicode.Scalar(bad)).withControlCharactersEscaped
            self.add(
                .boundaryCharacters, "The boundary contains \"\(shown)\": use only letters, digits and '()+_-./:=?.")
        } else if self.boundary.contains(0x2C) {
            self.add(.boundaryCharacters, "The boundary contains \",\", at which some receivers end it: leave it out.")
        }
        if self.boundary.count > 70 {
            self.add(.boundaryLength, "The boundary has \(self.boundary.count, "byte"): use at most 70.")
        }
        if self.boundary.last == 0x20 {
            self.add(.boundaryTrailingSpace, "The boundary ends with a space: end it with another character.")
        }
        if !isQuoted, self.boundary.contains(where: { $0.isBoundaryByte && !$0.isTokenByte }) {
            self.add(.boundaryUnquoted, "The boundary needs quotes and has none: quote it, or use letters and digits.")
        }
    }

    private mutating func checkParameters(_ text: String, _ bytes: [UInt8]) {
        let list = LintedParameters(text)
        // A boundary has its own rules.
        let isBoundary = self.findings.contains { [.boundaryUnquoted, .boundaryCharacters].contains($0.0) }
        let oddity = list.oddity == .unquoted && isBoundary ? nil : list.oddity
        if let oddity {
            self.add(.parameterSyntax, "Content-Type \(oddity.rawValue): write 'multipart/form-data; boundary=\"…\"'.")
        } else if !list.isType {
            self.add(.parameterSyntax, "Content-Type has blanks in its type: write 'multipart/form-data'.")
        }
        if let name = list.names.first(where: { $0.name.contains("*") })?.name {
            self.add(
                .extendedParameter, "Content-Type has \(name), which some receivers use for the boundary: leave it out."
            )
        }
        if list.names.contains(where: { $0.name == "charset" }),
            !["utf-8", "utf8"].contains(ReceivedHeader.charset(of: bytes) ?? "")
        {
            self.add(
                .otherCharset,
                "Content-Type has another charset than UTF-8, in which some receivers decode the fields: send UTF-8.")
        }
        if Set(list.names.map(\.name)).count < list.names.count {
            self.add(.duplicateParameter, "Content-Type has a parameter twice: leave one out.")
        }
        if !isBoundary, bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 >= 0x7F }) {
            self.add(.controlCharacter, "Content-Type has a control character, or one that isn't ASCII: leave it out.")
        }
        if bytes.count(ofWord: "boundary") > 1 + self.boundary.count(ofWord: "boundary") {
            self.add(
                .boundaryWord,
                "Content-Type has the word boundary twice, and some receivers search for it: leave the other one out.")
        }
    }
}
