import Foundation

/// Any JSON, for rows whose keys have to be looked at before they are trusted. Rows give numbers whose text matters as text.
package enum JSONValue: Hashable, Sendable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package init(parsing data: Data) throws { self = try JSONDecoder().decode(JSONValue.self, from: data) }

    package var flag: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    package var integer: Int? { self.number.flatMap { Int(exactly: $0) } }
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    package var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// A text, or a number's.
    package var text: String? {
        switch self {
        case .string(let text): text
        case .number(let number): Int(exactly: number).map { String($0) } ?? String(number)
        default: nil
        }
    }
}
