/// The parts of a collected form, which all of its entries share.
///
/// Most parts are fields: their names and contents follow each other in a few arrays, so collecting a field allocates
/// nothing. Other parts have a header section and a content of their own.
final class CollectedParts: Sendable {
    /// A field, as places in a block, or another part.
    struct Part: Sendable {
        /// The number of the block.
        let block: Int32
        let name: Range<Int>
        let content: Range<Int>
        let traits: NameTraits
        /// The index of the other part; -1 for a field.
        let other: Int

        init(name: Range<Int>, content: Range<Int>, _ traits: NameTraits, block: Int = 0) {
            (self.name, self.content, self.traits, self.other) = (name, content, traits, -1)
            self.block = Int32(block)
        }

        init(other: Int, _ header: ReceivedHeader) {
            let name = header.isNamePlain ? header.nameBytes : nil
            self.traits = name?.withBytes { NameTraits(of: 0..<$0.byteCount, in: $0) } ?? .none
            (self.name, self.content, self.other, self.block) = (0..<0, 0..<0, other, 0)
        }
    }

    /// A part with its own header section.
    struct Other: Sendable {
        let header: ReceivedHeader
        var content: CollectedContent

        var isEmptyFileControl: Bool {
            self.header.isFile && self.content.count == 0 && self.header.filename?.isEmpty ?? true
        }
    }

    /// The first block. Small forms have no other.
    private let bytes: [UInt8]
    private let blocks: [[UInt8]]
    private let parts: [Part]
    private let others: [Other]
    private let names: FieldNames
    /// The charset that the form declares in a field `_charset_`; `nil` for none.
    let charset: String?

    /// - Parameter blocks: Those after the first.
    init(
        _ bytes: [UInt8], _ parts: [Part], _ others: [Other], _ names: FieldNames, blocks: [[UInt8]] = []
    ) {
        (self.bytes, self.blocks, self.parts, self.others, self.names) = (bytes, blocks, parts, others, names)
        self.charset = Self.declaredCharset(bytes, blocks, parts, others)
    }

    private static func declaredCharset(
        _ bytes: [UInt8], _ blocks: [[UInt8]], _ parts: [Part], _ others: [Other]
    ) -> String? {
        let name = "_charset_"
        for part in parts {
            if part.other >= 0 {
                let other = others[part.other]
                guard other.header.isNamed(name), !other.header.isFile else { continue }
                return other.content.inMemory.flatMap { String(decoding: $0, as: UTF8.self).trimmedLabel }
            }
            guard part.name.count == name.utf8.count else { continue }
            let bytes = part.block == 0 ? bytes : blocks[Int(part.block) - 1]
            // No escape and no invalid byte becomes one of these bytes.
            guard bytes.withRawSpan({ name.hasSameBytes(as: $0, part.name) }) else { continue }
            return bytes.withRawSpan { $0.text(in: part.content) }.trimmedLabel
        }
        return nil
    }

    /// The block of a field.
    private func block(_ part: Part) -> [UInt8] { part.block == 0 ? self.bytes : self.blocks[Int(part.block) - 1] }

    /// Reads the block of a field. Passing the array on would count its references.
    @inline(__always)
    private func withBlock<Value>(_ part: Part, _ read: (RawSpan) -> Value) -> Value {
        part.block == 0 ? self.bytes.withRawSpan(read) : self.blocks[Int(part.block) - 1].withRawSpan(read)
    }

    var count: Int { self.parts.count }

    /// The part with this number, which must be one of the form's.
    func entry(_ index: Int) -> ReceivedForm.Entry { ReceivedForm.Entry(self, self.parts.indices[index]) }

    func header(_ index: Int) -> ReceivedHeader {
        let part = self.parts[index]
        return part.other < 0 ? self.names.header(of: self.block(part)[part.name]) : self.others[part.other].header
    }

    func content(_ index: Int) -> CollectedContent {
        let part = self.parts[index]
        return part.other < 0 ? CollectedContent(self.block(part)[part.content]) : self.others[part.other].content
    }

    func name(_ index: Int) -> String? {
        let part = self.parts[index]
        return part.other < 0
            ? self.names.text(of: part.name, in: self.block(part), part.traits) : self.others[part.other].header.name
    }

    /// The name's UTF-8 as received, with its escapes; `nil` if there is none.
    func nameBytes(_ index: Int) -> ArraySlice<UInt8>? {
        let part = self.parts[index]
        return part.other < 0 ? self.block(part)[part.name] : self.others[part.other].header.nameBytes
    }

    /// Whether a part has a name, compared byte for byte.
    func isNamed(_ index: Int, _ name: String) -> Bool {
        let part = self.parts[index]
        guard part.other < 0 else { return self.others[part.other].header.isNamed(name) }
        guard !part.traits.needsReading else { return self.name(index)?.hasSameBytes(as: name) ?? false }
        return self.withBlock(part) { name.hasSameBytes(as: $0, part.name) }
    }

    func isFile(_ index: Int) -> Bool {
        let other = self.parts[index].other
        return other >= 0 && self.others[other].header.isFile
    }

    func isEmptyFileControl(_ index: Int) -> Bool {
        let other = self.parts[index].other
        return other >= 0 && self.others[other].isEmptyFileControl
    }

    /// A file; `nil` for a field and for an empty file control.
    func file(_ index: Int) -> Other? {
        let other = self.parts[index].other
        guard other >= 0 else { return nil }
        let file = self.others[other]
        return file.header.isFile && !file.isEmptyFileControl ? file : nil
    }

    /// A field's content as text, if it is in UTF-8; `nil` for a file, another charset and invalid bytes.
    func plainText(_ index: Int) -> String? {
        self.plainBytes(index) { $0.validText(in: $1) }
    }

    /// A field's content as a whole number, if it is one of few digits; `nil` for all others.
    func plainNumber(_ index: Int) -> Int64? {
        self.plainBytes(index) { $0.wholeNumber(in: $1) }
    }

    /// Reads the bytes of a field without a charset; `nil` for other parts.
    @inline(__always)
    private func plainBytes<Value>(_ index: Int, _ read: (RawSpan, Range<Int>) -> Value?) -> Value? {
        guard self.charset == nil else { return nil }
        let part = self.parts[index]
        guard part.other >= 0 else { return self.withBlock(part) { read($0, part.content) } }
        let other = self.others[part.other]
        guard !other.header.isFile, !other.header.hasContentType, let bytes = other.content.inMemory else { return nil }
        return bytes.withRawSpan { read($0, 0..<$0.byteCount) }
    }

    /// Whether the path of each name is the name itself, and all names differ, as in most forms.
    ///
    /// - Returns: `false` also for so many names that comparing them all is slow, and for names that need reading.
    func haveOwnPlainNames(dots: Bool) -> Bool {
        guard self.parts.count <= 64 else { return false }
        var seen: UInt64 = 0
        for index in self.parts.indices {
            let traits = self.parts[index].traits
            guard traits.isPlain(dots: dots) else { return false }
            // Few names share a bit, and only they are compared.
            let bit: UInt64 = 1 << UInt64(traits.sum & 63)
            if seen & bit != 0, self.isRepeated(index, traits.sum) { return false }
            seen |= bit
        }
        return true
    }

    /// Whether an earlier part has the same name.
    private func isRepeated(_ index: Int, _ sum: UInt32) -> Bool {
        guard let name = self.nameBytes(index) else { return false }
        return (0..<index).contains { before in
            self.parts[before].traits.sum == sum && self.nameBytes(before).map { $0 == name } ?? false
        }
    }
}
