/// An element of a store's answer: its name, its text, and its child elements.
///
/// Why not FoundationXML: it adds all of Foundation and libxml2 to a program that needs neither, for documents of a
/// dozen elements. This parser reads what S3's answers consist of (elements, text, the five entities and character
/// references, CDATA). It skips attributes, comments and processing instructions, and refuses everything else, above
/// all document types.
struct XMLResponse: Equatable, Sendable {
    /// Without a namespace's prefix.
    let name: String
    /// The text directly inside it, character data only.
    fileprivate(set) var text = ""
    fileprivate(set) var children: [XMLResponse] = []

    fileprivate init(name: String) { self.name = name }

    /// The text of the first child element of this name.
    subscript(name: String) -> String? { self.children.first { $0.name == name }?.text }

    /// - Returns: `nil` if the bytes aren't such a document.
    init?(_ bytes: some Sequence<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = XMLResponseReader(rest: text[...].unicodeScalars)
        guard let root = reader.document() else { return nil }
        self = root
    }
}

private struct XMLResponseReader {
    var rest: Substring.UnicodeScalarView
    private static let maximumDepth = 32

    init(rest: Substring.UnicodeScalarView) { self.rest = rest }

    mutating func document() -> XMLResponse? {
        _ = self.skip("\u{FEFF}")
        self.skipMisc()
        guard self.skip("<"), let root = self.element(depth: 1) else { return nil }
        self.skipMisc()
        return self.rest.isEmpty ? root : nil
    }

    /// An element whose `<` was read.
    private mutating func element(depth: Int) -> XMLResponse? {
        guard depth <= Self.maximumDepth, let name = self.name() else { return nil }
        var element = XMLResponse(name: name.split(separator: ":").last.map(String.init) ?? name)
        guard let isEmpty = self.skipAttributes() else { return nil }
        if isEmpty { return element }
        while let scalar = self.rest.first {
            if scalar == "<" {
                if self.skip("</") {
                    guard self.name() == name else { return nil }
                    self.skipBlanks()
                    return self.skip(">") ? element : nil
                } else if self.skip("<![CDATA[") {
                    guard let data = self.take(upTo: "]]>") else { return nil }
                    element.text += data
                } else if !self.skipMarkup() {
                    self.rest.removeFirst()
                    guard let child = self.element(depth: depth + 1) else { return nil }
                    element.children.append(child)
                }
            } else if scalar == "&" {
                guard let character = self.reference() else { return nil }
                element.text.unicodeScalars.append(character)
            } else {
                element.text.unicodeScalars.append(scalar)
                self.rest.removeFirst()
            }
        }
        return nil
    }

    /// Reads up to and including `>` or `/>`.
    /// - Returns: Whether the element is empty; `nil` when this isn't a tag.
    private mutating func skipAttributes() -> Bool? {
        while true {
            self.skipBlanks()
            if self.skip("/>") { return true }
            if self.skip(">") { return false }
            guard self.name() != nil else { return nil }
            self.skipBlanks()
            guard self.skip("=") else { return nil }
            self.skipBlanks()
            guard let quote = self.rest.popFirst(), quote == "\"" || quote == "'",
                let value = self.take(upTo: String(quote)), !value.contains("<")
            else { return nil }
        }
    }

    private mutating func name() -> String? {
        let name = self.rest.prefix { !" \t\r\n<>/=\"'&?!".unicodeScalars.contains($0) }
        self.rest.removeFirst(name.count)
        return name.isEmpty ? nil : String(name)
    }

    /// Reads `&amp;` and similar references.
    private mutating func reference() -> Unicode.Scalar? {
        self.rest.removeFirst()
        let name = String(self.rest.prefix(10).prefix { $0 != ";" })
        guard self.skip("\(name);") else { return nil }
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.hasPrefix("#") else { return nil }
            let isHexadecimal = name.hasPrefix("#x")
            let digits = name.dropFirst(isHexadecimal ? 2 : 1)
            return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
        }
    }

    /// Skips blanks, comments and processing instructions.
    private mutating func skipMisc() {
        repeat { self.skipBlanks() } while self.skipMarkup()
    }

    /// Skips a comment or a processing instruction.
    /// - Returns: Whether there was one. One without an end is left, and isn't an element either.
    private mutating func skipMarkup() -> Bool {
        let before = self.rest
        for (start, end) in [("<!--", "-->"), ("<?", "?>")] where self.skip(start) && self.take(upTo: end) != nil {
            return true
        }
        self.rest = before
        return false
    }

    private mutating func skipBlanks() {
        while let scalar = self.rest.first, " \t\r\n".unicodeScalars.contains(scalar) { self.rest.removeFirst() }
    }

    private mutating func skip(_ text: String) -> Bool {
        guard self.rest.starts(with: text.unicodeScalars) else { return false }
        self.rest.removeFirst(text.unicodeScalars.count)
        return true
    }

    private mutating func take(upTo end: String) -> String? {
        var taken = String.UnicodeScalarView()
        while !self.rest.isEmpty {
            if self.skip(end) { return String(taken) }
            taken.append(self.rest.removeFirst())
        }
        return nil
    }
}
