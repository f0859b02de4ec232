#if Command
import Formwork
import FormworkURLEncoded

/// The requests in a file that mitmproxy saved (`mitmdump -w FILE`): typed netstrings, one dictionary for each flow.
struct FlowFile {
    /// A request's body, as the proxy received it.
    struct Request: CaptureEntry {
        var number: Int
        var title: String
        var contentType: String?
        var contentEncoding: String?
        var body: [UInt8]
    }

    /// All flows, also those without a body.
    private(set) var count = 0
    private(set) var forms: [Request] = []

    /// Whether an input begins with a dictionary: its length, then its first key.
    static func begins(_ start: [UInt8]) -> Bool {
        let parts = start.prefix(48).split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return false }
        let isNumber = { (text: ArraySlice<UInt8>) in
            (1...12).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard isNumber(parts[0]), isNumber(parts[1]), let count = Int(String(decoding: parts[1], as: UTF8.self)),
            count < 32, parts[2].count > count
        else { return false }
        let key = parts[2].prefix(count)
        let isName = key.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
        return isName && (parts[2][key.endIndex] == 0x3B || parts[2][key.endIndex] == 0x2C)
    }

    /// - Throws: `malformedBody` for a file that is cut or damaged.
    init(_ bytes: [UInt8]) throws(FormworkError) {
        var reader = NetstringReader(bytes)
        while !reader.isAtEnd {
            let flow = try reader.value(1)
            self.count += 1
            guard let request = flow["request"], let type = Self.header("content-type", of: request),
                type.lowercased().hasPrefix("multipart/"), case .bytes(let body)? = request["content"]
            else { continue }
            let words = ["method", "host", "path"].map { request[$0]?.flowText ?? "" }
            self.forms.append(
                Request(
                    number: self.count, title: "\(words[0]) \(words[1])\(words[2])", contentType: type,
                    contentEncoding: Self.header("content-encoding", of: request), body: body))
        }
    }

    private static func header(_ name: String, of request: ParameterValue) -> String? {
        guard case .array(let fields)? = request["headers"] else { return nil }
        for case .array(let pair) in fields where pair.count == 2 && pair[0].flowText?.lowercased() == name {
            return pair[1].flowText
        }
        return nil
    }
}

extension ParameterValue {
    fileprivate var flowText: String? {
        switch self {
        case .text(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }
}

/// Reads typed netstrings: `5:hello;`.
private struct NetstringReader {
    private static let depth = 64

    private let bytes: [UInt8]
    private var index = 0
    private var end: Int

    init(_ bytes: [UInt8]) { (self.bytes, self.end) = (bytes, bytes.count) }

    var isAtEnd: Bool { self.index >= self.end }

    mutating func value(_ depth: Int) throws(FormworkError) -> ParameterValue {
        var count = 0
        var digits = 0
        while self.index < self.end, (0x30...0x39).contains(self.bytes[self.index]), digits < 12 {
            count = count * 10 + Int(self.bytes[self.index] - 0x30)
            (self.index, digits) = (self.index + 1, digits + 1)
        }
        guard digits > 0, self.index < self.end, self.bytes[self.index] == 0x3A, count < self.end - self.index - 1,
            depth <= Self.depth
        else { throw self.damaged }
        let start = self.index + 1
        let stop = start + count
        let content = self.bytes[start..<stop]
        self.index = stop + 1
        switch self.bytes[stop] {
        case UInt8(ascii: ","): return .bytes(Array(content))
        case UInt8(ascii: ";"): return .text(String(decoding: content, as: UTF8.self))
        case UInt8(ascii: "]"): return .array(try self.elements(start, stop, depth))
        case UInt8(ascii: "}"):
            let all = try self.elements(start, stop, depth)
            guard all.count % 2 == 0 else { throw self.damaged }
            return .object(
                stride(from: 0, to: all.count, by: 2).map { .init(all[$0].flowText ?? "", all[$0 + 1]) })
        // Numbers, flags and null aren't needed.
        case UInt8(ascii: "#"), UInt8(ascii: "^"), UInt8(ascii: "!"), UInt8(ascii: "~"): return .null
        default: throw self.damaged
        }
    }

    private mutating func elements(_ start: Int, _ stop: Int, _ depth: Int) throws(FormworkError) -> [ParameterValue] {
        let (next, outer) = (self.index, self.end)
        (self.index, self.end) = (start, stop)
        var elements: [ParameterValue] = []
        while !self.isAtEnd { elements.append(try self.value(depth + 1)) }
        (self.index, self.end) = (next, outer)
        return elements
    }

    private var damaged: FormworkError {
        FormworkError(.malformedBody, "this mitmproxy flow file is cut or damaged at byte \(self.index)")
    }
}
#endif
