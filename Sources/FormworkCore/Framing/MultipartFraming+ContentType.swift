extension MultipartFraming {
    /// A framing for the text of a `Content-Type`, such as `multipart/related; type="text/html"`.
    /// - Parameters:
    ///   - contentType: The type with its parameters. A `boundary` among them is used.
    ///   - boundary: The boundary if `contentType` has none.
    ///   - escaping: How names and filenames are escaped.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a type that isn't multipart, for a parameter that isn't
    ///   `name=value` or `name="value"` (it could hide the boundary from a receiver), and for an invalid or second
    ///   boundary.
    public init(
        contentType: String, boundary: Boundary = .random(), escaping: ParameterEscaping = .whatwg
    ) throws(FormworkError) {
        guard let pieces = Self.pieces(of: contentType) else {
            throw FormworkError(.invalidArgument, "a quote in \"\(contentType)\" isn't closed")
        }
        let type = pieces[0].asciiLowercased
        guard type.starts(with: "multipart/".utf8), type.dropFirst(10).allSatisfy(\.isTokenByte), type.count > 10 else {
            throw FormworkError(
                .invalidArgument,
                "\"\(contentType)\" is not a multipart type: write multipart/form-data, multipart/mixed, …")
        }
        var named: Boundary?
        var parameters: [String] = []
        for piece in pieces.dropFirst() where !piece.isEmpty {
            try Self.checkParameter(piece, in: contentType)
            guard let text = Self.boundary(in: piece) else {
                parameters.append(piece)
                continue
            }
            guard named == nil else {
                throw FormworkError(
                    .invalidArgument, "\"\(contentType)\" has a boundary twice: leave one out")
            }
            named = try Boundary(text)
        }
        try Self.checkNoOther(pieces, in: contentType)
        self.init(
            boundary: named ?? boundary, subtype: String(pieces[0].dropFirst(10)),
            parameters: parameters.joined(separator: "; "),
            escaping: escaping)
    }

    /// Checks the parameters as ``init(contentType:boundary:escaping:)`` does, and that they don't include a boundary.
    package func checkParameters() throws(FormworkError) {
        let type = self.typeWithoutBoundary
        guard let pieces = Self.pieces(of: type) else {
            throw FormworkError(.invalidArgument, "a quote in \"\(type)\" isn't closed")
        }
        for piece in pieces.dropFirst() where !piece.isEmpty {
            try Self.checkParameter(piece, in: type)
            guard Self.boundary(in: piece) == nil else {
                throw FormworkError(
                    .invalidArgument, "\"\(type)\" has its own boundary, which would hide the body's: remove it")
            }
        }
        try Self.checkNoOther(pieces, in: type)
    }

    /// Checks that a `Content-Type` has this framing's boundary exactly once, in a form that every receiver reads.
    package func checkBoundary(in contentType: String) throws(FormworkError) {
        let pieces = Self.pieces(of: contentType) ?? []
        let type = (pieces.first ?? "").utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        let boundaries = pieces.dropFirst().filter { Self.startsBoundary($0) }.map { $0.utf8.dropFirst(9) }
        let isToken = boundaries.first?.allSatisfy(\.isTokenByte) ?? false
        guard type.count == 2, type.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }), boundaries.count == 1,
            let written = boundaries.first,
            isToken
                ? written.elementsEqual(self.boundary.text.utf8)
                : written.elementsEqual("\"\(self.boundary.text)\"".utf8)
        else {
            throw FormworkError(
                .invalidArgument,
                "the type \"\(contentType)\" must have the boundary \"\(self.boundary)\" of the parts exactly once, in "
                    + "quotes if it needs them")
        }
        try Self.checkNoOther(pieces, in: contentType)
    }

    /// Checks that nothing else has the word "boundary". Some receivers read `boundary*=` and `boundary*0=` (RFC 2231), and PHP
    /// takes what comes after the first "boundary" of the whole value, whatever it belongs to.
    private static func checkNoOther(_ pieces: [String], in type: String) throws(FormworkError) {
        for piece in pieces where !self.startsBoundary(piece) && self.mentionsBoundary(piece) {
            throw FormworkError(
                .invalidArgument,
                "\"\(piece)\" in \"\(type)\" has the word \"boundary\", after which some receivers look for the body's "
                    + "boundary: remove it")
        }
    }

    private static let word = Array("boundary".utf8)

    private static func mentionsBoundary(_ piece: String) -> Bool {
        var matched = 0
        for byte in piece.utf8 {
            // Its first letter doesn't occur again in it.
            let isNext = byte.asciiLowercased == self.word[matched]
            matched = isNext ? matched + 1 : byte.asciiLowercased == self.word[0] ? 1 : 0
            if matched == self.word.count { return true }
        }
        return false
    }

    private static func startsBoundary(_ piece: String) -> Bool { piece.asciiLowercased.starts(with: "boundary=".utf8) }

    /// The value of the parameter `boundary`, without quotes around it; `nil` for another parameter.
    private static func boundary(in piece: String) -> String? {
        guard self.startsBoundary(piece) else { return nil }
        var value = piece.utf8.dropFirst(9)
        if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
            value = value.dropFirst().dropLast()
        }
        return String(Substring(value))
    }

    private static func checkParameter(_ piece: String, in type: String) throws(FormworkError) {
        guard !self.isParameter(piece) else { return }
        throw FormworkError(
            .invalidArgument, "\"\(piece)\" in \"\(type)\" is neither name=value nor name=\"value\"")
    }

    /// `name=value` without quotes or blanks, or `name="value"` (RFC 2045 section 5.1; values such as `text/html`,
    /// which should be quoted, are common and clear without).
    private static func isParameter(_ piece: String) -> Bool {
        let name = piece.utf8.prefix { $0 != UInt8(ascii: "=") }
        let value = piece.utf8.dropFirst(name.count + 1)
        guard name.count < piece.utf8.count, !name.isEmpty, name.allSatisfy(\.isTokenByte) else { return false }
        guard value.first == UInt8(ascii: "\"") else {
            return !value.contains { $0 == UInt8(ascii: "\"") || $0.isBlank }
        }
        var inside = value.dropFirst()
        while let byte = inside.popFirst() {
            if byte == UInt8(ascii: "\"") { return inside.isEmpty }
            if byte == UInt8(ascii: "\\") { inside = inside.dropFirst() }
        }
        return false
    }

    /// The pieces between unquoted `;`, without the blanks around them; `nil` if a quote isn't closed.
    private static func pieces(of text: String) -> [String]? {
        var pieces: [[UInt8]] = [[]]
        var (isQuoted, isEscaped) = (false, false)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            if byte == UInt8(ascii: ";"), !isQuoted {
                pieces.append([])
            } else {
                pieces[pieces.count - 1].append(byte)
            }
        }
        guard !isQuoted else { return nil }
        return pieces.map { piece in
            let end = piece.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? 0
            return String(decoding: piece[..<end].drop { $0.isBlank }, as: UTF8.self)
        }
    }
}
