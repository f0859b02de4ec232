import FormworkFoundation
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Header fields in their original order, each name only once, regardless of case.
///
/// A repeated field replaces the first one, with its own spelling of the name.
public struct HTTPHeaders: Hashable, Sendable {
    private var fields: [HTTPHeader] = []

    /// Creates empty headers.
    public init() {}

    /// The fields of an array, in its order.
    public init(_ headers: [HTTPHeader]) { for header in headers { self.update(header) } }

    /// The fields of a dictionary, sorted by name.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { HTTPHeader(name: $0.key, value: $0.value) })
    }

    private func place(of name: String) -> Int? {
        let name = name.lowercased()
        return self.fields.firstIndex { $0.name.lowercased() == name }
    }

    /// Sets a field; the same as ``update(name:value:)``.
    public mutating func add(name: String, value: String) { self.update(name: name, value: value) }

    /// Sets a field; the same as ``update(_:)``.
    public mutating func add(_ header: HTTPHeader) { self.update(header) }

    /// Sets a field: it replaces the one with this name, or is added at the end.
    public mutating func update(name: String, value: String) { self.update(HTTPHeader(name: name, value: value)) }

    /// Sets a field: it replaces the one with this name, or is added at the end.
    public mutating func update(_ header: HTTPHeader) {
        if let place = self.place(of: header.name) { self.fields[place] = header } else { self.fields.append(header) }
    }

    /// Removes the field with this name, if there is one.
    public mutating func remove(name: String) { self.fields.removeAll { $0.name.lowercased() == name.lowercased() } }

    /// Sorts the fields by name, ignoring case.
    public mutating func sort() { self.fields.sort { $0.name.lowercased() < $1.name.lowercased() } }

    /// The fields sorted by name, ignoring case.
    public func sorted() -> HTTPHeaders {
        var copy = self
        copy.sort()
        return copy
    }

    /// The value of the field with this name; `nil` if there is none.
    public func value(for name: String) -> String? { self.place(of: name).map { self.fields[$0].value } }

    /// The value of the field with this name; `nil` if there is none. Setting `nil` removes it.
    public subscript(_ name: String) -> String? {
        get { self.value(for: name) }
        set {
            if let newValue { self.update(name: name, value: newValue) } else { self.remove(name: name) }
        }
    }

    /// The fields as a dictionary, without their order.
    public var dictionary: [String: String] {
        Dictionary(self.fields.map { ($0.name, $0.value) }) { _, last in last }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// The fields of a dictionary literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { HTTPHeader(name: $0.0, value: $0.1) })
    }

    /// The fields of an array literal, in its order.
    public init(arrayLiteral elements: HTTPHeader...) { self.init(elements) }
}

extension HTTPHeaders: Collection {
    /// The index of the first field.
    public var startIndex: Int { self.fields.startIndex }
    /// The index after the last field.
    public var endIndex: Int { self.fields.endIndex }
    /// The field at an index.
    public subscript(position: Int) -> HTTPHeader { self.fields[position] }
    /// The index after another.
    public func index(after place: Int) -> Int { place + 1 }
}

extension HTTPHeaders: Codable {
    /// Decodes an array of fields, each with a `name` and a `value`.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode([HTTPHeader].self))
    }

    /// Encodes an array of fields, in their order.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.fields)
    }
}

extension HTTPHeaders: CustomStringConvertible {
    /// A line for each field.
    public var description: String { self.fields.map(\.description).joined(separator: "\n") }
}

extension URLRequest {
    /// The request's fields. Setting them replaces all previous ones.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(self.allHTTPHeaderFields ?? [:]) }
        set { self.allHTTPHeaderFields = newValue.dictionary }
    }
}

extension HTTPURLResponse {
    /// The response's fields.
    public var headers: HTTPHeaders { HTTPHeaders(self.allHeaderFields as? [String: String] ?? [:]) }
}

extension URLSessionConfiguration {
    /// The fields of every request of the session.
    public var headers: HTTPHeaders {
        get { HTTPHeaders(self.httpAdditionalHeaders as? [String: String] ?? [:]) }
        set { self.httpAdditionalHeaders = newValue.dictionary }
    }
}

extension HTTPHeaders {
    /// The fields that describe the sender: `Accept-Encoding`, `Accept-Language`, `User-Agent`.
    public static let `default`: HTTPHeaders = [
        .defaultAcceptEncoding, .defaultAcceptLanguage, .defaultUserAgent,
    ]
}

extension HTTPHeader {
    /// Brotli before gzip before deflate.
    public static let defaultAcceptEncoding = HTTPHeader.acceptEncoding(["br", "gzip", "deflate"].qualityEncoded())

    /// The user's first six languages, the best first.
    public static let defaultAcceptLanguage = HTTPHeader.acceptLanguage(
        Locale.preferredLanguages.prefix(6).qualityEncoded())

    /// The running program, its bundle if it has one, and the system; unknown values are `Unknown`.
    public static let defaultUserAgent: HTTPHeader = {
        let info = Bundle.main.infoDictionary
        let program = ProcessInfo.processInfo.arguments.first?.split(separator: "/").last.map(String.init)
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let system = "\(systemName) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        return .userAgent(
            executable: info?["CFBundleExecutable"] as? String ?? program,
            version: info?["CFBundleShortVersionString"] as? String, bundle: info?["CFBundleIdentifier"] as? String,
            build: info?["CFBundleVersion"] as? String, system: system, library: "Formwork")
    }()

    static func userAgent(
        executable: String?, version: String?, bundle: String?, build: String?, system: String, library: String
    ) -> HTTPHeader {
        let unknown = "Unknown"
        let program = "\(executable ?? unknown)/\(version ?? unknown)"
        return .userAgent("\(program) (\(bundle ?? unknown); build:\(build ?? unknown); \(system)) \(library)")
    }

    private static var systemName: String {
        #if os(macOS) || targetEnvironment(macCatalyst)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(Linux)
        "Linux"
        #else
        "Unknown"
        #endif
    }
}

extension Collection<String> {
    /// The values as a list of decreasing preference: `a;q=1.0, b;q=0.9`.
    ///
    /// Computed in tenths, because a sum of doubles gives `0.3999999999999999` and RFC 9110 §12.4.2 allows three
    /// digits; never below 0.1, because 0 means "not acceptable".
    func qualityEncoded() -> String {
        self.enumerated().map { index, value in
            let tenths = Swift.max(1, 10 - index)
            return "\(value);q=\(tenths / 10).\(tenths % 10)"
        }.joined(separator: ", ")
    }
}
