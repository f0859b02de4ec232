import FormworkCore
import FormworkURLEncoded

/// JSON (RFC 8259) without loss: members keep their order and may share a name, and integers keep their digits.
///
/// Foundation's decoders keep none of the three.
package struct OrderedJSON {
    /// The most levels of nested arrays and objects: as many as ``Flattening`` writes.
    static let depth = 512

    private let text: [UInt8]
    private var index = 0
    /// Whether a number must have a value that can be kept.
    private let keepsNumbers: Bool

    private init(_ text: [UInt8], keepsNumbers: Bool) { (self.text, self.keepsNumbers) = (text, keepsNumbers) }

    /// Reads one value. Only blanks may follow.
    /// - Throws: `malformedBody`, or `limitExceeded` for a value too deep; the message has line and column, counted
    ///   from 1 in Unicode scalars.
    package static func read(_ text: [UInt8]) throws(FormworkError) -> ParameterValue {
        try self.read(text, keepsNumbers: true)
    }

    /// Checks that a text is one value, with numbers of any size.
    /// - Throws: As ``read(_:)``.
    package static func check(_ text: [UInt8]) throws(FormworkError) { _ = try self.read(text, keepsNumbers: false) }

    private static func read(_ text: [UInt8], keepsNumbers: Bool) throws(FormworkError) -> ParameterValue {
        var reader = OrderedJSON(text, keepsNumbers: keepsNumbers)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw reader.failure("a byte order mark, which JSON doesn't allow: remove it", at: 0)
        }
        let value = try reader.value(1)
        reader.skipBlanks()
        guard reader.index == text.count else { throw reader.expected("the end") }
        return value
    }

    // MARK: Values

    private mutating func value(_ depth: Int) throws(FormworkError) -> ParameterValue {
        self.skipBlanks()
        switch self.byte {
        case UInt8(ascii: "{"): return .object(try self.members(depth))
        case UInt8(ascii: "["): return .array(try self.elements(depth))
        case UInt8(ascii: "\""): return .text(try self.string())
        case UInt8(ascii: "-"), .some(0x30...0x39): return try self.number()
        default:
            for (word, value) in [("true", true), ("false", false), ("null", nil)] as [(String, ParameterValue)]
            where self.text[self.index...].starts(with: word.utf8) {
                self.index += word.utf8.count
                return value
            }
            throw self.expected("a value")
        }
    }

    private mutating func members(_ depth: Int) throws(FormworkError) -> [ParameterValue.Member] {
        try self.enter(depth)
        var members: [ParameterValue.Member] = []
        if self.take("}") { return members }
        while true {
            self.skipBlanks()
            guard self.byte == UInt8(ascii: "\"") else { throw self.expected("a name in double quotes") }
            let name = try self.string()
            guard self.take(":") else { throw self.expected("\":\"") }
            members.append(.init(name, try self.value(depth + 1)))
            if self.take("}") { return members }
            guard self.take(",") else { throw self.expected("\",\" or \"}\"") }
        }
    }

    private mutating func elements(_ depth: Int) throws(FormworkError) -> [ParameterValue] {
        try self.enter(depth)
        var elements: [ParameterValue] = []
        if self.take("]") { return elements }
        while true {
            elements.append(try self.value(depth + 1))
            if self.take("]") { return elements }
            guard self.take(",") else { throw self.expected("\",\" or \"]\"") }
        }
    }

    private mutating func enter(_ depth: Int) throws(FormworkError) {
        guard depth <= Self.depth else {
            throw self.failure(
                "arrays and objects are nested more than \(Self.depth, "level") deep", at: self.index, .limitExceeded)
        }
        self.index += 1
    }

    // MARK: Numbers

    private mutating func number() throws(FormworkError) -> ParameterValue {
        let start = self.index
        if self.byte == UInt8(ascii: "-") { self.index += 1 }
        if self.byte == UInt8(ascii: "0") { self.index += 1 } else { try self.digits() }
        if self.byte == UInt8(ascii: ".") {
            self.index += 1
            try self.digits()
        }
        if let byte, byte | 0x20 == UInt8(ascii: "e") {
            self.index += 1
            if self.byte == UInt8(ascii: "+") || self.byte == UInt8(ascii: "-") { self.index += 1 }
            try self.digits()
        }
        guard self.keepsNumbers else { return .null }
        let text = String(decoding: self.text[start..<self.index], as: UTF8.self)
        // Only digits make an integer: 1.0 and 1e2 stay doubles.
        if let number = Int128(text) { return .integer(number) }
        if text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }) {
            throw self.failure("the whole number has more than 128 bits: write it as a string", at: start)
        }
        guard let number = Double(text), number.isFinite else {
            throw self.failure("the number is too large: the largest is 1.8e308", at: start)
        }
        return .double(number)
    }

    private mutating func digits() throws(FormworkError) {
        let digits = self.text[self.index...].prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { throw self.expected("a digit") }
        self.index = digits.endIndex
    }

    // MARK: Text

    private mutating func string() throws(FormworkError) -> String {
        let start = self.index
        var bytes: [UInt8] = []
        self.index += 1
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                self.index += 1
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw self.failure("the string that begins here is not UTF-8", at: start)
                }
                return text
            case UInt8(ascii: "\\"): try self.escape(into: &bytes)
            case 0..<0x20: throw self.failure("a control character inside a string: escape it", at: self.index)
            default:
                bytes.append(byte)
                self.index += 1
            }
        }
        throw self.failure("the string that begins here has no closing quote", at: start)
    }

    private mutating func escape(into bytes: inout [UInt8]) throws(FormworkError) {
        let start = self.index
        self.index += 1
        if self.byte == UInt8(ascii: "u") {
            self.index = start
            return bytes += String(try self.escapedScalar()).utf8
        }
        guard let byte, let plain = Self.escapes[byte] else {
            throw self.failure("this \"\\\" doesn't begin a JSON escape: write \\\\ for a backslash", at: start)
        }
        bytes.append(plain)
        self.index += 1
    }

    private static let escapes = Dictionary(
        uniqueKeysWithValues: zip("\"\\/bfnrt".utf8, "\"\\/\u{8}\u{C}\n\r\t".utf8))

    private mutating func escapedScalar() throws(FormworkError) -> Unicode.Scalar {
        let start = self.index
        guard let first = self.escapedUnit() else {
            throw self.failure("\"\\u\" needs four hexadecimal digits after it", at: start)
        }
        if let scalar = Unicode.Scalar(first) { return scalar }
        if UTF16.isLeadSurrogate(first), let second = self.escapedUnit(), UTF16.isTrailSurrogate(second) {
            return UTF16.decode(UTF16.EncodedScalar([first, second]))
        }
        throw self.failure(
            "\"\\u\(String(first, radix: 16))\" is one half of a surrogate pair without the other",
            at: start)
    }

    /// Reads `\uXXXX`, if it comes next.
    private mutating func escapedUnit() -> UInt16? {
        let escape = self.text[self.index...].prefix(6)
        guard escape.count == 6, escape.starts(with: [0x5C, 0x75]) else { return nil }
        var unit: UInt16 = 0
        for byte in escape.dropFirst(2) {
            guard let digit = byte.hexDigit else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        self.index += 6
        return unit
    }

    // MARK: Bytes

    private var byte: UInt8? { self.index < self.text.count ? self.text[self.index] : nil }

    private mutating func skipBlanks() {
        while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { self.index += 1 }
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        self.skipBlanks()
        guard self.byte == UInt8(ascii: mark) else { return false }
        self.index += 1
        return true
    }

    private func expected(_ what: String) -> FormworkError {
        let rest = String(decoding: self.text[self.index...].prefix(4), as: UTF8.self)
        let found = rest.unicodeScalars.first.map { $0 == "\"" ? ", not '\"'" : ", not \"\($0)\"" }
        return self.failure("expected \(what)" + (found ?? ", but the text ends"), at: self.index)
    }

    private func failure(
        _ message: String, at place: Int, _ code: FormworkError.Code = .malformedBody
    ) -> FormworkError {
        let before = self.text[..<place]
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        let line = before.count { $0 == 0x0A } + 1
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
        return FormworkError(code, "line \(line), column \(column): \(message)")
    }
}

extension ParameterValue {
    /// A text, or null.
    package static func optional(_ text: String?) -> Self { text.map(Self.text) ?? .null }

    /// A number, or null.
    package static func optional(_ number: Int64?) -> Self { number.map { .integer(Int128($0)) } ?? .null }

    /// An object.
    package static func members(_ members: [(String, ParameterValue)]) -> Self {
        .object(members.map { Member($0.0, $0.1) })
    }

    /// The fields of a header, in order.
    package static func fields(_ fields: [(name: String, value: String)]) -> Self {
        .array(fields.map { .members([("name", .text($0.name)), ("value", .text($0.value))]) })
    }

    /// The text; `nil` for another value. Those below are alike.
    var string: String? { if case .text(let text) = self { text } else { nil } }
    var integer: Int128? { if case .integer(let number) = self { number } else { nil } }
    var elements: [ParameterValue]? { if case .array(let elements) = self { elements } else { nil } }
}

extension OrderedJSON {
    /// Lines nested deeper are indented no further: blanks would make hundreds of megabytes of a small text.
    static var indentedLevels: Int { 16 }

    /// Writes a value, without a line end: on one line without blanks, or indented.
    package static func write(_ value: ParameterValue, isPretty: Bool = false) -> String {
        var output: [UInt8] = []
        self.append(value, to: &output, lineEnd: isPretty ? "\n" : nil)
        return String(decoding: output, as: UTF8.self)
    }

    /// - Parameter lineEnd: A line end and the indentation of the value's line; `nil` to write one line.
    private static func append(_ value: ParameterValue, to output: inout [UInt8], lineEnd: String?) {
        switch value {
        case .null: output += "null".utf8
        case .bool(let flag): output += (flag ? "true" : "false").utf8
        case .integer(let number): output += String(number).utf8
        case .double(let number): output += (number.isFinite ? String(number) : "null").utf8
        case .text(let text): self.append(text, to: &output)
        case .bytes(let bytes): self.append(String(decoding: bytes, as: UTF8.self), to: &output)
        case .array(let elements), .set(let elements):
            self.list(elements, "[", "]", to: &output, lineEnd) { element, output, lineEnd in
                self.append(element, to: &output, lineEnd: lineEnd)
            }
        case .object(let members):
            self.list(members, "{", "}", to: &output, lineEnd) { member, output, lineEnd in
                self.append(member.name, to: &output)
                output += (lineEnd == nil ? ":" : ": ").utf8
                self.append(member.value, to: &output, lineEnd: lineEnd)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], _ start: String, _ end: String, to output: inout [UInt8], _ lineEnd: String?,
        append: (Element, inout [UInt8], String?) -> Void
    ) {
        let inner = lineEnd.map { $0.utf8.count > self.indentedLevels * 2 ? $0 : $0 + "  " }
        output += start.utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { output += ",".utf8 }
            output += (inner ?? "").utf8
            append(element, &output, inner)
        }
        if !elements.isEmpty { output += (lineEnd ?? "").utf8 }
        output += end.utf8
    }

    private static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
            case 0x0A: output += "\\n".utf8
            case 0x0D: output += "\\r".utf8
            case 0x09: output += "\\t".utf8
            case 0..<0x20, 0x7F: output += "\\u00\(Hex.text([byte]))".utf8
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
