/// The header section of one received part, as bytes and parsed.
///
/// Names are read lazily from the section's bytes, which are stored once. None of them is safe as a path: see
/// ``safeFilename``.
public struct ReceivedHeader: Sendable {
    /// A range of ``text`` in eight bytes, or none, so that a header and its parser's event fit in four registers.
    fileprivate struct ValueRange {
        static let none = ValueRange(start: .max, end: .max)
        var start: UInt32
        var end: UInt32

        /// The range; `nil` for none.
        @inline(__always) var range: Range<Int>? {
            self.start == .max ? nil : Int(self.start)..<Int(self.end)
        }

        @inline(__always) init(start: UInt32, end: UInt32) { (self.start, self.end) = (start, end) }

        /// A section has less than 4 GiB, because ``MultipartParser`` accepts no higher limit.
        @inline(__always) init(_ range: Range<Int>) {
            (self.start, self.end) = (UInt32(range.lowerBound), UInt32(range.upperBound))
        }
    }

    /// Details that most parts, the ``PlainField``s, don't have.
    fileprivate struct Details {
        /// The section without folds; `nil` if there were none.
        var unfolded: [UInt8]?
        var disposition = ValueRange.none
        var type = ValueRange.none
        var filename = ValueRange.none
        var extended = ValueRange.none
        var isNameExtended = false
        var isFilenameQuoted = false
        /// A url-encoded field's name that is escaped in the section; `nil` for all others.
        var escapedName: [UInt8]?

        /// Whether the name is `name`, in the section as received.
        var isNameInSection: Bool { self.unfolded == nil && !self.isNameExtended && self.escapedName == nil }
    }

    private final class Box: Sendable {
        let details: Details
        init(_ details: Details) { self.details = details }
    }

    /// The section as received: its lines with their line ends, without the empty line after them.
    public let bytes: [UInt8]
    /// `nil` for a ``PlainField``.
    private let box: Box?
    private let namePlace: ValueRange
    private let isNameQuoted: Bool
    private let backslashes: ParsingProfile.Backslashes
    private let decodesPercentEscapes: Bool

    /// The section without folds.
    private var text: [UInt8] { self.box?.details.unfolded ?? self.bytes }
    private var filenamePlace: ValueRange { self.box?.details.filename ?? .none }
    private var extendedPlace: ValueRange { self.box?.details.extended ?? .none }
    private var escapedName: [UInt8]? { self.box?.details.escapedName }

    /// The disposition type of `Content-Disposition`, as received (`form-data`); `nil` without that field.
    public var disposition: String? {
        guard let box = self.box else { return self.string(PlainField.disposition) }
        return box.details.disposition.range.map { self.string($0) }
    }
    /// The field's name, repaired if it isn't UTF-8; `nil` if there is none.
    ///
    /// It is the value of `name`, or without it the text of `name*` (RFC 8187), with which Rust's reqwest sends names
    /// that aren't ASCII.
    public var name: String? {
        if let name = self.escapedName { return String(decoding: name, as: UTF8.self) }
        return self.namePlace.range.flatMap {
            self.box?.details.isNameExtended ?? false
                ? ExtendedValue.text(of: self.text[$0]) : self.unescaped($0, isQuoted: self.isNameQuoted)
        }
    }
    /// The name as received, without its quotes but with its escapes, and for `name*` with its charset; `nil` if there
    /// is none.
    public var nameBytes: ArraySlice<UInt8>? { self.escapedName?[...] ?? self.namePlace.range.map { self.text[$0] } }
    /// The file's name: `filename*` (RFC 8187) if it can be read, otherwise `filename`; `nil` if there is neither.
    /// Repaired if it isn't UTF-8.
    public var filename: String? { self.extendedFilename ?? self.plainFilename }
    /// The value of `filename`, repaired if it isn't UTF-8; `nil` if there is none.
    var plainFilename: String? {
        self.filenamePlace.range.map { self.unescaped($0, isQuoted: self.box?.details.isFilenameQuoted ?? false) }
    }
    /// The value of `filename` as received, without its quotes but with its escapes; `nil` if there is none.
    public var filenameBytes: ArraySlice<UInt8>? { self.filenamePlace.range.map { self.text[$0] } }
    /// The text of `filename*` (RFC 8187); `nil` if there is none, or it isn't valid UTF-8 or ISO-8859-1.
    package var extendedFilename: String? { self.extendedPlace.range.flatMap { ExtendedValue.text(of: self.text[$0]) } }
    /// The value of `filename*` as received; `nil` if there is none.
    package var extendedFilenameBytes: ArraySlice<UInt8>? { self.extendedPlace.range.map { self.text[$0] } }
    /// Whether the part is a file: it has `filename` or `filename*`, with any value.
    public var isFile: Bool {
        guard let box = self.box else { return false }
        return box.details.filename.range != nil || box.details.extended.range != nil
    }
    /// ``filename`` made safe for a folder, see ``SafeFilename``; `nil` if nothing is left of it.
    public var safeFilename: String? { self.filename.flatMap { SafeFilename($0)?.text } }
    /// What is odd in the part if it has content: receivers take an empty `filename`, or the type of a file or a form, for that or not.
    var contentOddity: Oddity? {
        guard let details = self.box?.details else { return nil }
        guard !self.isFile else {
            return details.filename.range?.isEmpty ?? false && details.extended.range == nil ? .emptyFilename : nil
        }
        guard let type = details.type.range else { return nil }
        let others = ["application/octet-stream", "application/x-www-form-urlencoded"]
        let isOther = others.contains { self.text.span.holds($0, in: type.prefix($0.utf8.count)) }
        return isOther ? .fileType : nil
    }
    /// Whether this is a ``PlainField``.
    package var isPlainField: Bool { self.box == nil }
    /// Whether the name is from `name`, not from `name*`.
    package var isNamePlain: Bool { !(self.box?.details.isNameExtended ?? false) }
    /// Whether there is a `Content-Type`.
    package var hasContentType: Bool { self.box?.details.type.range != nil }
    /// Whether ``name`` is a text, compared byte for byte. Most other names aren't decoded to find out.
    package func isNamed(_ text: String) -> Bool {
        guard let range = self.namePlace.range else { return false }
        if self.box?.details.isNameInSection ?? true, let wanted = text.utf8.first, wanted < 0x80 {
            // Only escapes begin with another byte than their text, and only bytes that aren't UTF-8 become longer: three
            // instead of one.
            guard range.count * 3 >= text.utf8.count else { return false }
            let first = self.bytes[range.lowerBound]
            guard first == wanted || first == 0x5C || first == 0x25 else { return false }
            // Without a backslash or a percent sign there are no escapes.
            let isSame = self.bytes.withRawSpan { text.hasSameBytes(as: $0, range) }
            if isSame, !text.contains(byte: 0x5C, or: 0x25) { return true }
        }
        return self.name?.hasSameBytes(as: text) ?? false
    }
    /// The value of `Content-Type`, unfolded; `nil` without that field, which means `text/plain` (RFC 7578 §4.4).
    public var contentType: String? { self.box?.details.type.range.map { self.string($0) } }

    /// All fields in their order, with unfolded values without surrounding blanks.
    public var fields: [(name: String, value: String)] {
        self.text.split(separator: 0x0A).compactMap { line in
            guard let colon = line.firstIndex(of: 0x3A) else { return nil }
            let value = (line.last == 0x0D ? line.dropLast() : line)[(colon + 1)...]
            return (Self.trimmed(line[..<colon]), Self.trimmed(value))
        }
    }

    /// The values of all fields with a case-insensitive name.
    public func values(of name: String) -> [String] {
        self.fields.filter { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name.lowercased() }
            .map(\.value)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.trimmingBlanks, as: UTF8.self)
    }

    private func string(_ range: Range<Int>) -> String { String(decoding: self.text[range], as: UTF8.self) }

    private func unescaped(_ range: Range<Int>, isQuoted: Bool) -> String {
        if !self.decodesPercentEscapes, self.box == nil {
            // Nearly all names.
            let name = self.bytes.withRawSpan { bytes in
                bytes.firstIndex(of: 0x5C, from: range.lowerBound, to: range.upperBound) == range.upperBound
                    ? bytes.text(in: range) : nil
            }
            if let name { return name }
        }
        let bytes = isQuoted ? self.backslashes.undone(self.text[range]) : self.text[range]
        guard self.decodesPercentEscapes else { return String(decoding: bytes, as: UTF8.self) }
        return Self.withoutPercentEscapes(bytes)
    }

    /// Decodes the three escapes of WHATWG HTML, in one pass.
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

extension ReceivedHeader: Hashable {
    /// Whether the same bytes were received.
    public static func == (left: Self, right: Self) -> Bool {
        left.bytes == right.bytes && left.escapedName == right.escapedName
    }
    /// Hashes the received bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }
}

extension ReceivedHeader {
    /// The section of a ``PlainField``.
    init(plain section: [UInt8], name: Range<Int>, _ profile: ParsingProfile) {
        (self.bytes, self.box) = (section, nil)
        (self.backslashes, self.decodesPercentEscapes) = (profile.backslashes, profile.decodesPercentEscapes)
        (self.namePlace, self.isNameQuoted) = (ValueRange(name), true)
    }

    /// The section that a ``PlainField`` of this name has.
    ///
    /// In a url-encoded name, a quote or a line end is escaped as in WHATWG HTML: it must not end the name, nor begin
    /// another field.
    init(fieldNamed received: ArraySlice<UInt8>, _ names: FieldNames) {
        let head = PartHeader.usualStart.utf8.count
        var (name, details) = (received, Details?.none)
        if !names.areQuoted, received.contains(where: { $0 == 0x22 || $0 == 0x0D || $0 == 0x0A }) {
            name =
                received.flatMap { byte -> [UInt8] in
                    switch byte {
                    case 0x22: Array("%22".utf8)
                    case 0x0D: Array("%0D".utf8)
                    case 0x0A: Array("%0A".utf8)
                    default: [byte]
                    }
                }[...]
            details = Details(
                disposition: ValueRange(PlainField.disposition), escapedName: Array(received))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(head + name.count + 3)
        bytes.append(contentsOf: PartHeader.usualStart.utf8)
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: "\"\r\n".utf8)
        (self.bytes, self.box) = (bytes, details.map(Box.init))
        (self.backslashes, self.decodesPercentEscapes) = (names.backslashes, names.decodesPercentEscapes)
        (self.namePlace, self.isNameQuoted) = (ValueRange(head..<head + name.count), names.areQuoted)
    }

    /// Parses a section whose lines were checked.
    /// - Parameter offset: The section's offset in the body, for errors.
    init(
        _ section: [UInt8], _ lines: HeaderLines, _ profile: ParsingProfile, nameLimit: Int, at offset: Int64
    ) throws(FormworkError) {
        self.bytes = section
        (self.backslashes, self.decodesPercentEscapes) = (profile.backslashes, profile.decodesPercentEscapes)
        var lines = lines
        var details = Details()
        var text = section
        if lines.hasFolds {
            text = HeaderLines.unfolded(section)
            details.unfolded = text
            lines = HeaderLines()
            _ = try lines.read(text, profile, countLimit: .max, at: offset)
        }
        if let type = lines.contentType { details.type = ValueRange(Self.trimmed(type, in: text.span)) }
        var name = (range: Range<Int>?.none, isQuoted: false)
        do throws(MalformedParameter) {
            if let value = lines.disposition { name = try details.readDisposition(value, of: text, profile) }
        } catch {
            let failure = ParsingFailure(error.isDuplicate ? .duplicateParameter : .malformedHeader)
            throw failure.error("Content-Disposition can't be read: \(error.message).", at: offset)
        }
        (self.namePlace, self.isNameQuoted) = (name.range.map(ValueRange.init) ?? .none, name.isQuoted)
        self.box = Box(details)
        try self.check(profile, nameLimit, offset)
    }

    fileprivate static func trimmed(_ range: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start].isBlank { start += 1 }
        while end > start, bytes[end - 1].isBlank { end -= 1 }
        return start..<end
    }

    private func check(_ profile: ParsingProfile, _ nameLimit: Int, _ offset: Int64) throws(FormworkError) {
        if !profile.acceptsAnyMultipart {
            guard let type = self.box?.details.disposition.range, self.text.span.holds("form-data", in: type) else {
                throw ParsingFailure(.missingContentDisposition)
                    .error("A part has no Content-Disposition: form-data.", at: offset)
            }
            guard self.namePlace.range != nil else {
                throw ParsingFailure(.missingName).error("A part's Content-Disposition has no name.", at: offset)
            }
        }
        if let name = self.namePlace.range, name.count > nameLimit {
            throw ParsingFailure(.nameBytesLimit, limit: Int64(nameLimit))
                .error("A field's name has \(name.count, "byte"): the limit is \(nameLimit).", at: offset)
        }
    }
}

extension ReceivedHeader.Details {
    /// Reads the value of `Content-Disposition`.
    /// - Returns: The place of the field's name.
    fileprivate mutating func readDisposition(
        _ range: Range<Int>, of text: [UInt8], _ profile: ParsingProfile
    ) throws(MalformedParameter) -> (range: Range<Int>?, isQuoted: Bool) {
        let bytes = text.span
        var place = range.lowerBound
        var name: Range<Int>?
        var isNameQuoted = false
        var extendedName: Range<Int>?
        while place < range.upperBound, bytes[place] != 0x3B { place += 1 }
        self.disposition = .init(ReceivedHeader.trimmed(range.lowerBound..<place, in: bytes))
        var list = ParameterList(place..<range.upperBound, profile.backslashes)
        while let next = try list.next(in: bytes) {
            switch next.name.count {
            case 4 where bytes.holds("name", in: next.name):
                guard name == nil else { throw MalformedParameter(duplicate: "name") }
                (name, isNameQuoted) = (next.value, next.isQuoted)
            case 5 where bytes.holds("name*", in: next.name):
                guard extendedName == nil else { throw MalformedParameter(duplicate: "name*") }
                extendedName = next.value
            case 8 where bytes.holds("filename", in: next.name):
                guard self.filename.range == nil else { throw MalformedParameter(duplicate: "filename") }
                (self.filename, self.isFilenameQuoted) = (.init(next.value), next.isQuoted)
            case 9 where bytes.holds("filename*", in: next.name):
                guard self.extended.range == nil else { throw MalformedParameter(duplicate: "filename*") }
                self.extended = .init(next.value)
            default: break
            }
        }
        // If there is a `name`, `name*` is ignored, as by most receivers.
        guard let extendedName, name == nil, ExtendedValue.text(of: text[extendedName]) != nil else {
            return (name, isNameQuoted)
        }
        self.isNameExtended = true
        return (extendedName, false)
    }
}

// Case-insensitive comparison of field and parameter names.

extension Span<UInt8> {
    /// Whether `range` has `text`, which is in lower-case ASCII, in any case.
    @inline(__always)
    func holds(_ text: String, in range: Range<Int>) -> Bool {
        self.withRawSpan { $0.holds(text, in: range) }
    }
}

extension RawSpan {
    /// Whether `range` has `text`, which is in lower-case ASCII, in any case.
    @inline(__always)
    func holds(_ text: String, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var at = range.lowerBound
        for byte in text.utf8 {
            let own = self[at]
            // Bit 5 makes letters lower-case. It also maps CR and LF to `-` and `*`, but a line has neither.
            guard own | 0x20 == byte else { return false }
            at += 1
        }
        return true
    }
}
