import Foundation
import TestSupport
import Testing

/// Why a row can't be run.
struct NotUnderstood: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// A row as its file has it. What is taken from it is ticked off, so that what nobody takes is noticed.
struct VectorObject: Sendable {
    private let fields: [String: JSONValue]
    private let what: String
    private var taken: Set<String> = []

    init(_ value: JSONValue?, _ what: String) throws {
        guard case .object(let fields)? = value else { throw NotUnderstood("\(what) is no JSON object") }
        self.fields = fields
        self.what = what
    }

    mutating func value(_ key: String) -> JSONValue? {
        self.taken.insert(key)
        return self.fields[key]
    }

    mutating func string(_ key: String) throws -> String? {
        switch self.value(key) {
        case nil: nil
        case .string(let text)?: text
        case _?: throw NotUnderstood("\(self.what): \(key) is no text")
        }
    }

    mutating func integer(_ key: String) throws -> Int? {
        guard let number = try self.number(key) else { return nil }
        guard let integer = Int(exactly: number) else { throw NotUnderstood("\(self.what): \(key) is no integer") }
        return integer
    }

    /// A list of numbers, or one.
    mutating func integers(_ key: String) throws -> [Int]? {
        guard case .array(let values)? = self.fields[key] else { return try self.integer(key).map { [$0] } }
        self.taken.insert(key)
        return try values.map { value in
            guard case .number(let number) = value, let integer = Int(exactly: number) else {
                throw NotUnderstood("\(self.what): \(key) has what is no integer")
            }
            return integer
        }
    }

    mutating func number(_ key: String) throws -> Double? {
        switch self.value(key) {
        case nil: nil
        case .number(let number)?: number
        case _?: throw NotUnderstood("\(self.what): \(key) is no number")
        }
    }

    mutating func flag(_ key: String) throws -> Bool? {
        switch self.value(key) {
        case nil: nil
        case .bool(let flag)?: flag
        case _?: throw NotUnderstood("\(self.what): \(key) is neither true nor false")
        }
    }

    mutating func array(_ key: String) throws -> [JSONValue]? {
        switch self.value(key) {
        case nil: nil
        case .array(let values)?: values
        case _?: throw NotUnderstood("\(self.what): \(key) is no array")
        }
    }

    /// The bytes that `textKey` or `base64Key` has.
    mutating func bytes(_ textKey: String, _ base64Key: String) throws -> [UInt8]? {
        let text = try self.string(textKey).map { Array($0.utf8) }
        guard let base64 = try self.string(base64Key) else { return text }
        guard text == nil, let data = Data(base64Encoded: base64) else {
            throw NotUnderstood("\(self.what): \(base64Key) is no base64, or stands beside \(textKey)")
        }
        return Array(data)
    }

    func checkAllTaken() throws {
        let left = self.fields.keys.filter { !self.taken.contains($0) }.sorted()
        guard left.isEmpty else { throw NotUnderstood("\(self.what) has \(left.joined(separator: ", "))") }
    }
}

/// One row of one file.
struct VectorRow: Sendable, CustomTestStringConvertible {
    /// What a platform's name has in it.
    static let platforms = ["apple", "linux"]

    var file: String
    var name: String
    var json: JSONValue

    /// Whether the row holds here.
    var isOfThisPlatform: Bool {
        guard case .object(let fields) = self.json, case .string(let platform)? = fields["platform"] else {
            return true
        }
        return platform.contains("linux") || !platform.contains("apple")
    }

    var testDescription: String { "\(self.file): \(self.name)" }

    /// Its `system`; `nil` when it has none.
    var system: String? {
        guard case .object(let fields) = self.json, case .string(let system)? = fields["system"] else { return nil }
        return system
    }
}
