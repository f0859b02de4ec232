/// What is odd in a message's `Content-Type`, with the boundary to use even if it is invalid.
struct ContentTypeCheck {
    private(set) var boundary: [UInt8] = []
    private(set) var findings: [Finding] = []
    /// Why the body can't be read; `nil` if it can.
    private(set) var error: FormworkError?

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
                self.add(.notFormData)
            }
            self.checkBoundary(isQuoted: place.isQuoted)
            self.checkParameters(text, bytes)
        } catch {
            self.error = error
        }
    }

    private mutating func add(_ oddity: Oddity, _ details: String...) {
        self.findings.append(Finding(oddity, details, nil, nil))
    }

    private mutating func checkBoundary(isQuoted: Bool) {
        if let bad = self.boundary.first(where: { !$0.isBoundaryByte || $0 == 0x2C }) {
            self.add(.boundaryCharacters, String(Unicode.Scalar(bad)).withControlCharactersEscaped)
        }
        if self.boundary.count > 70 { self.add(.boundaryLength, "\(self.boundary.count, "byte")") }
        if self.boundary.last == 0x20 { self.add(.boundaryTrailingSpace) }
        // An apostrophe may be in a token, but some receivers take it for RFC 2231's.
        if !isQuoted, self.boundary.contains(where: { $0.isBoundaryByte && !$0.isTokenByte || $0 == 0x27 }) {
            self.add(.boundaryUnquoted)
        }
        if self.boundary.starts(with: "=?".utf8) { self.add(.encodedWord, "boundary") }
    }

    private mutating func checkParameters(_ text: String, _ bytes: [UInt8]) {
        let list = ParameterCheck(text)
        let example = "multipart/form-data; boundary=\"…\""
        // A boundary has its own rules.
        let isBoundary = self.findings.contains { [.boundaryUnquoted, .boundaryCharacters].contains($0.oddity) }
        if let slip = list.slip, slip != .unquoted || !isBoundary {
            self.add(.parameterSyntax, "Content-Type", slip.rawValue, example)
        } else if !list.isType {
            self.add(.parameterSyntax, "Content-Type", "has blanks in its type", example)
        }
        if let name = list.names.first(where: { $0.name.contains("*") })?.name {
            self.add(.extendedParameter, "Content-Type", name)
        }
        if list.names.contains(where: { $0.name == "charset" }) {
            let charset = ReceivedHeader.charset(of: bytes) ?? ""
            if !["utf-8", "utf8"].contains(charset) { self.add(.otherCharset, charset) }
        }
        if Set(list.names.map(\.name)).count < list.names.count { self.add(.duplicateParameter, "Content-Type") }
        if !isBoundary, bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 >= 0x7F }) {
            self.add(.controlCharacter, "Content-Type", "a control character, or one that isn't ASCII")
        }
        if bytes.count(ofWord: "boundary") > 1 + self.boundary.count(ofWord: "boundary") { self.add(.boundaryWord) }
    }
}
