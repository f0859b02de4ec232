// The bytes between the parts. The parser reports no events for them, so the bytes are checked here.

extension FormLint {
    mutating func readFirstDelimiter(_ chunk: RawSpan, _ start: Int64, isClose: Bool, before end: Int64) {
        let parser = self.parser
        self.hasReadFirstDelimiter = true
        self.explained = max(self.explained, parser?.preambleBytes ?? 0)
        let line = self.bytes(self.explained..<end, chunk, start)
        if self.explained > 0 || line.first != 0x2D {
            let what = parser?.hasPreambleText ?? false ? "There is text" : "There are line ends"
            self.add(.preamble, "\(what) before the first delimiter: begin the body with it.", at: 0)
        }
        let dashes = line.firstIndex(of: 0x2D) ?? line.startIndex
        let lineEnd = line[min(line.endIndex, dashes + 2 + self.boundaryCount)...].firstIndex(of: 0x0A)
        let stop = isClose ? dashes + 4 + self.boundaryCount : (lineEnd ?? line.endIndex - 1) + 1
        self.checkDelimiter(line[..<stop], at: self.explained)
        self.explained += Int64(stop - line.startIndex)
    }

    /// - Parameter line: The delimiter, from the line end before it to its own, or to the closing dashes.
    mutating func checkDelimiter(_ line: ArraySlice<UInt8>, at offset: Int64) {
        guard let dashes = line.firstIndex(of: 0x2D) else { return }
        if line.first == 0x0A { self.tellBareLineFeed(at: offset) }
        let rest = line[min(line.endIndex, dashes + 2 + self.boundaryCount)...]
        guard rest.last == 0x0A else { return }
        self.checkEnd(of: rest, count: Int64(rest.count), at: offset)
    }

    /// - Parameter rest: The bytes after a delimiter up to its line's end, or the last two of them.
    private mutating func checkEnd(of rest: ArraySlice<UInt8>, count: Int64, at offset: Int64) {
        let isLine = rest.last == 0x0A
        let isCRLF = isLine && rest.dropLast().last == 0x0D
        if isLine, !isCRLF { self.tellBareLineFeed(at: offset) }
        guard count > (isCRLF ? 2 : isLine || rest.last == 0x0D ? 1 : 0) else { return }
        self.addOnce(.padding, "Blanks follow a delimiter on its line: remove them.", at: offset)
    }

    mutating func checkClosing(upTo end: Int64) {
        let count = end - self.explained
        guard count > 0 else { return }
        self.checkEnd(of: self.closing.last[...], count: count, at: self.explained)
    }

    mutating func checkLineEnds(of header: ReceivedHeader, _ emptyLine: ArraySlice<UInt8>) {
        let isBare = zip([0x0A] + header.bytes, header.bytes).contains { $1 == 0x0A && $0 != 0x0D }
        if isBare || !emptyLine.elementsEqual([0x0D, 0x0A]) { self.tellBareLineFeed(at: self.explained) }
    }

    private mutating func tellBareLineFeed(at offset: Int64) {
        self.addOnce(
            .bareLineFeed, "A line of the framing or of a header ends with LF only: end all lines with CRLF.",
            at: offset)
    }
}

/// The end of the close delimiter's line.
struct ClosingLine: Sendable {
    /// Its last two bytes.
    private(set) var last: [UInt8] = []

    mutating func take(_ bytes: ArraySlice<UInt8>) { self.last = (self.last + bytes).suffix(2) }
}
