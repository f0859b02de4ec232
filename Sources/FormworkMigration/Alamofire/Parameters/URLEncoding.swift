import FormworkFoundation
import FormworkURLEncoded
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters as url-encoded text, into the URL's query or the body.
///
/// Names are sorted at every level, and `NSNull` becomes `<null>`. For `Encodable` types use
/// ``URLEncodedFormParameterEncoder``.
public struct URLEncoding: ParameterEncoding {
    /// Where the text goes.
    public enum Destination: Sendable {
        /// Into the URL for `GET`, `HEAD` and `DELETE`, otherwise into the body.
        case methodDependent
        /// Into the URL.
        case queryString
        /// Into the body.
        case httpBody

        /// Whether parameters of a request go into its URL.
        func isURL(_ method: HTTPMethod) -> Bool {
            switch self {
            case .methodDependent: [.get, .head, .delete].contains(method)
            case .queryString: true
            case .httpBody: false
            }
        }
    }

    /// The names of an array's elements.
    public typealias ArrayEncoding = Flattening.ArrayNames
    /// How true and false are written.
    public typealias BoolEncoding = Flattening.Bools

    /// Alamofire's default options.
    public static var `default`: URLEncoding { URLEncoding() }
    /// The same as ``default``, with its name in Alamofire 4.
    public static var methodDependent: URLEncoding { URLEncoding() }
    /// Always into the URL.
    public static var queryString: URLEncoding { URLEncoding(destination: .queryString) }
    /// Always into the body.
    public static var httpBody: URLEncoding { URLEncoding(destination: .httpBody) }

    /// Where the text goes.
    public let destination: Destination
    /// The names of an array's elements.
    public let arrayEncoding: ArrayEncoding
    /// How true and false are written.
    public let boolEncoding: BoolEncoding

    /// Creates an encoding; the defaults are Alamofire's.
    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        (self.destination, self.arrayEncoding, self.boolEncoding) = (destination, arrayEncoding, boolEncoding)
    }

    /// The request with the parameters in its query or body; unchanged if there are none.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` if the URL is missing.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        guard let method = request.method, self.destination.isURL(method) else {
            request.setBody(Data(self.query(parameters).utf8), ofType: URLRequest.formContentType)
            return request
        }
        guard let url = request.url else { throw AFError.parameterEncodingFailed(reason: .missingURL) }
        if !parameters.isEmpty, var components = URLComponents(url: url, resolvingAgainstBaseURL: false) {
            let query = components.percentEncodedQuery.map { "\($0)&" } ?? ""
            components.percentEncodedQuery = query + self.query(parameters)
            request.url = components.url
        }
        return request
    }

    /// The escaped names and values of one parameter; there are several for an array or a dictionary.
    public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
        var pairs: [(String, String)] = []
        self.append(value, key, to: &pairs)
        return pairs
    }

    /// Escapes a name or a value.
    public func escape(_ string: String) -> String { PercentEncoder.alamofire.encode(string) }

    private func query(_ parameters: Parameters) -> String {
        var pairs: [(String, String)] = []
        for (key, value) in parameters.sorted(by: { $0.key < $1.key }) { self.append(value, key, to: &pairs) }
        return pairs.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private func append(_ value: Any, _ key: String, to pairs: inout [(String, String)]) {
        // Not recursive: a deep value would overflow the stack.
        var pending = [(key: key, value: value)]
        while let (key, value) = pending.popLast() {
            switch value {
            case let members as [String: Any]:
                // Alamofire uses the order of the dictionary's hashes, which differs from run to run.
                for (name, value) in members.sorted(by: { $0.key > $1.key }) {
                    pending.append(("\(key)[\(name)]", value))
                }
            case let elements as [Any]:
                let named = elements.enumerated().map { (self.arrayEncoding.name(key, $0.offset), $0.element) }
                pending.append(contentsOf: named.reversed())
            default: pairs.append((self.escape(key), self.escape(self.text(value))))
            }
        }
    }

    private func text(_ value: Any) -> String {
        switch value {
        case let number as NSNumber where number.typeCode == UInt8(ascii: "c"): self.text(number.boolValue)
        case let number as NSNumber: "\(number)"
        case let bool as Bool: self.text(bool)
        default: "\(value)"
        }
    }

    private func text(_ bool: Bool) -> String {
        self.boolEncoding == .literal ? "\(bool)" : bool ? "1" : "0"
    }
}

/// Parameters by name, of any types that the encoding supports.
public typealias Parameters = [String: any Any & Sendable]

/// Puts parameters into a request.
public protocol ParameterEncoding: Sendable {
    /// The request with the parameters; unchanged if there are none.
    /// - Throws: Usually ``AFError/parameterEncodingFailed(reason:)``.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

extension URLRequest {
    /// Sets the body, and a type if there is none.
    mutating func setBody(_ body: Data, ofType contentType: String) {
        if self.value(forHTTPHeaderField: "Content-Type") == nil {
            self.setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
        self.httpBody = body
    }

    static let formContentType = "application/x-www-form-urlencoded; charset=utf-8"
}
