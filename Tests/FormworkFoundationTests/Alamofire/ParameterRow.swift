import Foundation
import TestSupport
import Testing

/// Why a row can't be run.
struct RowNotUnderstood: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// An object of a row. What is taken is ticked off, so that what nobody takes is noticed.
struct RowObject: Sendable {
    let fields: [String: JSONValue]
    private let what: String
    private var taken: Set<String> = []

    init(_ value: JSONValue?, _ what: String) throws {
        guard case .object(let fields)? = value else { throw RowNotUnderstood("\(what) is no object") }
        (self.fields, self.what) = (fields, what)
    }

    mutating func value(_ key: String) -> JSONValue? {
        self.taken.insert(key)
        return self.fields[key]
    }

    mutating func text(_ key: String) throws -> String? {
        guard let value = self.value(key) else { return nil }
        guard let text = value.text else { throw RowNotUnderstood("\(self.what): \(key) is no text") }
        return text
    }

    mutating func flag(_ key: String) throws -> Bool? {
        guard let value = self.value(key) else { return nil }
        guard case .bool(let flag) = value else { throw RowNotUnderstood("\(self.what): \(key) is no Boolean") }
        return flag
    }

    func checkAllTaken() throws {
        let left = self.fields.keys.filter { !self.taken.contains($0) }.sorted()
        guard left.isEmpty else { throw RowNotUnderstood("\(self.what) has \(left.joined(separator: ", "))") }
    }
}

/// A row of a file, of one of the systems that are run here.
struct ParameterRow: Sendable, CustomTestStringConvertible {
    static let systems = [
        "alamofire.URLEncoding", "alamofire.URLEncodedFormEncoder", "alamofire.URLEncodedFormEncoder.scenario",
        "alamofire.URLEncodedFormParameterEncoder", "alamofire.JSONParameterEncoder", "alamofire.JSONEncoding",
        "alamofire.PropertyListEncoding", "alamofire.escape",
    ]

    /// The fixtures' rows, and those of the folder that `FORMWORK_VECTORS` names, but for those of another platform.
    static func all() throws -> [ParameterRow] {
        try VectorRows.folders.flatMap { try self.rows(in: $0) }.filter { row in
            guard case .object(let fields) = row.json, let platform = fields["platform"]?.text else { return true }
            return VectorRows.Row(json: ["platform": platform]).isOfThisPlatform
        }
    }

    static func rows(in folder: URL) throws -> [ParameterRow] {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
        return files.sorted { $0.path < $1.path }.flatMap { file -> [ParameterRow] in
            guard let rows = try? JSONDecoder().decode([JSONValue].self, from: Data(contentsOf: file)) else {
                return []
            }
            return rows.compactMap { row in
                guard case .object(let fields) = row, let system = fields["system"]?.text,
                    self.systems.contains(system)
                else { return nil }
                return ParameterRow(
                    file: file.lastPathComponent, name: fields["name"]?.text ?? "", system: system, json: row)
            }
        }
    }

    var file: String
    var name: String
    var system: String
    var json: JSONValue
    var testDescription: String { "\(self.file): \(self.name)" }
}
