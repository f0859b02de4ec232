import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters as a property list, whatever the method: Alamofire 4's, which Alamofire 5 left out.
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

    /// Makes an encoding of a format.
    public init(
        format: PropertyListSerialization.PropertyListFormat = .xml,
        options: PropertyListSerialization.WriteOptions = 0
    ) {
        (self.format, self.options) = (format, options)
    }

    /// The request with the parameters as its body; as it is where there are none.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` for what has no form in a property list.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        do {
            let body = try PropertyListSerialization.data(
                fromPropertyList: parameters, format: self.format, options: self.options)
            request.setBody(body, ofType: "application/x-plist")
        } catch {
            throw AFError.parameterEncodingFailed(reason: .propertyListEncodingFailed(error: error))
        }
        return request
    }
}
