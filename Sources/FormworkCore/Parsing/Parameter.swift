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

/// The parameters of a header field, read one after another: `*( ";" OWS name "=" ( token / quoted-string ) )`, which RFC 2045
/// §5.1, RFC 6266 §4.1 and RFC 7578 §4.2 share for the fields of forms.
///
/// What is read beyond that grammar, because some sender writes it, is in ``slip``: other receivers end a value
/// elsewhere, or don't see the parameter.
struct ParameterList {
    /// What isn't in the grammar, but is read. Half a sentence.
    enum Slip: String {
        case empty = "has an empty parameter, as ';;' or a ';' at the end"
        case blank = "has a blank before or after a '=', or before a ';'"
        case tab = "has a tab between parameters"
        case missingValue = "has a parameter with an empty value and no quotes"
        case unquoted = "has a value that isn't a token and isn't in quotes"
        case capitals = "has a parameter's name in capitals"
    }

    /// The place after the last parameter that was read.
    private(set) var place: Int
    private let end: Int
    private let backslashes: ParsingProfile.Backslashes
    /// The first one; `nil` if the list is written as the grammar says.
    private(set) var slip: Slip?

    /// - Parameter range: From the first `;` to the end of the value.
    init(_ range: Range<Int>, _ backslashes: ParsingProfile.Backslashes) {
        (self.place, self.end, self.backslashes) = (range.lowerBound, range.upperBound, backslashes)
    }

    private mutating func note(_ slip: Slip) { if self.slip == nil { self.slip = slip } }

    /// The next `; name=value`; `nil` at the end.
    ///
    /// Every byte is read a bounded number of times, so even a list of quotes and blanks takes linear time.
    mutating func next(in bytes: Span<UInt8>) throws(MalformedParameter) -> Parameter? {
        let before = self.place
        self.skipBlanks(bytes)
        guard self.place < self.end else { return nil }
        guard bytes[self.place] == 0x3B else { throw MalformedParameter(message: "there is text instead of a ';'") }
        if self.place > before { self.note(.blank) }
        // Empty parameters are skipped, as in `form-data;; name=a`.
        var separators = 0
        while self.place < self.end, bytes[self.place] == 0x3B || bytes[self.place].isBlank {
            if bytes[self.place] == 0x3B { separators += 1 } else if bytes[self.place] == 0x09 { self.note(.tab) }
            self.place += 1
        }
        if separators > 1 || self.place == self.end { self.note(.empty) }
        guard self.place < self.end else { return nil }

        let nameStart = self.place
        while self.place < self.end, bytes[self.place].isTokenByte {
            if bytes[self.place] &- 0x41 < 26 { self.note(.capitals) }
            self.place += 1
        }
        let name = nameStart..<self.place
        self.skipBlanks(bytes)
        guard !name.isEmpty, self.place < self.end, bytes[self.place] == 0x3D else {
            throw MalformedParameter(message: "a parameter isn't name=value")
        }
        self.place += 1
        self.skipBlanks(bytes)
        if self.place > name.upperBound + 1 { self.note(.blank) }
        guard self.place < self.end, bytes[self.place] == 0x22 else {
            return Parameter(name: name, value: try self.unquoted(bytes), isQuoted: false)
        }
        return Parameter(name: name, value: try self.quoted(bytes), isQuoted: true)
    }

    @inline(__always)
    private mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while self.place < self.end, bytes[self.place].isBlank { self.place += 1 }
    }

    private mutating func unquoted(_ bytes: Span<UInt8>) throws(MalformedParameter) -> Range<Int> {
        let start = self.place
        while self.place < self.end, bytes[self.place].isTokenByte { self.place += 1 }
        let tokenEnd = self.place
        while self.place < self.end, bytes[self.place] != 0x3B {
            guard bytes[self.place] != 0x22 else {
                throw MalformedParameter(message: "there is a quote inside a value")
            }
            self.place += 1
        }
        var valueEnd = self.place
        while valueEnd > start, bytes[valueEnd - 1].isBlank { valueEnd -= 1 }
        if valueEnd < self.place, self.place < self.end { self.note(.blank) }
        if valueEnd == start {
            self.note(.missingValue)
        } else if valueEnd > tokenEnd {
            self.note(.unquoted)
        }
        return start..<valueEnd
    }

    private mutating func quoted(_ bytes: Span<UInt8>) throws(MalformedParameter) -> Range<Int> {
        let start = self.place + 1
        var at = start
        while at < self.end {
            if bytes[at] == 0x5C, self.backslashes == .escape {
                at += 2
                continue
            }
            if bytes[at] == 0x22 {
                self.place = at + 1
                self.skipBlanks(bytes)
                // Firefox 3.6 and IE send unescaped quotes in names, and browsers a backslash at a name's end. So the
                // closing quote is the one that only the next parameter follows.
                if self.place == self.end || bytes[self.place] == 0x3B {
                    if self.place > at + 1, self.place < self.end { self.note(.blank) }
                    return start..<at
                }
                guard self.backslashes != .escape else {
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

/// The filename in a message's own `Content-Disposition` (RFC 6266), of any disposition type.
package enum DispositionFilename {
    /// The name as sent, preferably from `filename*`; `nil` if there is none, or the value can't be read.
    package static func read(_ value: String) -> String? {
        let text = Array(value.utf8)
        let bytes = text.span
        var list = ParameterList((text.firstIndex(of: 0x3B) ?? text.count)..<text.count, .escape)
        var plain: String?
        var extended: String?
        do throws(MalformedParameter) {
            while let next = try list.next(in: bytes) {
                let found = text[next.value]
                if next.name.count == 8, bytes.holds("filename", in: next.name) {
                    let undone = next.isQuoted ? ParsingProfile.Backslashes.escape.undone(found) : found
                    plain = plain ?? String(validating: undone, as: UTF8.self)
                } else if next.name.count == 9, bytes.holds("filename*", in: next.name) {
                    extended = extended ?? ExtendedValue.text(of: found)
                }
            }
        } catch {
            return nil
        }
        return extended ?? plain
    }
}

/// The value of an extended parameter, `charset'language'text` with `%XX` (RFC 8187 §3.2).
enum ExtendedValue {
    /// The text; `nil` for another charset than UTF-8 and ISO-8859-1, an invalid escape, bytes that are invalid in the
    /// charset, and text with NUL, CR or LF, which a plain value can't contain either.
    static func text(of value: ArraySlice<UInt8>) -> String? {
        let pieces = value.split(separator: 0x27, maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        guard let bytes = pieces[2].percentDecoded(isLoose: false),
            !bytes.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D })
        else { return nil }
        switch String(decoding: pieces[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        default: return nil
        }
    }
}
