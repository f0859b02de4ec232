import Foundation
import FormworkFoundation
import FormworkMigration
import TestSupport
import Testing

/// A row of `alamofire.MultipartFormData`, ready to be run.
struct MultipartRowRun {
    private let row: VectorRows.Row
    private let parts: [[String: Any]]
    private let boundary: String
    private let writesToDisk: Bool
    private let isEncodedTwice: Bool

    init(_ row: VectorRows.Row) throws {
        try row.understand(
            "expected", "expectedLinux", "expectedBase64", "expectedBody", "expectedLength", "expectedContentType",
            "expectedError", "expectedErrorApple", "expectedErrorLinux",
            options: ["boundary", "writeToDisk", "encodeTwice"])
        guard
            let parts = row.json["input"] as? [[String: Any]]
                ?? ((row.json["input"] as? [Any])?.isEmpty == true ? [] : nil)
        else { throw RowNotUnderstood("an input that is not a list of parts") }
        guard let boundary = row.options["boundary"] as? String else { throw RowNotUnderstood("no boundary") }
        func flag(_ option: String) throws -> Bool {
            guard let value = row.options[option] else { return false }
            guard let flag = value as? Bool else { throw RowNotUnderstood("\(option) \(value)") }
            return flag
        }
        (self.row, self.parts, self.boundary) = (row, parts, boundary)
        (self.writesToDisk, self.isEncodedTwice) = (try flag("writeToDisk"), try flag("encodeTwice"))
        for part in parts { try Self.understand(part) }
    }

    private static func understand(_ part: [String: Any]) throws {
        guard let kind = part["kind"] as? String else { throw RowNotUnderstood("a part without a kind") }
        let keys: Set<String>
        switch kind {
        case "data", "file": keys = ["kind", "name", "fileName", "mimeType", "utf8", "base64"]
        case "stream": keys = ["kind", "name", "fileName", "mimeType", "utf8", "base64", "declaredLength"]
        case "headers": keys = ["kind", "headers", "utf8", "base64", "declaredLength"]
        case "url": keys = ["kind", "name", "url", "fileName", "mimeType"]
        default: throw RowNotUnderstood("the kind of part \(kind)")
        }
        let unknown = Set(part.keys).subtracting(keys)
        guard unknown.isEmpty else { throw RowNotUnderstood("a part has \(unknown.sorted())") }
        if kind != "url" { _ = try self.content(part) }
    }

    private static func content(_ part: [String: Any]) throws -> Data {
        if let text = part["utf8"] as? String { return Data(text.utf8) }
        guard let data = (part["base64"] as? String).flatMap({ Data(base64Encoded: $0) }) else {
            throw RowNotUnderstood("a part without bytes")
        }
        return data
    }

    /// Streams whose length isn't the one declared are the system's defect on disk; in memory it has an error too.
    private var hasWrongLength: Bool {
        self.parts.contains { part in
            guard let declared = part["declaredLength"] as? Int, let data = try? Self.content(part) else {
                return false
            }
            return declared != data.count
        }
    }

    private var hasStreams: Bool { self.parts.contains { ["stream", "headers"].contains($0["kind"] as? String) } }

    func check(_ compatibility: Compatibility) throws {
        let outcome = try self.outcome(compatibility)
        var expectedError =
            self.row.json["expectedErrorLinux"] as? String ?? self.row.json["expectedError"] as? String ?? ""
        if compatibility == .safe {
            // As Alamofire reports it where files can be looked at.
            expectedError =
                self.row.json["expectedErrorApple"] as? String ?? self.row.json["expectedError"] as? String
                ?? expectedError
            if self.hasWrongLength { expectedError = unexpectedLength }
            // A form that can be sent again is encoded again.
            if self.isEncodedTwice, !self.hasStreams { expectedError = "" }
        } else if expectedError.isEmpty, self.row.json["expectedErrorApple"] != nil {
            return
        }
        #expect(outcome.error == expectedError)
        guard expectedError.isEmpty, outcome.error.isEmpty else {
            #expect(!outcome.leavesFile)
            return
        }
        var isSame = true
        if let expected = try self.expectedBody() {
            let wanted = compatibility == .safe ? self.escaped(expected) : expected
            isSame = wanted == expected
            #expect(outcome.body == wanted)
            #expect(String(decoding: outcome.body, as: UTF8.self) == String(decoding: wanted, as: UTF8.self))
        }
        if let type = self.row.json["expectedContentType"] { #expect(outcome.contentType == type as? String) }
        if let length = self.row.json["expectedLength"], isSame { #expect(outcome.body.count == length as? Int) }
    }

    private func expectedBody() throws -> Data? {
        if let text = self.row.expected ?? self.row.json["expectedBody"] {
            guard let text = text as? String else { throw RowNotUnderstood("an expected body that is not a text") }
            return Data(text.utf8)
        }
        guard let base64 = self.row.json["expectedBase64"] else { return nil }
        guard let data = (base64 as? String).flatMap({ Data(base64Encoded: $0) }) else {
            throw RowNotUnderstood("expectedBase64")
        }
        return data
    }

    /// The body with names as a browser writes them: quotes and line ends can't end them.
    private func escaped(_ body: Data) -> Data {
        var text = String(decoding: body, as: UTF8.self)
        guard Data(text.utf8) == body else { return body }
        for part in self.parts {
            for (parameter, key) in [("name", "name"), ("filename", "fileName")] {
                guard let raw = part[key] as? String else { continue }
                let safe = raw.replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
                    .replacingOccurrences(of: "\"", with: "%22")
                text = text.replacingOccurrences(of: "\(parameter)=\"\(raw)\"", with: "\(parameter)=\"\(safe)\"")
            }
        }
        return Data(text.utf8)
    }

    private struct Outcome {
        var body = Data()
        var error = ""
        var contentType = ""
        var leavesFile = false
    }

    private func outcome(_ compatibility: Compatibility) throws -> Outcome {
        let folder = Folder()
        let form = MultipartFormData(boundary: self.boundary, compatibility: compatibility)
        for part in self.parts { try Self.append(part, to: form, folder) }
        var outcome = Outcome()
        for name in self.isEncodedTwice ? ["out", "again"] : ["out"] {
            outcome.error = failure {
                if self.writesToDisk { try form.writeEncodedData(to: folder[name]) }
                let body = self.writesToDisk ? try Data(contentsOf: folder[name]) : try form.encode()
                if name == "again" { #expect(body == outcome.body) }
                outcome.body = body
            }
            outcome.leavesFile = folder.names.contains(name)
            if !outcome.error.isEmpty { break }
        }
        outcome.contentType = form.contentType
        return outcome
    }

    private static func append(_ part: [String: Any], to form: MultipartFormData, _ folder: Folder) throws {
        let name = part["name"] as? String ?? ""
        let fileName = part["fileName"] as? String
        let type = part["mimeType"] as? String
        if part["kind"] as? String == "url" {
            guard let url = URL(string: part["url"] as? String ?? "") else {
                throw RowNotUnderstood("the URL of a part")
            }
            if let fileName, let type { return form.append(url, withName: name, fileName: fileName, mimeType: type) }
            return form.append(url, withName: name)
        }
        let data = try self.content(part)
        let length = UInt64(clamping: part["declaredLength"] as? Int ?? data.count)
        switch part["kind"] as? String {
        case "data": form.append(data, withName: name, fileName: fileName, mimeType: type)
        case "file":
            let url = folder[fileName ?? "file.bin"]
            try data.write(to: url)
            if let fileName, let type { return form.append(url, withName: name, fileName: fileName, mimeType: type) }
            form.append(url, withName: name)
        case "stream":
            form.append(
                InputStream(data: data), withLength: length, name: name, fileName: try #require(fileName),
                mimeType: try #require(type))
        default:
            guard let pairs = part["headers"] as? [[String]], pairs.allSatisfy({ $0.count == 2 }) else {
                throw RowNotUnderstood("headers that are not pairs")
            }
            form.append(
                InputStream(data: data), withLength: length,
                headers: HTTPHeaders(pairs.map { HTTPHeader(name: $0[0], value: $0[1]) }))
        }
    }
}
