import Foundation
import FormworkCore
import TestSupport

/// One row of `parse*.json`: a body, and the parts or the class of error that it should give.
struct ParseVector: Sendable, CustomStringConvertible {
    struct Part: Sendable {
        var name: String?
        var filename: String?
        var contentType: String?
        var headers: [String: [String]]?
        var body: [UInt8]?
        var length: Int?

        init(_ value: JSONValue) throws {
            var object = try VectorObject(value, "a part")
            (self.name, self.filename) = (try object.string("name"), try object.string("filename"))
            self.contentType = try object.string("content_type")
            self.headers = object.value("headers")?.object?.mapValues { $0.array?.compactMap(\.string) ?? [] }
            self.body = try object.bytes("body", "body_base64")
            self.length = try object.integer("length")
            _ = object.value("body_sha256")
            try object.checkAllTaken()
        }
    }

    var name: String
    var profile: String
    var contentType: String
    var body: [UInt8]
    var limits: [String: JSONValue]
    var parts: [Part]?
    var error: String?

    var description: String { self.name }

    /// The rows for parsers; a file that can't be read gives a row that fails, not silence.
    static let all: [ParseVector] = {
        do { return try VectorRow.all().compactMap(ParseVector.init) } catch {
            return [ParseVector(failing: "\(error)")]
        }
    }()

    private init(failing name: String) {
        (self.name, self.profile, self.contentType, self.body) = (name, "", "", [])
        (self.limits, self.parts, self.error) = ([:], nil, "none")
    }

    /// - Returns: `nil` for another row: those for parsers have a body and a profile.
    /// - Throws: For a row that isn't understood.
    init?(_ row: VectorRow) throws {
        guard row.json.object?["profile"] != nil, row.json.object?["args"] == nil else { return nil }
        var object = try VectorObject(row.json, "a row")
        for key in ["name", "origin", "notes", "note"] { _ = object.value(key) }
        self.name = row.name
        self.profile = try object.string("profile") ?? ""
        self.contentType = try object.string("content_type") ?? ""
        self.body = try object.bytes("body", "body_base64") ?? []
        self.limits = object.value("limits")?.object ?? [:]
        var expected = try VectorObject(object.value("expected"), "what is expected")
        self.error = try expected.string("error")
        self.parts = try expected.array("parts")?.map(Part.init)
        try expected.checkAllTaken()
        try object.checkAllTaken()
    }

    func makeParser() throws -> MultipartParser {
        let profiles: [String: ParsingProfile] = [
            "default": .default, "generic": .generic, "whatwg": .whatwg, "lenient": .lenient, "strict": .strict,
        ]
        guard let profile = profiles[self.profile] else { throw RowNotUnderstood("profile \(self.profile)") }
        var limits = ParsingLimits()
        // A row without limits is about something else.
        (limits.headerBytes, limits.fieldBytes, limits.nameBytes) = (1 << 20, 8 << 20, 1 << 20)
        for (key, value) in self.limits {
            let value = Int64(value.integer ?? -1)
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
            default: throw RowNotUnderstood("limit \(key)")
            }
        }
        return try MultipartParser(contentType: self.contentType, profile: profile, limits: limits)
    }
}
