import Formwork
import FormworkFoundation
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters as a JSON body, for every method.
public struct JSONEncoding: ParameterEncoding {
    /// Why parameters can't be written as JSON.
    public enum Error: Swift.Error, LocalizedError, CustomStringConvertible {
        /// They contain a value that JSON can't represent, such as a date.
        case invalidJSONObject

        /// The reason.
        public var description: String { "they contain a value or a key that JSON can't represent" }
        /// The same as one sentence.
        public var errorDescription: String? { "The parameters can't be encoded: \(self)." }
    }

    /// Compact JSON.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// JSON with line breaks and indentation.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// The format of the JSON.
    public let options: JSONSerialization.WritingOptions

    /// Creates an encoding.
    public init(options: JSONSerialization.WritingOptions = []) { self.options = options }

    /// The request with the parameters as its body; unchanged if there are none.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` for values that JSON can't represent, and for more than 511
    ///   levels.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try self.encode(urlRequest, withJSONObject: parameters)
    }

    /// The request with any JSON object, which may be an array, as its body; unchanged if there is none.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` for values that JSON can't represent, and for more than 511
    ///   levels.
    public func encode(
        _ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let jsonObject else { return request }
        do {
            guard !Nesting.isDeeper(jsonObject, than: JSONNesting.limit) else {
                throw ObjectCheck.jsonError(jsonObject)
            }
            guard JSONSerialization.isValidJSONObject(jsonObject) else { throw Error.invalidJSONObject }
            let body = try JSONSerialization.data(withJSONObject: jsonObject, options: self.options)
            request.setBody(body, ofType: "application/json")
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        return request
    }
}

/// Writes parameters as a property list, for every method. It is from Alamofire 4; Alamofire 5 removed it.
public struct PropertyListEncoding: ParameterEncoding {
    /// XML.
    public static var `default`: PropertyListEncoding { PropertyListEncoding() }
    /// XML.
    public static var xml: PropertyListEncoding { PropertyListEncoding(format: .xml) }
    /// Apple's binary format.
    public static var binary: PropertyListEncoding { PropertyListEncoding(format: .binary) }

    /// The format of the list.
    public let format: PropertyListSerialization.PropertyListFormat
    /// Has no effect in any version of Foundation.
    public let options: PropertyListSerialization.WriteOptions

    /// Creates an encoding.
    public init(
        format: PropertyListSerialization.PropertyListFormat = .xml,
        options: PropertyListSerialization.WriteOptions = 0
    ) {
        (self.format, self.options) = (format, options)
    }

    /// The request with the parameters as its body; unchanged if there are none.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` for values that a property list can't represent, or would
    ///   hold as others: a `Decimal` with more digits than a `Double` has, and in XML control characters, the sign of
    ///   -0.0 and dates outside the years 0 to 9999. Dates in XML have whole seconds.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        do {
            try ObjectCheck.checkList(parameters, isXML: self.format == .xml)
            let body = try PropertyListSerialization.data(
                fromPropertyList: parameters, format: self.format, options: self.options)
            request.setBody(
                self.format == .xml ? body.escapingCarriageReturns : body, ofType: "application/x-plist")
        } catch {
            throw AFError.parameterEncodingFailed(reason: .propertyListEncodingFailed(error: error))
        }
        return request
    }
}
