import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters as a JSON body, whatever the method.
public struct JSONEncoding: ParameterEncoding {
    /// What can't be written as JSON.
    public enum Error: Swift.Error, LocalizedError, CustomStringConvertible {
        /// Something in it has no form in JSON, such as a date.
        case invalidJSONObject

        /// What was found.
        public var description: String { "they hold a value, or a kind of key, that has no form in JSON" }
        /// The same as one sentence.
        public var errorDescription: String? { "The parameters can't be encoded: \(self)." }
    }

    /// Compact JSON.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// JSON with line breaks and indentation.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// How the JSON looks.
    public let options: JSONSerialization.WritingOptions

    /// Makes an encoding of any looks.
    public init(options: JSONSerialization.WritingOptions = []) { self.options = options }

    /// The request with the parameters as its body; as it is where there are none.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` for what has no form in JSON.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try self.encode(urlRequest, withJSONObject: parameters)
    }

    /// Gives a request any JSON object, an array too, as its body; as it is where there is none.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` for what has no form in JSON.
    public func encode(
        _ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let jsonObject else { return request }
        do {
            guard JSONSerialization.isValidJSONObject(jsonObject) else { throw Error.invalidJSONObject }
            let body = try JSONSerialization.data(withJSONObject: jsonObject, options: self.options)
            request.setBody(body, ofType: "application/json")
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        return request
    }
}
