#if Command
import FormworkCore
import FormworkURLEncoded

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
#endif
