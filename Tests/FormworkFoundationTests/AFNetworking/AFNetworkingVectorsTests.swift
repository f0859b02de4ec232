import Foundation
import FormworkFoundation
import FoundationNetworking
import Testing

@Suite("Vectors: AFNetworking's rows")
struct AFNetworkingVectorsTests {
    @Test("Every row of these files is somebody's")
    func complete() throws {
        let rows = try VectorRows.all(in: VectorRows.folder)
        var counts: [String: Int] = [:]
        let systems = [
            "afnetworking.", "fbsdk.queryString", "fbsdk.dictionary", "fbsdk.escape", "prp.setFormParameters",
            "prp.escape", "whatwg.",
        ]
        for (file, row) in rows where !file.hasPrefix("multipart") {
            let system = row.json["system"] as? String ?? ""
            if systems.contains(where: system.hasPrefix) { counts[file, default: 0] += 1 }
        }
        #expect(
            counts == [
                "af-query.json": 42, "af-request.json": 15, "escape.json": 32, "headers.json": 4,
                "json-plist.json": 8, "fb-querystring.json": 12, "prp-form.json": 4,
                "whatwg-urlencoded-parse.json": 35,
            ])
    }

    /// What the default does instead, by how a row's name begins: an error, or another URL.
    static let refused = "array-as-root/"
    static let saferURL = [
        "get-url-ends-with-question-mark": "http://example.com/p?b=2",
        "get-url-with-fragment": "http://example.com/p?b=2#frag",
    ]

    @Test("Parameters become a query", arguments: try VectorRows.rows(of: "afnetworking.query"))
    func query(row: VectorRows.Row) throws {
        try row.understand("expected", "expectedLinux", options: ["style", "serializer"])
        let expected = try #require(row.expected as? String)
        for version in try row.releases() {
            for compatibility in [Compatibility.safe, .exact] {
                var serializer = HTTPRequestSerializer(
                    settings: RequestSettings(version: version, compatibility: compatibility, headers: [:]))
                try Self.setSerialization(row.options["serializer"] as? String, of: &serializer)
                let input = try row.input()
                let make = {
                    try serializer.request(method: "POST", url: "http://example.com", object: input).httpBody
                }
                if compatibility == .safe, row.testDescription.hasPrefix(Self.refused) {
                    #expect(throws: FormworkError.self) { try make() }
                } else {
                    #expect(try make().map { String(decoding: $0, as: UTF8.self) } == expected, "\(version)")
                }
            }
        }
    }

    struct BlockError: Error {}

    private static func setSerialization(_ name: String?, of serializer: inout HTTPRequestSerializer) throws {
        switch name {
        case nil: break
        case "block joining key ** value":
            serializer.querySerialization = { _, parameters in
                guard case .object(let members) = parameters else { return "" }
                return members.map { member in
                    guard case .text(let text) = member.value else { return "" }
                    return "\(member.name)**\(text)"
                }.joined()
            }
        case "block that sets an error": serializer.querySerialization = { _, _ in throw BlockError() }
        case let name?: throw RowNotUnderstood("the serializer \(name)")
        }
    }

    @Test("Requests are made", arguments: try VectorRows.rows(of: "afnetworking.request"))
    func request(row: VectorRows.Row) throws {
        try row.understand(
            "expectedRequest",
            options: [
                "request", "defaultHeaders", "serializer", "setAuthorization", "setAuthorizationToken",
                "clearAuthorization", "setHeaders",
            ])
        for version in try row.releases() {
            for compatibility in [Compatibility.safe, .exact] {
                var serializer = HTTPRequestSerializer(
                    settings: RequestSettings(version: version, compatibility: compatibility, headers: [:]))
                try Self.setSerialization(row.options["serializer"] as? String, of: &serializer)
                try Self.setHeaders(row, of: &serializer.settings)
                let safer = compatibility == .safe ? Self.saferURL[row.testDescription] : nil
                try Self.check(row, serializer, url: safer)
            }
        }
    }

    private static func setHeaders(_ row: VectorRows.Row, of settings: inout RequestSettings) throws {
        for (name, value) in row.options["defaultHeaders"] as? [String: String] ?? [:] {
            settings.setValue(value, forHTTPHeaderField: name)
        }
        for pair in row.options["setHeaders"] as? [[Any]] ?? [] {
            settings.setValue(pair[1] as? String, forHTTPHeaderField: try #require(pair[0] as? String))
        }
        if let pair = row.options["setAuthorization"] as? [String] {
            settings.setAuthorization(username: pair[0], password: pair[1])
        }
        if let token = row.options["setAuthorizationToken"] as? String { settings.setAuthorization(token: token) }
        if row.options["clearAuthorization"] as? Bool ?? false { settings.clearAuthorization() }
    }

    /// The request that a row starts from.
    private static func start(_ row: VectorRows.Row) throws -> URLRequest {
        let options = try #require(row.options["request"] as? [String: Any])
        #expect(Set(options.keys).subtracting(["method", "url", "headers"]).isEmpty)
        var request = URLRequest(url: try #require(URL(string: options["url"] as? String ?? "")))
        request.httpMethod = options["method"] as? String
        for (name, value) in options["headers"] as? [String: String] ?? [:] {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    private static func check(_ row: VectorRows.Row, _ serializer: some RequestSerializer, url: String? = nil) throws {
        let start = try self.start(row)
        let input = try row.input()
        var expected = try #require(row.json["expectedRequest"] as? [String: Any])
        if expected["error"] != nil {
            #expect(Set(expected.keys) == ["error", "request"])
            #expect(throws: BlockError.self) { try serializer.serialize(start, object: input) }
            return
        }
        let request = try serializer.serialize(start, object: input)
        if let text = expected.removeValue(forKey: "url") as? String {
            #expect(request.url?.absoluteString == url ?? text)
        }
        if let body = expected.removeValue(forKey: "body") {
            #expect(request.httpBody.map { String(decoding: $0, as: UTF8.self) } == body as? String)
        }
        if let type = expected.removeValue(forKey: "contentType") {
            #expect(request.value(forHTTPHeaderField: "Content-Type") == type as? String)
        }
        for (name, value) in expected.removeValue(forKey: "headers") as? [String: Any] ?? [:] {
            #expect(request.value(forHTTPHeaderField: name) == value as? String)
        }
        guard expected.isEmpty else { throw RowNotUnderstood("the request's \(expected.keys.sorted())") }
    }

    @Test(
        "JSON and property lists",
        arguments: try ["json", "plist"].flatMap { try VectorRows.rows(of: "afnetworking.\($0)") })
    func structured(row: VectorRows.Row) throws {
        try row.understand(
            "expected", "expectedLinux", "expectedBase64", "expectedContentType", "expectedError", "expectedRequest",
            options: ["request", "format", "writeOptions"])
        for version in try row.releases() {
            let settings = RequestSettings(version: version, headers: [:])
            if row.json["system"] as? String == "afnetworking.json" {
                try Self.checkBody(row, JSONRequestSerializer(settings: settings))
            } else {
                let format: PropertyListSerialization.PropertyListFormat
                switch row.options["format"] as? String ?? "xml" {
                case "xml": format = .xml
                case "binary": format = .binary
                case let name: throw RowNotUnderstood("the format \(name)")
                }
                try Self.checkBody(row, PropertyListRequestSerializer(settings: settings, format: format))
            }
        }
    }

    private static func checkBody(_ row: VectorRows.Row, _ serializer: some RequestSerializer) throws {
        guard row.json["expectedRequest"] == nil else { return try self.check(row, serializer) }
        let start = try self.start(row)
        let make = {
            var input = try row.input()
            if let pairs = input as? [(String, Any)], type(of: input ?? 0) == [(String, Any)].self {
                input = RowInputValue.dictionary(pairs)
            }
            return try serializer.serialize(start, object: input)
        }
        if let expected = row.json["expectedError"] as? [String: Any] {
            let error = try #require(#expect(throws: (any Error).self) { try make() })
            if expected["any"] as? Bool ?? false { return }
            let refusal = try #require(error as? RequestSerializationError)
            #expect(RequestSerializationError.errorDomain == expected["domain"] as? String)
            #expect(refusal.errorCode == expected["code"] as? Int)
            #expect(refusal.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String == expected["reason"] as? String)
            #expect((error as NSError).domain == expected["domain"] as? String)
            #expect((error as NSError).code == expected["code"] as? Int)
            return
        }
        let request = try make()
        if let base64 = row.json["expectedBase64"] as? String {
            #expect(request.httpBody == Data(base64Encoded: base64))
        } else {
            #expect(request.httpBody.map { String(decoding: $0, as: UTF8.self) } == row.expected as? String)
        }
        #expect(request.value(forHTTPHeaderField: "Content-Type") == row.json["expectedContentType"] as? String)
    }

    @Test("Languages are graded", arguments: try VectorRows.rows(of: "afnetworking.acceptLanguage"))
    func languages(row: VectorRows.Row) throws {
        try row.understand("expected")
        let languages = try #require(row.json["input"] as? [String])
        for version in try row.releases() {
            let header = HTTPHeader.afnetworkingAcceptLanguage(languages, version: version)
            #expect(header.value == row.expected as? String)
        }
    }

    @Test("A user agent is named", arguments: try VectorRows.rows(of: "afnetworking.userAgent"))
    func agent(row: VectorRows.Row) throws {
        try row.understand("expected", options: ["platform"])
        var input = try #require(row.json["input"] as? [String: String])
        let version = input.removeValue(forKey: "systemVersion") ?? ""
        let system: AFNetworkingUserAgent.System
        switch row.options["platform"] as? String {
        case "macOS": system = .mac(version: input.removeValue(forKey: "osVersionString") ?? "")
        case let name?:
            system = .device(
                model: input.removeValue(forKey: "model") ?? "", name: name, version: version,
                scale: Double(input.removeValue(forKey: "scale") ?? "") ?? 1)
        case nil: throw RowNotUnderstood("no platform")
        }
        let agent = AFNetworkingUserAgent(
            executable: input.removeValue(forKey: "executable") ?? input.removeValue(forKey: "bundle") ?? "",
            shortVersion: input.removeValue(forKey: "shortVersion"),
            bundleVersion: input.removeValue(forKey: "bundleVersion"), system: system)
        #expect(input.isEmpty)
        #expect(agent.text() == row.expected as? String)
    }
}
