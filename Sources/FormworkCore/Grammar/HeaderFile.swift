/// Header lines in a file, as curl's `headers=@file` has them: one a line, folded by a blank at a line's start, `#`
/// lines left out.
package enum HeaderFile {
    /// A header may have this many bytes where curl's limit of 998 doesn't cut it.
    private static let limit = 8190

    /// The headers in `bytes`, unfolded and without the space at their ends.
    /// - Throws: In the strict grammar ``FormworkError/Code/invalidArgument`` for what is no header in UTF-8, and for one
    ///   of more than 8190 bytes.
    package static func lines(
        in bytes: [UInt8], grammar: FormGrammar, warnings: inout [String]
    ) throws(FormworkError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var header: [UInt8] = []
        var (number, isLineStart, isComment, isCut) = (1, true, false, false)
        let limit = grammar == .curl ? 998 : self.limit
        for byte in bytes {
            if isLineStart, !byte.isSpace { try self.take(&header, number, grammar, &lines) }
            switch byte {
            case 0x0D: continue
            case 0x0A:
                (isLineStart, isComment) = (true, false)
                number += 1
                continue
            case UInt8(ascii: "#") where isLineStart: isComment = true
            default: break
            }
            // A blank where a line is continued stands there as it is, so folding keeps words apart.
            isLineStart = false
            guard !isComment else { continue }
            if header.isEmpty { isCut = false }
            if header.count < limit {
                header.append(byte)
            } else if grammar == .strict {
                throw FormworkError(.invalidArgument, "line \(number): the header has more than \(limit) bytes")
            } else if !isCut {
                isCut = true
                warnings.append("line \(number): header too long (truncated)")
            }
        }
        try self.take(&header, number, grammar, &lines)
        return lines
    }

    private static func take(
        _ header: inout [UInt8], _ number: Int, _ grammar: FormGrammar, _ lines: inout [[UInt8]]
    ) throws(FormworkError) {
        while header.last?.isSpace ?? false { header.removeLast() }
        guard !header.isEmpty else { return }
        defer { header.removeAll() }
        // curl keeps lines as C strings.
        lines.append(grammar == .curl ? Array(header.prefix { $0 != 0 }) : header)
        guard grammar == .strict else { return }
        guard let line = String(validating: header, as: UTF8.self) else {
            throw FormworkError(.invalidArgument, "the header that ends before line \(number + 1) is not UTF-8")
        }
        do throws(FormworkError) { _ = try HeaderField(line: line) } catch {
            throw FormworkError(.invalidArgument, "before line \(number + 1): \(error.message)")
        }
    }
}
