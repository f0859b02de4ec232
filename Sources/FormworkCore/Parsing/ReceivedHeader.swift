/// The header section of one received part: what the sender wrote, and what it means.
///
/// Names are read lazily from the section's bytes, which are held once. None of them is safe as a path: see
/// ``safeFilename``.
public struct ReceivedHeader: Sendable {
    /// A range of ``text`` in eight bytes, or none: headers are handed on by value, five ranges of Int and a flag each
    /// would be most of them.
    private struct Place {
        static let none = Place(start: .max, end: .max)
        var start: UInt32
        var end: UInt32

        /// The range; `nil` for none.
        @inline(__always) var range: Range<Int>? {
            self.start == .max ? nil : Int(self.start)..<Int(self.end)
        }

        @inline(__always) init(start: UInt32, end: UInt32) { (self.start, self.end) = (start, end) }

        /// A section has less than 4 GiB: ``MultipartParser`` takes no higher limit.
        @inline(__always) init(_ range: Range<Int>) {
            (self.start, self.end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
        }
    }

    /// The section as received: its lines with their line ends, without the empty line behind them.
    public let bytes: [UInt8]
    /// The section without folds; ``bytes`` itself where there were none.
    private let text: [UInt8]
    private let backslashes: ParsingProfile.Backslashes
    private let decodesPercentEscapes: Bool
    private var dispositionPlace = Place.none
    private var typePlace = Place.none
    private var namePlace = Place.none
    private var filenamePlace = Place.none
    private var extendedPlace = Place.none
    private var isNameQuoted = false
    private var isNameExtended = false
    private var isFilenameQuoted = false

    /// What `Content-Disposition` begins with, as received (`form-data`); `nil` without that field.
    public var disposition: String? { self.dispositionPlace.range.map { self.string($0) } }
    /// The field's name, repaired where it is no UTF-8; `nil` when there is none.
    ///
    /// It is the value of `name`, or where that is missing the text of `name*` (RFC 8187): so Rust's reqwest sends names
    /// beyond ASCII.
    public var name: String? {
        self.namePlace.range.flatMap {
            self.isNameExtended
                ? ExtendedValue.text(of: self.text[$0]) : self.unescaped($0, isQuoted: self.isNameQuoted)
        }
    }
    /// The name as received, without its quotes, escapes left, `name*` with its charset; `nil` when there is none.
    public var nameBytes: ArraySlice<UInt8>? { self.namePlace.range.map { self.text[$0] } }
    /// The file's name: ``extendedFilename`` if it can be read, else ``plainFilename``; `nil` when there is neither.
    public var filename: String? { self.extendedFilename ?? self.plainFilename }
    /// The value of `filename`, repaired where it is no UTF-8; `nil` when there is none.
    public var plainFilename: String? {
        self.filenamePlace.range.map { self.unescaped($0, isQuoted: self.isFilenameQuoted) }
    }
    /// The value of `filename` as received, without its quotes, escapes left; `nil` when there is none.
    public var filenameBytes: ArraySlice<UInt8>? { self.filenamePlace.range.map { self.text[$0] } }
    /// The text of `filename*` (RFC 8187); `nil` when there is none, or none in valid UTF-8 or ISO-8859-1.
    public var extendedFilename: String? { self.extendedPlace.range.flatMap { ExtendedValue.text(of: self.text[$0]) } }
    /// The value of `filename*` as received; `nil` when there is none.
    public var extendedFilenameBytes: ArraySlice<UInt8>? { self.extendedPlace.range.map { self.text[$0] } }
    /// Whether the part is a file: it has `filename` or `filename*`, whatever they hold.
    public var isFile: Bool { self.filenamePlace.range != nil || self.extendedPlace.range != nil }
    /// ``filename`` made fit for a folder of the receiver's, see ``SafeFilename``; `nil` when nothing is left of it.
    public var safeFilename: String? { self.filename.flatMap { SafeFilename($0)?.text } }
    /// The value of `Content-Type`, folds joined; `nil` without that field, which means `text/plain` (RFC 7578 §4.4).
    public var contentType: String? { self.typePlace.range.map { self.string($0) } }

    /// All fields in their order, values without surrounding blanks, folds joined.
    public var fields: [ReceivedField] {
        self.text.split(separator: 0x0A).compactMap { line in
            guard let colon = line.firstIndex(of: 0x3A) else { return nil }
            let value = (line.last == 0x0D ? line.dropLast() : line)[(colon + 1)...]
            return ReceivedField(name: Self.trimmed(line[..<colon]), value: Self.trimmed(value))
        }
    }

    /// The values of all fields of that name, in any case.
    public func values(of name: String) -> [String] {
        self.fields.filter { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name.lowercased() }
            .map(\.value)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let end = bytes.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[..<end].drop(while: \.isBlank), as: UTF8.self)
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: self.text[range], as: UTF8.self) }

    private func unescaped(_ range: Range<Int>, isQuoted: Bool) -> String {
        let bytes = isQuoted ? self.backslashes.undone(self.text[range]) : self.text[range]
        guard self.decodesPercentEscapes else { return String(decoding: bytes, as: UTF8.self) }
        return Self.withoutPercentEscapes(bytes)
    }

    /// The three escapes that WHATWG HTML writes, undone in one pass.
    private static func withoutPercentEscapes(_ bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            text.append(byte)
            guard byte == 0x25 else { continue }
            let escaped: UInt8 =
                switch String(decoding: rest.prefix(2), as: UTF8.self).uppercased() {
                case "22": 0x22
                case "0D": 0x0D
                case "0A": 0x0A
                default: 0x25
                }
            if escaped != 0x25 { (text[text.count - 1], rest) = (escaped, rest.dropFirst(2)) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// One field of a received header section, as text.
public struct ReceivedField: Hashable, Sendable {
    /// The name as received; its case says nothing.
    public var name: String
    /// The value without surrounding blanks, repaired where it is no UTF-8.
    public var value: String
}

extension ReceivedHeader: Hashable {
    /// Whether the same bytes were received.
    public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
    /// Feeds the bytes received.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }
}

extension ReceivedHeader {
    /// The section of a ``PlainField``.
    init(plain section: [UInt8], name: Range<Int>, _ profile: ParsingProfile) {
        (self.bytes, self.text) = (section, section)
        (self.backslashes, self.decodesPercentEscapes) = (profile.backslashes, profile.decodesPercentEscapes)
        (self.namePlace, self.isNameQuoted) = (Place(name), true)
        self.dispositionPlace = Place(21..<30)
    }

    /// Understands a section whose lines were judged.
    /// - Parameter offset: Where the section begins in the body, for errors.
    init(
        _ section: [UInt8], _ lines: HeaderLines, _ profile: ParsingProfile, nameLimit: Int, at offset: Int64
    ) throws(FormworkError) {
        self.bytes = section
        (self.backslashes, self.decodesPercentEscapes) = (profile.backslashes, profile.decodesPercentEscapes)
        var lines = lines
        if lines.hasFolds {
            self.text = HeaderLines.unfolded(section)
            lines = HeaderLines()
            _ = try lines.read(self.text, profile, countLimit: .max, at: offset)
        } else {
            self.text = section
        }
        if let type = lines.contentType { self.typePlace = Place(Self.trimmed(type, in: self.text.span)) }
        do throws(MalformedParameter) {
            if let value = lines.disposition { try self.readDisposition(value, profile) }
        } catch {
            let failure = ParsingFailure(error.isDuplicate ? .duplicateParameter : .malformedHeader)
            throw failure.error("Content-Disposition can't be read: \(error.message).", at: offset)
        }
        try self.check(profile, nameLimit, offset)
    }

    private static func trimmed(_ range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start].isBlank { start += 1 }
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    private mutating func readDisposition(
        _ range: Range<Int>, _ profile: ParsingProfile
    ) throws(MalformedParameter) {
        let text = self.text
        let bytes = text.span
        var place = range.lowerBound
        var extendedName: Range<Int>?
        while place < range.upperBound, bytes[place] != 0x3B { place += 1 }
        self.dispositionPlace = Place(Self.trimmed(range.lowerBound..<place, in: bytes))
        while let next = try bytes.nextParameter(at: &place, before: range.upperBound, profile.backslashes) {
            switch next.name.count {
            case 4 where bytes.holds("name", in: next.name):
                guard self.namePlace.range == nil else { throw MalformedParameter(duplicate: "name") }
                (self.namePlace, self.isNameQuoted) = (Place(next.value), next.isQuoted)
            case 5 where bytes.holds("name*", in: next.name):
                guard extendedName == nil else { throw MalformedParameter(duplicate: "name*") }
                extendedName = next.value
            case 8 where bytes.holds("filename", in: next.name):
                guard self.filenamePlace.range == nil else { throw MalformedParameter(duplicate: "filename") }
                (self.filenamePlace, self.isFilenameQuoted) = (Place(next.value), next.isQuoted)
            case 9 where bytes.holds("filename*", in: next.name):
                guard self.extendedPlace.range == nil else { throw MalformedParameter(duplicate: "filename*") }
                guard profile.extendedFilenames == .accepted else {
                    throw MalformedParameter(message: "it has filename*, which RFC 7578 forbids")
                }
                self.extendedPlace = Place(next.value)
            default: break
            }
        }
        // Beside `name` it is one of the parameters that nobody asked for, and most receivers don't know.
        guard let extendedName, self.namePlace.range == nil, profile.extendedFilenames == .accepted,
            ExtendedValue.text(of: text[extendedName]) != nil
        else { return }
        (self.namePlace, self.isNameExtended) = (Place(extendedName), true)
    }

    private func check(_ profile: ParsingProfile, _ nameLimit: Int, _ offset: Int64) throws(FormworkError) {
        if profile.subtype == .formData {
            guard let type = self.dispositionPlace.range, self.text.span.holds("form-data", in: type) else {
                throw ParsingFailure(.missingContentDisposition)
                    .error("A part has no Content-Disposition: form-data.", at: offset)
            }
            guard self.namePlace.range != nil else {
                throw ParsingFailure(.missingName).error("A part's Content-Disposition has no name.", at: offset)
            }
        }
        if let name = self.namePlace.range, name.count > nameLimit {
            throw ParsingFailure(.nameBytesLimit, limit: Int64(nameLimit))
                .error("A field's name has \(name.count) bytes: the limit is \(nameLimit).", at: offset)
        }
        guard profile.invalidText == .refused else { return }
        for range in [self.namePlace.range, self.filenamePlace.range] {
            guard let range, String(validating: self.text[range], as: UTF8.self) == nil else { continue }
            throw ParsingFailure(.invalidText).error("A part's name or filename is no UTF-8.", at: offset)
        }
    }
}
