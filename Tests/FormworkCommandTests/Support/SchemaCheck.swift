import Foundation
import FormworkURLEncoded
import TestSupport

@testable import FormworkCommand

/// A JSON Schema of Fixtures/schemas: the keywords that those files use, of draft 2020-12.
struct SchemaCheck {
    private let schema: ParameterValue

    /// - Parameter name: The file's name without `.schema.json`.
    init(_ name: String) throws {
        let file = Checkout.url("Fixtures/schemas/\(name).schema.json")
        self.schema = try OrderedJSON.read(Array(Data(contentsOf: file)))
    }

    /// What departs from the schema; empty for a valid text.
    func violations(_ text: String) throws -> [String] {
        self.check(try OrderedJSON.read(Array(text.utf8)), self.schema, "$")
    }

    private func check(_ value: ParameterValue, _ schema: ParameterValue, _ place: String) -> [String] {
        guard case .object(let keywords) = schema else { return ["\(place): a schema that isn't an object"] }
        return keywords.flatMap { keyword in self.check(value, keyword.name, keyword.value, schema, place) }
    }

    private func check(
        _ value: ParameterValue, _ keyword: String, _ rule: ParameterValue, _ schema: ParameterValue, _ place: String
    ) -> [String] {
        switch (keyword, rule, value) {
        case ("$schema", _, _), ("$id", _, _), ("title", _, _), ("description", _, _), ("$defs", _, _): return []
        case ("$ref", .text(let name), _):
            guard let target = self.schema["$defs"]?[String(name.dropFirst(8))] else { return ["no \(name)"] }
            return self.check(value, target, place)
        case ("type", .text(let type), _): return Self.has(value, type) ? [] : ["\(place): is not \(type)"]
        case ("type", .array(let types), _):
            let isOne = types.contains { if case .text(let type) = $0 { Self.has(value, type) } else { false } }
            return isOne ? [] : ["\(place): is none of \(types)"]
        case ("enum", .array(let values), _): return values.contains(value) ? [] : ["\(place): is none of \(values)"]
        case ("const", let wanted, _): return value == wanted ? [] : ["\(place): is not \(wanted)"]
        case ("minimum", .integer(let least), .integer(let number)):
            return number >= least ? [] : ["\(place): \(number) is below \(least)"]
        case ("minimum", _, _): return []
        case ("format", .text("date-time"), .text(let text)):
            let isTime = text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
            return isTime ? [] : ["\(place): \(text) isn't RFC 3339 in UTC"]
        case ("format", _, _): return []
        case ("required", .array(let names), .object(let members)):
            return names.compactMap { name in
                guard case .text(let name) = name, !members.contains(where: { $0.name == name }) else { return nil }
                return "\(place): has no \(name)"
            }
        case ("properties", .object(let properties), .object(let members)):
            return properties.flatMap { property in
                members.filter { $0.name == property.name }.flatMap {
                    self.check($0.value, property.value, "\(place).\(property.name)")
                }
            }
        case ("additionalProperties", .bool(false), .object(let members)):
            return members.filter { schema["properties"]?[$0.name] == nil }.map { "\(place): has \($0.name)" }
        case ("items", let items, .array(let elements)):
            return elements.enumerated().flatMap { self.check($1, items, "\(place)[\($0)]") }
        case ("required", _, _), ("properties", _, _), ("additionalProperties", _, _), ("items", _, _): return []
        case ("anyOf", .array(let schemas), _):
            let all = schemas.map { self.check(value, $0, place) }
            return all.contains([]) ? [] : all.flatMap { $0 }
        default: return ["\(place): the keyword \(keyword) isn't known"]
        }
    }

    private static func has(_ value: ParameterValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.bool, "boolean"), (.integer, "integer"), (.integer, "number"), (.double, "number"),
            (.text, "string"), (.array, "array"), (.object, "object"):
            true
        default: false
        }
    }
}
