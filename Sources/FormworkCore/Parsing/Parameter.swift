/// One parameter of a header field, as ranges of the field's bytes.
struct Parameter {
    /// The name, a token.
    var name: Range<Int>
    /// The text between the quotes, or, without quotes, up to the next `;`.
    var value: Range<Int>
    /// Whether the value was in quotes.
    var isQuoted: Bool
}

/// Why a parameter list can't be read.
struct MalformedParameter: Error {
    /// Half a sentence.
    var message: String
    /// Whether a parameter occurs twice.
    var isDuplicate = false

    init(message: String) { self.message = message }

    init(duplicate name: String) { (self.message, self.isDuplicate) = ("it has two \(name) parameters", true) }
}

extension Span<UInt8> {
    /// The next `; name=value` at `place`, which moves after it; `nil` at the end.
    ///
    /// Every byte is read a bounded number of times, so even a list of quotes and blanks takes linear time.
    func nextParameter(
        at place: inout Int, before end: Int, _ backslashes: ParsingProfile.Backslashes
    ) throws(MalformedParameter) -> Parameter? {
        self.skipBlanks(&place, end)
        guard place < end else { return nil }
        guard self[place] == 0x3B else { throw MalformedParameter(message: "there is text instead of a ';'") }
        // Empty parameters are skipped, as in `form-data;; name=a`.
        while place < end, self[place] == 0x3B || self[place].isBlank { place += 1 }
        guard place < end else { return nil }

        let nameStart = place
        while place < end, self[place].isTokenByte { place += 1 }
        let name = nameStart..<place
        self.skipBlanks(&place, end)
        guard !name.isEmpty, place < end, self[place] == 0x3D else {
            throw MalformedParameter(message: "a parameter isn't name=value")
        }
        place += 1
        self.skipBlanks(&place, end)
        guard place < end, self[place] == 0x22 else {
            return Parameter(name: name, value: try self.unquoted(&place, end), isQuoted: false)
        }
        return Parameter(name: name, value: try self.quoted(&place, end, backslashes), isQuoted: true)
    }

    private func skipBlanks(_ place: inout Int, _ end: Int) {
        while place < end, self[place].isBlank { place += 1 }
    }

    private func unquoted(_ place: inout Int, _ end: Int) throws(MalformedParameter) -> Range<Int> {
        let start = place
        while place < end, self[place] != 0x3B {
            guard self[place] != 0x22 else { throw MalformedParameter(message: "there is a quote inside a value") }
            place += 1
        }
        var valueEnd = place
        while valueEnd > start, self[valueEnd - 1].isBlank { valueEnd -= 1 }
        return start..<valueEnd
    }

    private func quoted(
        _ place: inout Int, _ end: Int, _ backslashes: ParsingProfile.Backslashes
    ) throws(MalformedParameter) -> Range<Int> {
        let start = place + 1
        var at = start
        while at < end {
            if self[at] == 0x5C, backslashes == .escape {
                at += 2
                continue
            }
            if self[at] == 0x22 {
                place = at + 1
                self.skipBlanks(&place, end)
                // Firefox 3.6 and IE send unescaped quotes in names, and browsers a backslash at a name's end. So the
                // closing quote is the one that only the next parameter follows.
                if place == end || self[place] == 0x3B { return start..<at }
                guard backslashes != .escape else {
                    throw MalformedParameter(message: "text follows a closing quote")
                }
            }
            at += 1
        }
        throw MalformedParameter(message: "a quote isn't closed, or text follows it")
    }
}

extension ParsingProfile.Backslashes {
    /// The unescaped text between quotes.
    func undone(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard self != .literal, bytes.contains(0x5C) else { return bytes }
        guard self == .escape || zip(bytes, bytes.dropFirst()).contains(where: { $0 == 0x5C && $1 == 0x22 }) else {
            return bytes
        }
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            // With `guessed`, only pairs that some sender writes are escapes.
            let isPair = byte == 0x5C && rest.first.map { self == .escape || $0.isEscapedBySome } ?? false
            text.append(isPair ? rest.removeFirst() : byte)
        }
        return text[...]
    }
}

extension UInt8 {
    /// Backslash, quote, and, because of aiohttp, SP and TAB.
    fileprivate var isEscapedBySome: Bool { self == 0x5C || self == 0x22 || self.isBlank }
}
