/// How the names of a form's fields are read, if they have no header section of their own.
@usableFromInline package struct FieldNames: Sendable {
    let backslashes: ParsingProfile.Backslashes
    let decodesPercentEscapes: Bool
    /// Whether the names were in quotes, and may have escapes for that reason.
    let areQuoted: Bool

    /// Names of ``PlainField``s.
    package init(_ profile: ParsingProfile) {
        (self.backslashes, self.decodesPercentEscapes) = (profile.backslashes, profile.decodesPercentEscapes)
        self.areQuoted = true
    }

    private init() { (self.backslashes, self.decodesPercentEscapes, self.areQuoted) = (.guessed, false, false) }

    /// Names of url-encoded fields, which are unescaped already.
    package static let urlEncoded = FieldNames()

    /// The header section that a field of this name has in a multipart form.
    package func header(of name: ArraySlice<UInt8>) -> ReceivedHeader { ReceivedHeader(fieldNamed: name, self) }

    /// The text of a name, repaired if it isn't UTF-8.
    package func text(of name: Range<Int>, in bytes: [UInt8], _ traits: NameTraits) -> String {
        traits.needsReading
            ? self.header(of: bytes[name]).name ?? "" : bytes.withRawSpan { $0.text(in: name) }
    }
}

/// What is known of a name's bytes, so that they are examined once.
package struct NameTraits: Sendable {
    /// A bit for each trait. An option set would call generic code for every name.
    private let bits: UInt8

    private static let needsReading: UInt8 = 1
    private static let bracket: UInt8 = 2
    private static let dot: UInt8 = 4
    private static let number: UInt8 = 8

    /// A checksum of the bytes: names of different sums differ.
    package let sum: UInt32

    /// Those of a name in some bytes.
    package init(of name: Range<Int>, in bytes: RawSpan) {
        var bits = name.isEmpty || NameKey.beginsNumber(bytes[name.lowerBound]) ? Self.number : 0
        var sum: UInt32 = 0x811C_9DC5
        var at = name.lowerBound
        while at < name.upperBound {
            let byte = bytes[at]
            at += 1
            sum = (sum ^ UInt32(byte)) &* 0x0100_0193
            // Most bytes of most names.
            if byte &- 0x61 < 26 || byte &- 0x30 < 10 { continue }
            switch byte {
            case 0x5B: bits |= Self.bracket
            case 0x2E: bits |= Self.dot
            case 0x25, 0x5C, 0x80...: bits |= Self.needsReading
            default: break
            }
        }
        (self.bits, self.sum) = (bits, sum)
    }

    /// Those of a part without a name among the fields.
    package static let none = Self(of: 0..<0, in: RawSpan())

    /// Whether the text may differ from the bytes: there are escapes, or bytes beyond ASCII.
    package var needsReading: Bool { self.bits & Self.needsReading != 0 }

    /// Whether the path of the name is its bytes: it has one level and isn't a number.
    package func isPlain(dots: Bool) -> Bool { self.bits & (dots ? 15 : 15 & ~Self.dot) == 0 }
}
