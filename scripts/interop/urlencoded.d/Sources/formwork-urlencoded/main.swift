import Foundation
import FormworkURLEncoded

// Reads a question per line, a JSON array that begins with its kind, and answers with a line of JSON. Texts are base64;
// values of a tree are [kind, content], as `scripts/interop/urlencoded` describes them.

let encoders: [String: PercentEncoder] = [
    "form": .form, "php": .php, "rfc3986": .rfc3986, "ruby": .ruby, "quote": PercentEncoder(leaving: "-._~/"),
]
let dialects: [String: URLEncodedDialect] = [
    "php": .php, "phpRFC3986": .phpRFC3986, "rails": .rails, "whatwg": .whatwg, "alamofire": .alamofire,
    "afnetworking2": .afnetworking("2.5.4"), "afnetworking3": .afnetworking3, "facebook": .facebook, "recipes": .recipes,
    "goValues": URLEncodedDialect(
        flattening: Flattening(
            arrays: .repeated, order: .by { $0.utf8.lexicographicallyPrecedes($1.utf8) }, duplicates: .all),
        names: .ruby, values: .ruby),
]

struct Malformed: Error {}

func bytes(_ value: Any?) throws -> [UInt8] {
    guard let text = value as? String, let data = Data(base64Encoded: text) else { throw Malformed() }
    return [UInt8](data)
}

func text(_ value: Any?) throws -> String { String(decoding: try bytes(value), as: UTF8.self) }

func list(_ value: Any?) throws -> [Any] {
    guard let list = value as? [Any] else { throw Malformed() }
    return list
}

func tree(_ value: Any) throws -> ParameterValue {
    let tagged = try list(value)
    switch (tagged.first as? String, tagged.last as? String) {
    case ("n", _): return .null
    case ("t", let word?): return .bool(word == "1")
    case ("i", let digits?): return .integer(Int128(digits) ?? 0)
    case ("d", let digits?): return .double(Double(bitPattern: UInt64(digits, radix: 16) ?? 0))
    case ("s", _): return .text(try text(tagged.last))
    case ("b", _): return .bytes(try bytes(tagged.last))
    case ("a", _): return .array(try list(tagged.last).map(tree))
    case ("o", _):
        return .object(
            try list(tagged.last).map {
                let member = try list($0)
                return .init(try text(member.first), try tree(member[1]))
            })
    default: throw Malformed()
    }
}

func base64(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

func tagged(_ value: ParameterValue) throws -> [Any] {
    switch value {
    case .null: return ["n"]
    case .text(let text): return ["s", base64(text.utf8)]
    case .array(let elements): return ["a", try elements.map(tagged)]
    case .object(let members): return ["o", try members.map { [base64($0.name.utf8), try tagged($0.value)] as [Any] }]
    default: throw Malformed()
    }
}

func answer(_ question: [Any]) throws -> Any {
    switch question.first as? String {
    case "parse":
        let repair = question[1] as? String == "drop" ? URLEncodedParsing.Repair.dropsPair : .kept
        let pairs = try URLEncodedPairs(try bytes(question[2]), rules: URLEncodedParsing(invalidEscapes: repair))
        return pairs.map { [base64($0.nameBytes), $0.valueBytes.map { base64($0) } ?? NSNull()] as [Any] }
    case "tree":
        guard let dialect = dialects[question[1] as? String ?? ""] else { throw Malformed() }
        return try tagged(try dialect.decode(try bytes(question[2])))
    case "write", "checked":
        guard var dialect = dialects[question[1] as? String ?? ""] else { throw Malformed() }
        dialect.checksReadBack = question[0] as? String == "checked"
        return base64(try dialect.encode(try tree(question[2])).utf8)
    case "pairs":
        guard let encoder = encoders[question[1] as? String ?? ""] else { throw Malformed() }
        let pairs = try list(question[2]).map { pair in
            let pair = try list(pair)
            return URLEncodedPair(try text(pair[0]), pair[1] is NSNull ? nil : try text(pair[1]))
        }
        return base64(URLEncodedDialect(names: encoder, values: encoder).encode(pairs))
    case "escape":
        guard let encoder = encoders[question[1] as? String ?? ""] else { throw Malformed() }
        return base64(encoder.encode(try bytes(question[2])))
    case "utf16":
        // Pairs of UTF-16, as JavaScript has them.
        return base64(
            try list(question[1]).map { pair in
                try list(pair).map { units in
                    let units = try list(units).map { UInt16($0 as? Int ?? 0) }
                    // JavaScript repairs lone surrogates; here they are an error, unless they are repaired before.
                    return try (try? PercentEncoder.form.encode(utf16: units))
                        ?? PercentEncoder.form.encode(utf16: Array(String(decoding: units, as: UTF16.self).utf16))
                }.joined(separator: "=")
            }.joined(separator: "&").utf8)
    default: throw Malformed()
    }
}

while let line = readLine() {
    guard let question = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any] else { throw Malformed() }
    let reply: Any
    do { reply = try answer(question) } catch let error as FormworkError {
        reply = ["error": error.message]
    }
    let data = try JSONSerialization.data(withJSONObject: reply, options: .fragmentsAllowed)
    print(String(decoding: data, as: UTF8.self))
}
