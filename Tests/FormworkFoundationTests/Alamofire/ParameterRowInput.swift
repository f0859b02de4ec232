import Foundation
import TestSupport

/// A row's input as a value of `Encodable` types.
indirect enum RowInput: Encodable, Sendable {
    case null, bool(Bool), int(Int), int8(Int8), uint64(UInt64), double(Double), float(Float), string(String)
    case data(Data), date(Date), decimal(Decimal), url(URL)
    case array([RowInput]), dictionary([String: RowInput]), integers([Int: RowInput]), keyed([(String, RowInput)])

    /// A struct's key: not any text is one, as in a dictionary.
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { self.stringValue = name }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var single: any SingleValueEncodingContainer { encoder.singleValueContainer() }
        func encode(_ value: some Encodable) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try encode(value)
        case .int(let value): try encode(value)
        case .int8(let value): try encode(value)
        case .uint64(let value): try encode(value)
        case .double(let value): try encode(value)
        case .float(let value): try encode(value)
        case .string(let value): try encode(value)
        case .data(let value): try encode(value)
        case .date(let value): try encode(value)
        case .decimal(let value): try encode(value)
        case .url(let value): try encode(value)
        case .array(let elements): try elements.encode(to: encoder)
        case .dictionary(let members): try members.encode(to: encoder)
        case .integers(let members): try members.encode(to: encoder)
        case .keyed(let members):
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in members { try container.encode(value, forKey: Key(name)) }
        }
    }

    /// The same without types of this package: for dictionaries of any value.
    var plain: any Sendable {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .int(let value): value
        case .int8(let value): value
        case .uint64(let value): value
        case .double(let value): value
        case .float(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .decimal(let value): value
        case .url(let value): value
        case .array(let elements): elements.map(\.plain)
        case .dictionary(let members): members.mapValues(\.plain)
        case .integers(let members): members.mapValues(\.plain)
        case .keyed(let members): Dictionary(members.map { ($0.0, $0.1.plain) }) { $1 }
        }
    }

    init(_ value: JSONValue) throws {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .number(let value): self = Int(exactly: value).map(RowInput.int) ?? .double(value)
        case .string(let value): self = .string(value)
        case .array(let pairs): self = .keyed(try Self.entries(pairs))
        case .object: self = try Self.typed(value)
        }
    }

    private static func entries(_ pairs: [JSONValue]) throws -> [(String, RowInput)] {
        try pairs.map { pair in
            guard case .array(let pair) = pair, pair.count == 2, let key = pair[0].text else {
                throw RowNotUnderstood("an entry is no pair")
            }
            return (key, try RowInput(pair[1]))
        }
    }

    private static func typed(_ value: JSONValue) throws -> RowInput {
        var object = try RowObject(value, "a value")
        let type = try object.text("type") ?? ""
        let input = try self.input(type, &object)
        try object.checkAllTaken()
        return input
    }

    private static func input(_ type: String, _ object: inout RowObject) throws -> RowInput {
        func array(_ key: String) throws -> [JSONValue] {
            guard case .array(let values)? = object.value(key) else { throw RowNotUnderstood("\(type) has no \(key)") }
            return values
        }
        switch type {
        case "null", "nil": return .null
        case "array", "set": return .array(try array("items").map { try RowInput($0) })
        case "keyed": return .keyed(try self.entries(try array("entries")))
        case "dict": return .dictionary(Dictionary(try self.entries(try array("entries"))) { $1 })
        case "intdict":
            return .integers(Dictionary(try self.entries(try array("entries")).map { (Int($0.0) ?? 0, $0.1) }) { $1 })
        case "bool", "nsbool":
            guard let value = try object.flag("value") else { throw RowNotUnderstood("\(type) has no value") }
            return .bool(value)
        case "data":
            if let text = try object.text("utf8") { return .data(Data(text.utf8)) }
            guard let data = try object.text("base64").flatMap({ Data(base64Encoded: $0) }) else {
                throw RowNotUnderstood("data without bytes")
            }
            return .data(data)
        case "date":
            guard let seconds = try object.text("sinceReferenceDate").flatMap({ Double($0) }) else {
                throw RowNotUnderstood("a date without a number")
            }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        default:
            guard let text = try object.text("value"), let input = self.number(type, text) else {
                throw RowNotUnderstood("the type \(type)")
            }
            return input
        }
    }

    private static func number(_ type: String, _ text: String) -> RowInput? {
        switch type {
        case "int", "nsint": Int(text).map(RowInput.int)
        case "int8": Int8(text).map(RowInput.int8)
        case "uint64": UInt64(text).map(RowInput.uint64)
        case "double", "nsdouble": Double(text).map(RowInput.double)
        case "float": Float(text).map(RowInput.float)
        case "decimal": Decimal(string: text).map(RowInput.decimal)
        case "url": URL(string: text).map(RowInput.url)
        default: nil
        }
    }
}
