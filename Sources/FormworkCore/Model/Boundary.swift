/// The text that separates the parts of a multipart body, checked against RFC 2046 §5.1.1.
///
/// It can't contain CR, so a delimiter has only one CR, at its start.
public struct Boundary: Hashable, Sendable, CustomStringConvertible {
    /// 1 to 70 characters of RFC 2046's `bchars`, the last not a space.
    public let text: String

    /// A boundary with the caller's text.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a length outside 1 to 70, a character outside
    ///   `0-9 A-Z a-z '()+_,-./:=?` and space, or a space at the end.
    public init(_ text: String) throws(FormworkError) {
        guard (1...70).contains(text.utf8.count) else {
            throw FormworkError(
                .invalidArgument, "The boundary has \(text.utf8.count, "byte"): RFC 2046 allows 1 to 70.")
        }
        if let bad = text.unicodeScalars.first(where: { !$0.isASCII || !UInt8(ascii: $0).isBoundaryByte }) {
            throw FormworkError(
                .invalidArgument,
                "The boundary contains \"\(bad.escaped(asASCII: false))\": use only letters, digits and '()+_,-./:=?.")
        }
        guard text.utf8.last != 0x20 else {
            throw FormworkError(.invalidArgument, "The boundary ends with a space, which RFC 2046 forbids: remove it.")
        }
        self.text = text
    }

    private init(unchecked text: String) { self.text = text }

    /// A new boundary: `formwork-` and 128 bits of the system's generator as 32 hexadecimal digits.
    ///
    /// It has only letters, digits and `-`, so it needs no quotes in `Content-Type` and every server accepts it.
    public static func random() -> Boundary {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A boundary like ``random()``, from the caller's generator, so that a test's bodies can be repeated.
    public static func random(using generator: inout some RandomNumberGenerator) -> Boundary {
        Boundary(unchecked: "formwork-" + hex(generator.next() as UInt64) + hex(generator.next() as UInt64))
    }

    /// AFNetworking's format since 2.2.0: `Boundary+` and 16 upper-case hexadecimal digits (64 bits).
    package static func afNetworking(using generator: inout some RandomNumberGenerator) -> Boundary {
        Boundary(unchecked: "Boundary+" + hex(generator.next() as UInt64).uppercased())
    }

    /// Alamofire's format: `alamofire.boundary.` and 16 lower-case hexadecimal digits (64 bits).
    package static func alamofire(using generator: inout some RandomNumberGenerator) -> Boundary {
        Boundary(unchecked: "alamofire.boundary." + hex(generator.next() as UInt64))
    }

    /// curl's format up to 8.3: 24 dashes and 16 lower-case hexadecimal digits (64 bits).
    package static func curl(using generator: inout some RandomNumberGenerator) -> Boundary {
        Boundary(unchecked: String(repeating: "-", count: 24) + hex(generator.next() as UInt64))
    }

    private static func hex(_ bits: UInt64) -> String { bits.padded(to: 16, radix: 16) }

    /// The text itself.
    public var description: String { self.text }

    /// The text as a `Content-Type` parameter's value. It is quoted only if RFC 2045 §5.1 requires that, because
    /// several servers read a quoted boundary incorrectly.
    public var parameterValue: String {
        self.text.utf8.allSatisfy { !$0.isTSpecial && $0 != 0x20 } ? self.text : "\"\(self.text)\""
    }
}

extension Boundary: Codable {
    /// Reads the text and checks it as ``init(_:)`` does.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.text)
    }
}

extension UInt8 {
    /// RFC 2046 §5.1.1 `bchars`, space included.
    var isBoundaryByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x20, 0x27, 0x28, 0x29, 0x2B, 0x2C, 0x2D, 0x2E, 0x2F, 0x3A, 0x3D, 0x3F, 0x5F: true
        default: false
        }
    }

    /// RFC 2045 §5.1 `tspecials`. A boundary byte is never one of `<>@;\"[]`.
    fileprivate var isTSpecial: Bool {
        switch self {
        case 0x28, 0x29, 0x2C, 0x2F, 0x3A, 0x3D, 0x3F: true
        default: false
        }
    }
}
