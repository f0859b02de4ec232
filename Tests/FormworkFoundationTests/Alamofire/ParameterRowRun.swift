import FormworkFoundation
import FormworkMigration
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a row expects.
struct RowExpectation: Sendable {
    var text: String?
    var error: String?
    var url: String?
    /// `.some(nil)`: none.
    var contentType: String??
    var body: String??
    var method: String?
    var base64: String?
    var length: Int?
    var headers: [(String, String?)] = []

    init(_ row: inout VectorObject) throws {
        func optional(_ value: JSONValue?) -> String?? { value.map { $0.text } }
        self.text = try row.text("expected")
        self.error = try Self.error(row.value("expectedError"))
        (self.url, self.contentType) = (try row.text("expectedURL"), optional(row.value("expectedContentType")))
        self.body = optional(row.value("expectedBody"))
        self.base64 = try row.text("expectedBase64")
        self.length = try row.text("expectedLength").flatMap { Int($0) }
        if try row.flag("expectedNil") ?? false { self.body = .some(nil) }
        if let request = row.value("expectedRequest") { try self.takeRequest(request) }
        let apple = row.value("expectedErrorApple")
        let linux = (try row.text("expectedLinux"), try Self.error(row.value("expectedErrorLinux")))
        if linux.0 != nil || linux.1 != nil { (self.text, self.error) = linux }
        let isGiven =
            self.text != nil || self.error != nil || self.url != nil || self.contentType != nil || self.body != nil
            || self.base64 != nil || self.length != nil || self.method != nil || !self.headers.isEmpty || apple != nil
        guard isGiven else { throw RowNotUnderstood("nothing is expected") }
    }

    private mutating func takeRequest(_ value: JSONValue) throws {
        var request = try VectorObject(value, "expectedRequest")
        self.method = try request.text("method")
        if let url = try request.text("url") { self.url = url }
        if let body = request.value("body") { self.body = .some(body.text) }
        if let type = request.value("contentType") { self.contentType = .some(type.text) }
        if let headers = request.value("headers") {
            guard case .object(let fields) = headers else { throw RowNotUnderstood("the request's headers") }
            self.headers = fields.map { ($0.key, $0.value.text) }
        }
        if let error = request.value("error") { self.error = try Self.error(error) }
        _ = request.value("note")
        try request.checkAllTaken()
    }

    private static func error(_ value: JSONValue?) throws -> String? {
        guard case .object? = value else { return value?.text }
        var object = try VectorObject(value, "expectedError")
        let name = try object.text("name")
        try object.checkAllTaken()
        return name
    }
}

/// What came out of a row.
struct RowResult: Equatable {
    var text = ""
    var error: String?
    var url: String?
    var contentType: String?
    var body: String?
    var data: Data?
    var method: String?
    /// By name in lower case.
    var headers: [String: String] = [:]
}

struct CustomThrown: Error {}

/// A row of Alamofire's parameters, understood and ready to be run.
struct ParameterRun {
    private static let systems = [
        "alamofire.URLEncoding", "alamofire.URLEncodedFormEncoder", "alamofire.URLEncodedFormEncoder.scenario",
        "alamofire.URLEncodedFormParameterEncoder", "alamofire.JSONParameterEncoder", "alamofire.JSONEncoding",
        "alamofire.PropertyListEncoding", "alamofire.escape",
    ]

    /// The rows of these systems.
    static func isTaken(_ row: VectorRow) -> Bool { self.systems.contains(row.system ?? "") }

    let row: VectorRow
    let expectation: RowExpectation
    private let input: RowInput?
    private let scenario: String?
    private var options: VectorObject

    init(_ row: VectorRow) throws {
        self.row = row
        var object = try VectorObject(row.json, "the row")
        for key in ["name", "system", "versions", "note", "origin", "verifiedByRun", "platform"] {
            _ = object.value(key)
        }
        try row.checkPlatform()
        self.expectation = try RowExpectation(&object)
        self.options = try VectorObject(object.value("options"), "options")
        let input = object.value("input") ?? .null
        let isScenario = row.system?.hasSuffix(".scenario") ?? false
        self.input = input == .null || isScenario ? nil : RowInput(value: try RowInputValue.value(input.plain))
        if isScenario {
            var steps = try VectorObject(input, "the input")
            self.scenario = try steps.text("steps")
            try steps.checkAllTaken()
        } else {
            self.scenario = nil
        }
        try object.checkAllTaken()
    }

    mutating func result(_ compatibility: Compatibility) throws -> RowResult {
        var result = RowResult()
        do {
            switch self.row.system {
            case "alamofire.escape":
                let text = self.input?.value as? String ?? ""
                let times = try self.options.text("repeat").flatMap { Int($0) } ?? 1
                // Alamofire escapes both alike.
                _ = try self.choice("role", ["value": (), "key": ()], ())
                let escaped = URLEncoding().escape(String(repeating: text, count: times))
                let expected = self.expectation.text ?? ""
                result.text = escaped == String(repeating: expected, count: times) ? expected : escaped
            case "alamofire.URLEncodedFormEncoder":
                result.text = try self.encoder(compatibility).encode(self.input ?? RowInput(value: NSNull()))
            case "alamofire.URLEncodedFormEncoder.scenario":
                guard self.scenario == SuperEncoders.steps else {
                    throw RowNotUnderstood("the scenario \(self.scenario ?? "none")")
                }
                result.text = try self.encoder(compatibility).encode(SuperEncoders())
            default: result = RowResult(try self.request(compatibility))
            }
        } catch let error as RowNotUnderstood {
            throw error
        } catch {
            result.error = Self.name(of: error)
        }
        try self.options.checkAllTaken()
        return result
    }

    // MARK: Requests

    private mutating func request(_ compatibility: Compatibility) throws -> URLRequest {
        let request = try self.makeRequest()
        let plain = self.input?.plain
        let parameters = plain as? Parameters
        switch self.row.system {
        case "alamofire.URLEncoding": return try self.urlEncoding().encode(request, with: parameters)
        case "alamofire.JSONEncoding":
            let options = try self.choice(
                "outputFormatting",
                ["prettyPrinted": JSONSerialization.WritingOptions.prettyPrinted, "sortedKeys": .sortedKeys],
                [])
            guard let parameters else {
                return try JSONEncoding(options: options).encode(request, withJSONObject: plain)
            }
            return try JSONEncoding(options: options).encode(request, with: parameters)
        case "alamofire.PropertyListEncoding":
            let format = try self.choice("format", ["xml": PropertyListEncoding.xml, "binary": .binary], .xml)
            return try format.encode(request, with: parameters)
        case "alamofire.JSONParameterEncoder":
            let encoder: JSONParameterEncoder =
                switch try self.options.text("outputFormatting") {
                case nil: .default
                case "prettyPrinted"?: .prettyPrinted
                case "sortedKeys"?: .sortedKeys
                case let other?: throw RowNotUnderstood("outputFormatting \(other)")
                }
            return try encoder.encode(self.input, into: request)
        default:
            let encoder = try self.encoder(compatibility)
            let destination: URLEncodedFormParameterEncoder.Destination =
                switch try self.options.text("destination") {
                case nil, "methodDependent"?: .methodDependent
                case "queryString"?: .queryString
                case "httpBody"?: .httpBody
                case let other?: throw RowNotUnderstood("destination \(other)")
                }
            return try URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
                .encode(self.input, into: request)
        }
    }

    private mutating func makeRequest() throws -> URLRequest {
        guard let value = self.options.value("request") else {
            return try URLRequest(url: "https://example.com/", method: .get)
        }
        var object = try VectorObject(value, "request")
        var request = try URLRequest(
            url: try object.text("url") ?? "", method: HTTPMethod(rawValue: try object.text("method") ?? ""))
        if case .object(let headers)? = object.value("headers") {
            for (name, value) in headers { request.setValue(value.text, forHTTPHeaderField: name) }
        }
        try object.checkAllTaken()
        return request
    }

    /// What an option chooses; the default when it isn't given.
    private mutating func choice<Choice>(
        _ option: String, _ choices: KeyValuePairs<String, Choice>, _ standard: Choice
    ) throws -> Choice {
        guard let text = try self.options.text(option) else { return standard }
        guard let choice = choices.first(where: { $0.key == text }) else { throw RowNotUnderstood("\(option) \(text)") }
        return choice.value
    }

    private mutating func urlEncoding() throws -> URLEncoding {
        let destination: URLEncoding.Destination =
            switch try self.options.text("destination") {
            case nil, "methodDependent"?: .methodDependent
            case "queryString"?: .queryString
            case "httpBody"?: .httpBody
            case let other?: throw RowNotUnderstood("destination \(other)")
            }
        let arrays: URLEncoding.ArrayEncoding =
            switch try self.options.text("arrayEncoding") {
            case nil, "brackets"?: .brackets
            case "noBrackets"?: .noBrackets
            case "indexInBrackets"?: .indexInBrackets
            case let other? where other.hasPrefix("custom:"): .custom { Self.fill(other, $0, $1) }
            case let other?: throw RowNotUnderstood("arrayEncoding \(other)")
            }
        let bools = try self.choice(
            "boolEncoding", ["numeric": URLEncoding.BoolEncoding.numeric, "literal": .literal], .numeric)
        return URLEncoding(destination: destination, arrayEncoding: arrays, boolEncoding: bools)
    }

    private static func fill(_ template: String, _ key: String, _ index: Int) -> String {
        template.dropFirst(7).replacingOccurrences(of: "{key}", with: key)
            .replacingOccurrences(of: "{index}", with: String(index))
            .replacingOccurrences(of: "{index+1}", with: String(index + 1))
    }

    // MARK: The encoder

    private mutating func encoder(_ compatibility: Compatibility) throws -> URLEncodedFormEncoder {
        typealias Form = URLEncodedFormEncoder
        func unknown(_ option: String, _ text: String) -> RowNotUnderstood { RowNotUnderstood("\(option) \(text)") }
        let arrays: Form.ArrayEncoding =
            switch try self.options.text("arrayEncoding") {
            case nil, "brackets"?: .brackets
            case "noBrackets"?: .noBrackets
            case "indexInBrackets"?: .indexInBrackets
            case let other? where other.hasPrefix("custom:"): .custom { Self.fill(other, $0, $1) }
            case let other?: throw unknown("arrayEncoding", other)
            }
        let data: Form.DataEncoding =
            switch try self.options.text("dataEncoding") {
            case nil, "base64"?: .base64
            case "deferredToData"?: .deferredToData
            case "custom:throw"?: .custom { _ in throw CustomThrown() }
            case "custom:hex"?: .custom { $0.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
            case let other?: throw unknown("dataEncoding", other)
            }
        let date: Form.DateEncoding =
            switch try self.options.text("dateEncoding") {
            case nil, "deferredToDate"?: .deferredToDate
            case "secondsSince1970"?: .secondsSince1970
            case "millisecondsSince1970"?: .millisecondsSince1970
            case "iso8601"?: .iso8601
            case "custom:throw"?: .custom { _ in throw CustomThrown() }
            case "custom:timeIntervalSinceReferenceDate"?: .custom { String($0.timeIntervalSinceReferenceDate) }
            case let other? where other.hasPrefix("formatted:"): .formatted(Self.formatter(String(other.dropFirst(10))))
            case let other?: throw unknown("dateEncoding", other)
            }
        let key: Form.KeyEncoding =
            switch try self.options.text("keyEncoding") {
            case nil, "useDefaultKeys"?: .useDefaultKeys
            case "convertToSnakeCase"?: .convertToSnakeCase
            case "convertToKebabCase"?: .convertToKebabCase
            case "capitalized"?: .capitalized
            case "uppercased"?: .uppercased
            case "lowercased"?: .lowercased
            case let other? where other.hasPrefix("custom:const:"): .custom { _ in String(other.dropFirst(13)) }
            case let other?: throw unknown("keyEncoding", other)
            }
        let path: Form.KeyPathEncoding =
            switch try self.options.text("keyPathEncoding") {
            case nil, "brackets"?: .brackets
            case "dots"?: .dots
            case let other? where other.hasPrefix("custom:"):
                Form.KeyPathEncoding { other.dropFirst(7).replacingOccurrences(of: "{subkey}", with: $0) }
            case let other?: throw unknown("keyPathEncoding", other)
            }
        let null: Form.NilEncoding =
            switch try self.options.text("nilEncoding") {
            case nil, "dropKey"?: .dropKey
            case "dropValue"?: .dropValue
            case "null"?: .null
            case let other? where other.hasPrefix("custom:"): Form.NilEncoding { String(other.dropFirst(7)) }
            case let other?: throw unknown("nilEncoding", other)
            }
        var allowed = CharacterSet.afURLQueryAllowed
        if let removed = try self.options.text("allowedCharacters.remove") { allowed.remove(charactersIn: removed) }
        if let inserted = try self.options.text("allowedCharacters.insert") { allowed.insert(charactersIn: inserted) }
        return Form(
            alphabetizeKeyValuePairs: try self.options.flag("alphabetizeKeyValuePairs") ?? true, arrayEncoding: arrays,
            boolEncoding: try self.choice(
                "boolEncoding", ["numeric": Form.BoolEncoding.numeric, "literal": .literal], .numeric),
            dataEncoding: data,
            dateEncoding: date, keyEncoding: key, keyPathEncoding: path, nilEncoding: null,
            spaceEncoding: try self.choice(
                "spaceEncoding", ["percentEscaped": Form.SpaceEncoding.percentEscaped, "plusReplaced": .plusReplaced],
                .percentEscaped),
            allowedCharacters: allowed, compatibility: compatibility)
    }

    private static func formatter(_ format: String) -> DateFormatter {
        let formatter = DateFormatter()
        (formatter.locale, formatter.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(secondsFromGMT: 0))
        formatter.dateFormat = format
        return formatter
    }

    /// An error by the name that rows give it.
    private static func name(of error: any Error) -> String {
        switch error {
        case is CustomThrown: "custom-thrown"
        case EncodingError.invalidValue: "refused"
        case URLEncodedFormEncoder.Error.invalidRootObject: "invalidRootObject"
        case JSONEncoding.Error.invalidJSONObject: "invalidJSONObject"
        case AFError.parameterEncoderFailed(.encoderFailed(let error)):
            "parameterEncoderFailed.encoderFailed(\(self.name(of: error)))"
        case AFError.parameterEncodingFailed(.jsonEncodingFailed(let error)):
            "parameterEncodingFailed(jsonEncodingFailed(\(self.name(of: error))))"
        default: "\(error)"
        }
    }
}

extension RowResult {
    init(_ request: URLRequest) {
        self.url = request.url?.absoluteString
        self.contentType = request.value(forHTTPHeaderField: "Content-Type")
        self.body = request.httpBody.map { String(decoding: $0, as: UTF8.self) }
        (self.data, self.method) = (request.httpBody, request.httpMethod)
        for (name, value) in request.allHTTPHeaderFields ?? [:] { self.headers[name.lowercased()] = value }
        let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
        self.text = self.body ?? components?.percentEncodedQuery ?? ""
    }
}

/// A type which writes over what it wrote, by way of all kinds of super encoders.
struct SuperEncoders: Encodable {
    /// What it does, as rows say it.
    static let steps =
        "keyed.encode([1,2,3],four); keyed.encode({a,b},five); superEncoder().keyed.encode('one',four); "
        + "superEncoder(forKey four).keyed.encode(2,five); nestedUnkeyed(four).superEncoder().keyed.encode('one',four)"

    enum Key: String, CodingKey { case four, five }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encode([1, 2, 3], forKey: .four)
        try members.encode(["a": "a", "b": "b"], forKey: .five)
        var beside = members.superEncoder().container(keyedBy: Key.self)
        try beside.encode("one", forKey: .four)
        var below = members.superEncoder(forKey: .four).container(keyedBy: Key.self)
        try below.encode(2, forKey: .five)
        var elements = members.nestedUnkeyedContainer(forKey: .four)
        var inElements = elements.superEncoder().container(keyedBy: Key.self)
        try inElements.encode("one", forKey: .four)
    }
}
