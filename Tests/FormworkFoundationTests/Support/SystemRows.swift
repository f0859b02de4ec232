import Foundation
import FormworkFoundation
import FormworkMigration
import TestSupport
import Testing

/// Rows with what they hold as values of Foundation.
enum VectorRows {
    /// One row, as its file has it.
    struct Row: @unchecked Sendable, CustomTestStringConvertible {
        // Unchecked, because Foundation's values say nothing; they aren't changed.
        let json: [String: Any]
        let row: VectorRow
        var testDescription: String { self.row.name }

        init(_ row: VectorRow) { (self.row, self.json) = (row, (row.json.object ?? [:]).mapValues(\.plain)) }
    }

    /// The rows of one system, but for those of another platform.
    static func rows(of system: String) throws -> [Row] {
        try VectorRow.all().filter { $0.system == system && $0.isOfThisPlatform }.map(Row.init)
    }
}

extension JSONValue {
    /// The value without types of this package.
    var plain: Any {
        switch self {
        case .null: NSNull()
        case .bool(let flag): flag
        case .number(let number): Int(exactly: number).map { $0 as Any } ?? number
        case .string(let text): text
        case .array(let elements): elements.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        }
    }
}

extension VectorRows.Row {
    /// Refuses what this runner doesn't know: it may be what the row is about.
    func understand(_ keys: String..., options: [String] = []) throws {
        try self.understand(keys: keys, options: options)
    }

    func understand(keys: [String], options: [String] = []) throws {
        let always = ["name", "system", "versions", "origin", "note", "platform", "verifiedByRun", "input", "options"]
        let expectations = self.json.keys.filter { $0.hasPrefix("expected") }
        let unknown = Set(self.json.keys).subtracting(always + keys)
            .union(Set(self.options.keys).subtracting(options).map { "options.\($0)" })
        guard unknown.isEmpty else { throw RowNotUnderstood("the row has \(unknown.sorted().joined(separator: ", "))") }
        guard !expectations.isEmpty else { throw RowNotUnderstood("nothing is expected") }
        guard self.json["options"] == nil || self.json["options"] is [String: Any] else {
            throw RowNotUnderstood("options that are not an object")
        }
        try self.row.checkPlatform()
    }

    /// One of the choices that an option has; the first when it isn't given.
    func choice(_ option: String, _ choices: String...) throws -> String {
        guard let value = self.options[option] else { return choices[0] }
        guard let text = value as? String, choices.contains(text) else { throw RowNotUnderstood("\(option) \(value)") }
        return text
    }

    var options: [String: Any] { self.json["options"] as? [String: Any] ?? [:] }

    /// What is expected here: on Linux that of Linux, where the row says so.
    var expected: Any? { self.json["expectedLinux"] ?? self.json["expected"] }

    /// The input; `nil` for none.
    func input() throws -> Any? {
        guard let input = self.json["input"], !(input is NSNull) else { return nil }
        return try RowInputValue.value(input)
    }

    /// The releases of AFNetworking that the row speaks of; without a word those of today's behaviour.
    func releases() throws -> [AFNetworkingVersion] {
        let text = (self.json["versions"] as? String ?? "3.2.0-4.0.1")
            .replacingOccurrences(of: "1.0RC1", with: "0.10.1").replacingOccurrences(of: ".x", with: ".0")
        let bounds = try text.split(separator: "-").map { bound in
            guard let version = AFNetworkingVersion(String(bound)) else {
                throw RowNotUnderstood("the version \(bound)")
            }
            return version
        }
        let (first, last) = (try #require(bounds.first), try #require(bounds.last))
        guard bounds.count <= 2, first <= last else { throw RowNotUnderstood("the versions \(text)") }
        return Set(Self.all.filter { (first...last).contains($0) } + bounds).sorted()
    }

    private static let all: [AFNetworkingVersion] = [
        "0.6", "0.10.1", "1.0", "1.0.1", "1.1", "1.2", "1.2.1", "1.3", "1.3.2", "1.3.3", "1.3.4", "2.0", "2.0.1",
        "2.0.3", "2.1", "2.2", "2.2.2", "2.2.3", "2.3.1", "2.4", "2.4.1", "2.5", "2.5.1", "2.5.4", "2.6", "2.6.1",
        "2.6.3", "2.7", "3.0", "3.0.4", "3.1", "3.2", "3.2.1", "4.0", "4.0.1",
    ]
}

/// The rows' notation of values, as values of Foundation and Swift.
enum RowInputValue {
    static func value(_ json: Any) throws -> Any {
        switch json {
        case let text as String: return text
        case let pairs as [Any]: return try self.pairs(pairs)
        case let object as [String: Any]: return try self.typed(object)
        default: throw RowNotUnderstood("the input \(json)")
        }
    }

    private static func typed(_ object: [String: Any]) throws -> Any {
        let keys = object.keys.filter { $0 != "type" }
        guard let type = object["type"] as? String, keys.count <= 1 else {
            throw RowNotUnderstood("the input \(object)")
        }
        let content = keys.first.flatMap { object[$0] }
        let text = (content as? String) ?? content.map { "\($0)" } ?? ""
        let value: Any? =
            switch (type, keys.first) {
            case ("null", nil): NSNull()
            case ("int", "value"): Int(text)
            case ("int8", "value"): Int8(text)
            case ("uint64", "value"): UInt64(text)
            case ("double", "value"): Double(text)
            case ("float", "value"): Float(text)
            case ("decimal", "value"): Decimal(string: text)
            case ("bool", "value"): content as? Bool
            case ("nsint", "value"): Int(text).map { NSNumber(value: $0) }
            case ("nsdouble", "value"): Double(text).map { NSNumber(value: $0) }
            case ("nsbool", "value"): (content as? Bool).map { NSNumber(value: $0) }
            case ("data", "utf8"): Data(text.utf8)
            case ("data", "base64"): Data(base64Encoded: text)
            case ("date", "sinceReferenceDate"): Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
            case ("url", "value"): URL(string: text)
            case ("array", "items"): try (content as? [Any])?.map(self.value)
            case ("set", "items"): NSSet(array: try (content as? [Any] ?? []).map(self.value))
            case ("dict", "entries"): self.dictionary(try self.pairs(content as? [Any] ?? []))
            case ("keyed", "entries"): try self.pairs(content as? [Any] ?? [])
            case ("intdict", "entries"): try self.numbered(content as? [[Any]] ?? [])
            case ("utf16", "units"): try self.text(content as? [String] ?? [])
            case ("string", "value"): text
            case ("nil", nil): NSNull()
            default: nil
            }
        guard let value else { throw RowNotUnderstood("the input \(object)") }
        return value
    }

    /// Whether these are pairs by their type: an empty array of anything can be taken for one of pairs.
    static func isPairs(_ value: Any) -> Bool { type(of: value) == [(String, Any)].self }

    static func dictionary(_ pairs: [(String, Any)]) -> [String: Any] { [String: Any](pairs) { _, last in last } }

    private static func pairs(_ pairs: [Any]) throws -> [(String, Any)] {
        try pairs.map { pair in
            guard let pair = pair as? [Any], pair.count == 2, let name = pair[0] as? String else {
                throw RowNotUnderstood("a pair that is none: \(pair)")
            }
            return (name, try self.value(pair[1]))
        }
    }

    private static func numbered(_ pairs: [[Any]]) throws -> [Int: Any] {
        try [Int: Any](
            pairs.map { pair in
                let key = pair.first.flatMap { $0 as? Int ?? ($0 as? String).flatMap { Int($0) } }
                guard let key, pair.count == 2 else { throw RowNotUnderstood("an entry without a number: \(pair)") }
                return (key, try self.value(pair[1]))
            }
        ) { _, last in last }
    }

    /// A text of single units; what is no text can't be made in Swift, and the error stands for the system's.
    private static func text(_ units: [String]) throws -> String {
        guard let text = String(validating: units.compactMap { UInt16($0, radix: 16) }, as: UTF16.self) else {
            throw FormworkError(.invalidArgument, "a surrogate without its other half")
        }
        return text
    }
}
