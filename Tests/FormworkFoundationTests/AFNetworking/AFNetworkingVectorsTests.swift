import Foundation
import FormworkFoundation
@testable import FormworkMigration
import FoundationNetworking
import TestSupport
import Testing

@Suite("Vectors: AFNetworking's rows", .timeLimit(.minutes(10)))
struct AFNetworkingVectorsTests {
    @Test("Every row of these files is somebody's")
    func complete() throws {
        var counts: [String: Int] = [:]
        let systems = [
            "afnetworking.", "fbsdk.queryString", "fbsdk.dictionary", "fbsdk.escape", "prp.setFormParameters",
            "prp.escape", "whatwg.",
        ]
        for row in try VectorRow.rows(in: VectorRow.fixtures) where !row.file.hasPrefix("multipart") {
            let system = row.system ?? ""
            if systems.contains(where: system.hasPrefix) { counts[row.file, default: 0] += 1 }
        }
        #expect(
            counts == [
                "af-query.json": 42, "af-request.json": 15, "escape.json": 32, "headers.json": 4,
                "json-plist.json": 8, "fb-querystring.json": 12, "prp-form.json": 4,
                "whatwg-urlencoded-parse.json": 35,
            ])
    }

    /// Where the default puts a query: before a fragment, and without another mark after `?` and `&`. AFNetworking appends
    /// it to the whole URL.
    private static func safer(_ url: String, from start: String) -> String {
        guard url.hasPrefix(start), url.count > start.count else { return url }
        let query = url.dropFirst(start.count + 1)
        let head = start.prefix { $0 != "#" }
        let fragment = start.dropFirst(head.count)
        let mark = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
        return head + mark + query + fragment
    }

    @Test("Parameters become a query", arguments: try VectorRows.rows(of: "afnetworking.query"))
    func query(row: VectorRows.Row) throws { try Self.checkQuery(row) }

    static func checkQuery(_ row: VectorRows.Row) throws {
        try row.understand("expected", "expectedLinux", options: ["style", "serializer"])
        _ = try row.choice("style", "default")
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
                // A root that is an array has no name in AFNetworking, which writes "(null)".
                let isArray = (row.json["input"] as? [String: Any])?["type"] as? String == "array"
                if compatibility == .safe, isArray, row.options["serializer"] == nil {
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
    func request(row: VectorRows.Row) throws { try Self.checkRequest(row) }

    /// The options that all serializers have.
    static let settings = [
        "request", "defaultHeaders", "serializer", "setAuthorization", "setAuthorizationToken", "clearAuthorization",
        "setHeaders", "HTTPMethodsEncodingParametersInURI", "format", "writeOptions",
    ]
    static let expectations = [
        "expected", "expectedLinux", "expectedBase64", "expectedBody", "expectedURL", "expectedContentType",
        "expectedError", "expectedRequest", "expectedNil",
    ]

    static func checkRequest(_ row: VectorRows.Row) throws {
        try row.understand(keys: Self.expectations, options: Self.settings)
        guard row.options["format"] == nil, row.options["writeOptions"] == nil else {
            throw RowNotUnderstood("a format of an HTTP request")
        }
        for version in try row.releases() {
            for compatibility in [Compatibility.safe, .exact] {
                var serializer = HTTPRequestSerializer(
                    settings: RequestSettings(version: version, compatibility: compatibility, headers: [:]))
                try Self.setSerialization(row.options["serializer"] as? String, of: &serializer)
                try Self.setHeaders(row, of: &serializer.settings)
                try Self.check(row, serializer, isSafe: compatibility == .safe)
            }
        }
    }

    private static func setHeaders(_ row: VectorRows.Row, of settings: inout RequestSettings) throws {
        func option<Value>(_ name: String, as type: Value.Type) throws -> Value? {
            guard let value = row.options[name] else { return nil }
            guard let value = value as? Value else { throw RowNotUnderstood("\(name) \(value)") }
            return value
        }
        for (name, value) in try option("defaultHeaders", as: [String: String].self) ?? [:] {
            settings.setValue(value, forHTTPHeaderField: name)
        }
        for pair in try option("setHeaders", as: [[Any]].self) ?? [] {
            guard pair.count == 2, let name = pair[0] as? String, pair[1] is String || pair[1] is NSNull else {
                throw RowNotUnderstood("setHeaders \(pair)")
            }
            settings.setValue(pair[1] as? String, forHTTPHeaderField: name)
        }
        if let pair = try option("setAuthorization", as: [String].self) {
            guard pair.count == 2 else { throw RowNotUnderstood("setAuthorization \(pair)") }
            settings.setAuthorization(username: pair[0], password: pair[1])
        }
        if let token = try option("setAuthorizationToken", as: String.self) { settings.setAuthorization(token: token) }
        if try option("clearAuthorization", as: Bool.self) ?? false { settings.clearAuthorization() }
        if let methods = try option("HTTPMethodsEncodingParametersInURI", as: [String].self) {
            settings.methodsEncodingParametersInURL = Set(methods)
        }
    }

    /// The request that a row starts from.
    private static func start(_ row: VectorRows.Row) throws -> URLRequest {
        guard let options = row.options["request"] as? [String: Any] else { throw RowNotUnderstood("no request") }
        let unknown = Set(options.keys).subtracting(["method", "url", "headers"])
        guard unknown.isEmpty else { throw RowNotUnderstood("the request's \(unknown.sorted())") }
        var request = URLRequest(url: try #require(URL(string: options["url"] as? String ?? "")))
        request.httpMethod = options["method"] as? String
        for (name, value) in options["headers"] as? [String: String] ?? [:] {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    private static func check(
        _ row: VectorRows.Row, _ serializer: some RequestSerializer, isSafe: Bool = false
    ) throws {
        let start = try self.start(row)
        let input = try row.input()
        var expected = try self.expectedRequest(row)
        if expected["error"] != nil || row.json["expectedError"] != nil {
            let unknown = Set(expected.keys).subtracting(["error", "request"])
            guard unknown.isEmpty else { throw RowNotUnderstood("the request's \(unknown.sorted())") }
            #expect(throws: BlockError.self) { try serializer.serialize(start, object: input) }
            return
        }
        let request = try serializer.serialize(start, object: input)
        if let text = expected.removeValue(forKey: "url") as? String {
            let url = isSafe ? self.safer(text, from: start.url?.absoluteString ?? "") : text
            #expect(request.url?.absoluteString == url)
        }
        if let method = expected.removeValue(forKey: "method") { #expect(request.httpMethod == method as? String) }
        _ = expected.removeValue(forKey: "note")
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

    /// What a row says of its request, in one object or key by key.
    private static func expectedRequest(_ row: VectorRows.Row) throws -> [String: Any] {
        if let request = row.json["expectedRequest"] {
            guard let request = request as? [String: Any] else { throw RowNotUnderstood("expectedRequest") }
            return request
        }
        var expected: [String: Any] = [:]
        expected["url"] = row.json["expectedURL"]
        expected["contentType"] = row.json["expectedContentType"]
        expected["body"] = row.expected ?? row.json["expectedBody"]
        if row.json["expectedNil"] as? Bool ?? false { expected["body"] = NSNull() }
        return expected
    }

    @Test(
        "JSON and property lists",
        arguments: try ["json", "plist"].flatMap { try VectorRows.rows(of: "afnetworking.\($0)") })
    func structured(row: VectorRows.Row) throws { try Self.checkStructured(row) }

    static func checkStructured(_ row: VectorRows.Row) throws {
        try row.understand(keys: Self.expectations, options: Self.settings)
        let writing = row.options["writeOptions"] == nil ? 0 : row.options["writeOptions"] as? Int ?? -1
        guard writing >= 0 else { throw RowNotUnderstood("writeOptions \(row.options["writeOptions"] ?? "")") }
        guard row.options["serializer"] == nil else { throw RowNotUnderstood("a serializer of queries") }
        for version in try row.releases() {
            var settings = RequestSettings(version: version, headers: [:])
            try Self.setHeaders(row, of: &settings)
            if row.json["system"] as? String == "afnetworking.json" {
                guard row.options["format"] == nil else { throw RowNotUnderstood("a format of JSON") }
                var serializer = JSONRequestSerializer(settings: settings)
                serializer.writingOptions = JSONSerialization.WritingOptions(rawValue: UInt(writing))
                try Self.checkBody(row, serializer)
            } else {
                guard writing == 0 else { throw RowNotUnderstood("writeOptions \(writing)") }
                let format = try row.choice("format", "xml", "binary")
                try Self.checkBody(
                    row, PropertyListRequestSerializer(settings: settings, format: format == "xml" ? .xml : .binary))
            }
        }
    }

    private static func checkBody(_ row: VectorRows.Row, _ serializer: some RequestSerializer) throws {
        let isBody = ["expected", "expectedLinux", "expectedBase64", "expectedError"].contains { row.json[$0] != nil }
        guard isBody, row.json["expectedRequest"] == nil, row.json["expectedURL"] == nil else {
            return try self.check(row, serializer)
        }
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
        if let type = row.json["expectedContentType"] {
            #expect(request.value(forHTTPHeaderField: "Content-Type") == type as? String)
        }
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
        let system: String
        switch row.options["platform"] as? String {
        case "macOS": system = "Mac OS X \(input.removeValue(forKey: "osVersionString") ?? "")"
        case let name?:
            let scale = Double(input.removeValue(forKey: "scale") ?? "") ?? 1
            let model = input.removeValue(forKey: "model") ?? ""
            system = "\(model); \(name) \(version); Scale/\(String(format: "%.2f", scale))"
        case nil: throw RowNotUnderstood("no platform")
        }
        let agent = HTTPHeader.afnetworkingUserAgent(
            executable: input.removeValue(forKey: "executable") ?? input.removeValue(forKey: "bundle") ?? "",
            shortVersion: input.removeValue(forKey: "shortVersion"),
            bundleVersion: input.removeValue(forKey: "bundleVersion"), system: system)
        #expect(input.isEmpty)
        #expect(agent.value == row.expected as? String)
    }
}
