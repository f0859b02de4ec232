/// Header lines in a file, as for curl's `headers=@file`: one per line, folded with a blank at a line's start. `#`
/// lines are ignored.
enum HeaderFile {
    /// The most bytes of a header in the strict grammar. curl cuts it after 998.
    private static let limit = 8190

    /// The headers in `bytes`, unfolded and without trailing space.
    /// - Throws: In the strict grammar, ``FormworkError/Code/invalidArgument`` for an invalid header, for one that
    ///   isn't UTF-8, and for one of more than 8190 bytes.
    static func lines(
        in bytes: [UInt8], grammar: FormGrammar, warnings: inout [String]
    ) throws(FormworkError) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var header: [UInt8] = []
        var (number, isLineStart, isComment, isCut) = (1, true, false, false)
        // The line on which the header begins.
        var start = 1
        let limit = grammar == .curl ? 998 : self.limit
        for byte in bytes {
            if isLineStart, !byte.isSpace { try self.take(&header, start, grammar, &lines) }
            switch byte {
            case 0x0D where grammar == .curl: continue
            case 0x0A:
                // With LF it ends the line. Elsewhere, a header with it is an error.
                if header.last == 0x0D { header.removeLast() }
                (isLineStart, isComment) = (true, false)
                number += 1
                continue
            case UInt8(ascii: "#") where isLineStart: isComment = true
            default: break
            }
            // The blank of a continued line is kept, so folding keeps words separate.
            isLineStart = false
            guard !isComment else { continue }
            if header.isEmpty { (isCut, start) = (false, number) }
            // A CR after the last byte may belong to the line's end, which the next byte shows.
            if header.count < limit || (header.count == limit && byte == 0x0D) {
                header.append(byte)
            } else if grammar == .strict {
                throw FormworkError(.invalidArgument, "line \(number): the header has more than \(limit, "byte")")
            } else if !isCut {
                isCut = true
                warnings.append("line \(number): header too long (truncated)")
            }
        }
        try self.take(&header, start, grammar, &lines)
        return lines
    }

    private static func take(
        _ header: inout [UInt8], _ number: Int, _ grammar: FormGrammar, _ lines: inout [[UInt8]]
    ) throws(FormworkError) {
        while header.last?.isSpace ?? false { header.removeLast() }
        guard !header.isEmpty else { return }
        defer { header.removeAll() }
        // curl stores lines as C strings, which end at NUL.
        lines.append(grammar == .curl ? Array(header.prefix { $0 != 0 }) : header)
        guard grammar == .strict else { return }
        guard let line = String(validating: header, as: UTF8.self) else {
            throw FormworkError(.invalidArgument, "line \(number): the header is not UTF-8")
        }
        do throws(FormworkError) { _ = try HeaderField(line: line) } catch {
            throw FormworkError(.invalidArgument, "line \(number): \(error.message)")
        }
    }
}
