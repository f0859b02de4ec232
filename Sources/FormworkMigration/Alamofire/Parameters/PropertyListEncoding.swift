import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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
            try PropertyListCheck(isXML: self.format == .xml).check(parameters)
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
