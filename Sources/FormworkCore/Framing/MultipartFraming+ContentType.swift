extension MultipartFraming {
    /// A framing for a `Content-Type` in words: `multipart/related; type="text/html"`.
    /// - Parameters:
    ///   - contentType: The type with its parameters. A `boundary` among them is taken.
    ///   - boundary: The boundary when `contentType` has none.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a type that isn't multipart, and for a boundary that is none.
    public init(
        contentType: String, boundary: Boundary = .random(), escaping: ParameterEscaping = .whatwg
    ) throws(FormworkError) {
        let pieces = Self.pieces(of: contentType)
        let type = pieces[0].lowercased()
        guard type.hasPrefix("multipart/"), type.utf8.dropFirst(10).allSatisfy(\.isTokenByte), type.utf8.count > 10
        else {
            throw FormworkError(
                .invalidArgument,
                "\"\(contentType)\" is no multipart type: write multipart/form-data, multipart/mixed, …")
        }
        var named = boundary
        var parameters: [String] = []
        for piece in pieces.dropFirst() where !piece.isEmpty {
            guard piece.lowercased().hasPrefix("boundary=") else {
                parameters.append(piece)
                continue
            }
            var value = piece.dropFirst("boundary=".count)
            if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
            named = try Boundary(String(value))
        }
        self.init(
            boundary: named, subtype: String(pieces[0].dropFirst(10)), parameters: parameters.joined(separator: "; "),
            escaping: escaping)
    }

    /// What stands between `;` that are not in quotes, without the blanks around it.
    private static func pieces(of text: String) -> [String] {
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
        return pieces.map { piece in
            let end = piece.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? 0
            return String(decoding: piece[..<end].drop { $0.isBlank }, as: UTF8.self)
        }
    }
}
