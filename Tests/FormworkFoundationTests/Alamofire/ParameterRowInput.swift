import Foundation
import FormworkMigration
import TestSupport

/// A row's input, one of ``RowInputValue``'s, as a value of `Encodable` types.
struct RowInput: Encodable, @unchecked Sendable {
    // Unchecked, because Foundation's values say nothing; they aren't changed.
    let value: Any

    /// A number of Foundation's is taken for what it was made of: bridged, it could be a Boolean as well.
    init(value: Any) {
        guard type(of: value) is AnyClass, let number = value as? NSNumber else {
            self.value = value
            return
        }
        switch String(cString: number.objCType) {
        case "c", "B": self.value = number.boolValue
        case "d": self.value = number.doubleValue
        default: self.value = number.intValue
        }
    }

    /// A struct's key: not any text is one, as in a dictionary.
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { self.stringValue = name }
        init?(stringValue: String) { nil }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self.value {
        case let members as [(String, Any)] where RowInputValue.isPairs(members):
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in members { try container.encode(RowInput(value: value), forKey: Key(name)) }
        case let elements as [Any]: try elements.map(RowInput.init).encode(to: encoder)
        case let members as [String: Any]: try members.mapValues(RowInput.init).encode(to: encoder)
        case let members as [Int: Any]: try members.mapValues(RowInput.init).encode(to: encoder)
        case let value as any Encodable:
            var container = encoder.singleValueContainer()
            try container.encode(value)
        default:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        }
    }

    /// The same for dictionaries of any value.
    var plain: any Sendable {
        switch self.value {
        case let value as Bool: value
        case let value as Int: value
        case let value as Int8: value
        case let value as UInt64: value
        case let value as Double: value
        case let value as Float: value
        case let value as String: value
        case let value as Data: value
        case let value as Date: value
        case let value as Decimal: value
        case let value as URL: value
        case let members as [(String, Any)] where RowInputValue.isPairs(members):
            RowInput(value: RowInputValue.dictionary(members)).plain
        case let elements as [Any]: elements.map { RowInput(value: $0).plain }
        case let members as [String: Any]: members.mapValues { RowInput(value: $0).plain }
        case let members as [Int: Any]: members.mapValues { RowInput(value: $0).plain }
        default: NSNull()
        }
    }
}
