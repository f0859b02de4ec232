import Foundation
import FormworkCore

/// One row of `parse*.json`: a body, and the parts or the class of error that it should give.
struct ParseVector: Decodable, Sendable, CustomStringConvertible {
    struct Part: Decodable, Sendable {
        var name: String?
        var filename: String?
        var content_type: String?
        var headers: [String: [String]]?
        var body_base64: String?
        var body_sha256: String?
        var length: Int?
    }

    struct Expected: Decodable, Sendable {
        var parts: [Part]?
        var error: String?
    }

    var name: String
    var origin: String?
    var profile: String
    var content_type: String
    var body_base64: String
    var limits: [String: Int64]?
    var expected: Expected
    var notes: String?

    var description: String { self.name }
    var body: [UInt8] { Array(Data(base64Encoded: self.body_base64) ?? Data()) }

    /// The rows of this package's fixtures, or of the folder that `FORMWORK_VECTORS` names.
    static let all: [ParseVector] = {
        let fixtures = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
            .appendingPathComponent("Fixtures/vectors")
        let folder =
            ProcessInfo.processInfo.environment["FORMWORK_VECTORS"].map { URL(fileURLWithPath: $0) } ?? fixtures
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.flatMap { file in
            // A file that can't be read gives a row that fails, not silence.
            (try? Data(contentsOf: file)).flatMap { try? Self.rows(of: $0) } ?? [
                Self.unreadable(file.lastPathComponent)
            ]
        }
    }()

    /// The rows for parsers of a file, which may have other rows too: those with a body and a profile.
    /// - Throws: For a file that isn't an array of objects, and for a row that isn't understood.
    static func rows(of data: Data) throws -> [ParseVector] {
        guard let rows = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw NotUnderstood(description: "this is not an array of rows")
        }
        return try rows.filter { $0["profile"] != nil && $0["args"] == nil }.map { row in
            let keys = [
                "name", "origin", "profile", "content_type", "body_base64", "limits", "expected", "notes", "note",
            ]
            let parts = (row["expected"] as? [String: Any])?["parts"] as? [[String: Any]] ?? []
            let partKeys = ["name", "filename", "content_type", "headers", "body_base64", "body_sha256", "length"]
            let unknown = Set(row.keys).subtracting(keys)
                .union(Set((row["expected"] as? [String: Any] ?? [:]).keys).subtracting(["parts", "error"]))
                .union(parts.reduce(into: Set()) { $0.formUnion($1.keys) }.subtracting(partKeys))
            guard unknown.isEmpty else { throw NotUnderstood(description: "a row has \(unknown.sorted())") }
            return try JSONDecoder().decode(ParseVector.self, from: JSONSerialization.data(withJSONObject: row))
        }
    }

    private static func unreadable(_ file: String) -> ParseVector {
        ParseVector(
            name: "\(file) can't be read", origin: nil, profile: "", content_type: "", body_base64: "",
            expected: Expected(parts: nil, error: "none"))
    }

    struct NotUnderstood: Error, CustomStringConvertible {
        var description: String
    }

    func makeParser() throws -> MultipartParser {
        let profiles: [String: ParsingProfile] = [
            "default": .default, "generic": .generic, "whatwg": .whatwg, "lenient": .lenient, "strict": .strict,
        ]
        guard let profile = profiles[self.profile] else { throw NotUnderstood(description: "profile \(self.profile)") }
        var limits = ParsingLimits()
        // A row without limits is about something else.
        (limits.headerBytes, limits.fieldBytes, limits.nameBytes) = (1 << 20, 8 << 20, 1 << 20)
        for (key, value) in self.limits ?? [:] {
            switch key {
            case "boundaryLength": limits.boundaryLength = Int(value)
            case "totalBytes": limits.totalBytes = value
            case "preambleBytes": limits.preambleBytes = value
            case "headerBytes": limits.headerBytes = Int(value)
            case "headerCount": limits.headerCount = Int(value)
            case "nameBytes": limits.nameBytes = Int(value)
            case "parts": limits.parts = Int(value)
            case "files": limits.files = Int(value)
            case "fields": limits.fields = Int(value)
            case "fieldBytes": limits.fieldBytes = value
            case "fileBytes": limits.fileBytes = value
            default: throw NotUnderstood(description: "limit \(key)")
            }
        }
        return try MultipartParser(contentType: self.content_type, profile: profile, limits: limits)
    }
}
