import Foundation
import Testing

@testable import FormworkFoundation

@Suite("Vectors: Alamofire's rows through Alamofire's interface")
struct AlamofireVectorsTests {
    static func multipart() throws -> [VectorRows.Row] {
        try VectorRows.rows("multipart-framing", "multipart-stream", system: "alamofire.MultipartFormData")
    }

    static func headers() throws -> [VectorRows.Row] { try VectorRows.rows("headers", system: "alamofire.") }

    /// What the default does instead, by a row's name: an error, or the body with its quotes escaped.
    static let departures: [String: String] = [
        "alamofire/stream-longer-than-declared/disk-truncates": unexpectedLength,
        "alamofire/stream-shorter-than-declared/disk-is-silent": unexpectedLength,
        "alamofire/quote-in-filename-unescaped": "",
        // Alamofire reports it so on Apple's systems.
        "alamofire/missing-file": "multipartEncodingFailed.bodyPartFileNotReachableWithError",
    ]

    @Test("The rows are there")
    func complete() throws {
        let names = try Self.multipart().map(\.testDescription)
        #expect(names.count == 19)
        #expect(Set(Self.departures.keys).subtracting(names).isEmpty)
        #expect(try Self.headers().count == 4)
    }

    @Test("A form comes out as Alamofire has it", arguments: try multipart())
    func exact(row: VectorRows.Row) throws {
        let error = row.json["expectedErrorLinux"] ?? row.json["expectedError"]
        try Self.check(row, .exact, error: error as? String ?? "", body: row.json["expected"] as? String)
    }

    @Test("A form comes out as Alamofire has it, or safer", arguments: try multipart())
    func safe(row: VectorRows.Row) throws {
        var body = row.json["expected"] as? String
        var error = row.json["expectedError"] as? String ?? ""
        if let departure = Self.departures[row.testDescription] {
            error = departure
            body = body?.replacingOccurrences(of: "my \"q\".pdf", with: "my %22q%22.pdf")
        }
        try Self.check(row, .safe, error: error, body: body)
    }

    private static func check(
        _ row: VectorRows.Row, _ compatibility: Compatibility, error: String, body: String?
    ) throws {
        let folder = try Folder()
        let options = try #require(row.json["options"] as? [String: Any])
        let form = MultipartFormData(
            boundary: try #require(options["boundary"] as? String), compatibility: compatibility)
        for part in try #require(row.json["input"] as? [[String: Any]]) { try self.append(part, to: form, folder) }
        let toDisk = options["writeToDisk"] as? Bool ?? false
        var encoded = Data()
        let failure = failure {
            if toDisk { try form.writeEncodedData(to: folder["out"]) }
            encoded = toDisk ? try Data(contentsOf: folder["out"]) : try form.encode()
        }
        #expect(failure == error)
        guard error.isEmpty else { return #expect(!folder.names.contains("out")) }
        #expect(String(decoding: encoded, as: UTF8.self) == body)
        if let type = row.json["expectedContentType"] as? String { #expect(form.contentType == type) }
        #expect(body != row.json["expected"] as? String || encoded.count == row.json["expectedLength"] as? Int)
    }

    private static func append(_ part: [String: Any], to form: MultipartFormData, _ folder: Folder) throws {
        let name = part["name"] as? String ?? ""
        let fileName = part["fileName"] as? String
        let type = part["mimeType"] as? String
        let data = Data((part["utf8"] as? String ?? "").utf8)
        let length = UInt64(part["declaredLength"] as? Int ?? data.count)
        switch try #require(part["kind"] as? String) {
        case "data": form.append(data, withName: name, fileName: fileName, mimeType: type)
        case "stream":
            form.append(
                InputStream(data: data), withLength: length, name: name, fileName: try #require(fileName),
                mimeType: try #require(type))
        case "headers":
            let pairs = try #require(part["headers"] as? [[String]])
            form.append(
                InputStream(data: data), withLength: length,
                headers: HTTPHeaders(pairs.map { HTTPHeader(name: $0[0], value: $0[1]) }))
        case "url": form.append(try #require(URL(string: part["url"] as? String ?? "")), withName: name)
        case let kind: Issue.record("the kind of part \(kind)")
        }
    }

    @Test("A header is written as Alamofire has it", arguments: try headers())
    func header(row: VectorRows.Row) throws {
        let expected = try #require(row.json["expected"] as? String)
        guard let input = row.json["input"] as? [String: String] else {
            let values = try #require(row.json["input"] as? [String])
            #expect(values.qualityEncoded() == expected)
            if row.testDescription == "alamofire-accept-encoding" {
                #expect(HTTPHeader.defaultAcceptEncoding.value == expected)
            }
            return
        }
        let agent = HTTPHeader.userAgent(
            executable: input["executable"], version: input["version"], bundle: input["bundle"], build: input["build"],
            system: input["os"] ?? "", library: input["lib"] ?? "")
        #expect(agent.value == expected)
    }
}
