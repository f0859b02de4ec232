import Foundation

/// Why a row can't be run.
package struct RowNotUnderstood: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

/// An object of a row. What is taken is ticked off, so that what nobody takes is noticed.
package struct VectorObject: Sendable {
    private let fields: [String: JSONValue]
    private let what: String
    private var taken: Set<String> = []

    package init(_ value: JSONValue?, _ what: String) throws {
        guard let fields = value?.object else { throw RowNotUnderstood("\(what) is no JSON object") }
        (self.fields, self.what) = (fields, what)
    }

    package mutating func value(_ key: String) -> JSONValue? {
        self.taken.insert(key)
        return self.fields[key]
    }

    private mutating func take<Value>(
        _ key: String, _ otherwise: String, _ read: (JSONValue) -> Value?
    ) throws -> Value? {
        guard let value = self.value(key), value != .null else { return nil }
        guard let read = read(value) else { throw RowNotUnderstood("\(self.what): \(key) \(otherwise)") }
        return read
    }

    package mutating func string(_ key: String) throws -> String? { try self.take(key, "is no text", \.string) }

    /// A text, or a number's.
    package mutating func text(_ key: String) throws -> String? { try self.take(key, "is no text", \.text) }

    package mutating func number(_ key: String) throws -> Double? { try self.take(key, "is no number", \.number) }

    package mutating func integer(_ key: String) throws -> Int? { try self.take(key, "is no integer", \.integer) }

    package mutating func flag(_ key: String) throws -> Bool? {
        try self.take(key, "is neither true nor false", \.flag)
    }

    package mutating func array(_ key: String) throws -> [JSONValue]? { try self.take(key, "is no array", \.array) }

    /// A list of integers, or one.
    package mutating func integers(_ key: String) throws -> [Int]? {
        try self.take(key, "has what is no integer") { value in
            let integers = (value.array ?? [value]).map(\.integer)
            return integers.contains(nil) ? nil : integers.compactMap { $0 }
        }
    }

    /// The bytes that `textKey` or `base64Key` has.
    package mutating func bytes(_ textKey: String, _ base64Key: String) throws -> [UInt8]? {
        let text = try self.string(textKey).map { Array($0.utf8) }
        guard let base64 = try self.string(base64Key) else { return text }
        guard text == nil, let data = Data(base64Encoded: base64) else {
            throw RowNotUnderstood("\(self.what): \(base64Key) is no base64, or stands beside \(textKey)")
        }
        return Array(data)
    }

    package func checkAllTaken() throws {
        let left = self.fields.keys.filter { !self.taken.contains($0) }.sorted()
        guard left.isEmpty else { throw RowNotUnderstood("\(self.what) has \(left.joined(separator: ", "))") }
    }
}

/// One row of one file.
package struct VectorRow: Sendable, CustomStringConvertible {
    package var file: String
    package var name: String
    package var json: JSONValue

    package init(file: String, name: String, json: JSONValue) {
        (self.file, self.name, self.json) = (file, name, json)
    }

    package var description: String { "\(self.file): \(self.name)" }
    /// Its `system`; `nil` when it has none.
    package var system: String? { self.json.object?["system"]?.string }

    /// Whether the row holds on Linux; `nil` for a platform that isn't known. It may have a compiler's version in it.
    private var isOfLinux: Bool? {
        guard let platform = self.json.object?["platform"]?.text?.lowercased() else { return true }
        if platform.contains("linux") { return true }
        return ["apple", "macos", "ios", "darwin"].contains(where: platform.contains) ? false : nil
    }

    /// Whether the row holds here. One whose platform isn't known does, so that it fails.
    package var isOfThisPlatform: Bool { self.isOfLinux ?? true }

    package func checkPlatform() throws {
        if self.isOfLinux == nil {
            throw RowNotUnderstood("the platform \"\(self.json.object?["platform"]?.text ?? "")\"")
        }
    }
}

extension VectorRow {
    package static let fixtures = Checkout.url("Fixtures/vectors")

    /// What other programs gave, rows made for this package with one for each option at least, and the folder that
    /// `FORMWORK_VECTORS` names.
    package static let folders = [
        fixtures, Checkout.url("Fixtures/vectors-options"),
        ProcessInfo.processInfo.environment["FORMWORK_VECTORS"].map { URL(fileURLWithPath: $0) },
    ].compactMap { $0 }

    /// The rows of every file of every folder.
    package static func all() throws -> [VectorRow] { try self.every.get() }
    private static let every = Result { try folders.flatMap { try rows(in: $0) } }

    /// - Throws: For a file that isn't an array of objects.
    package static func rows(in folder: URL) throws -> [VectorRow] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        return try names.sorted().flatMap { name in
            try self.rows(of: Data(contentsOf: folder.appendingPathComponent(name)), in: name)
        }
    }

    package static func rows(of data: Data, in file: String) throws -> [VectorRow] {
        // Not by `JSONSerialization`, which drops U+FEFF at a text's beginning.
        guard let values = try? JSONValue(parsing: data).array, values.allSatisfy({ $0.object != nil }) else {
            throw RowNotUnderstood("\(file) is not an array of rows")
        }
        return values.enumerated().map { index, value in
            VectorRow(file: file, name: value.object?["name"]?.string ?? "row \(index + 1)", json: value)
        }
    }
}
