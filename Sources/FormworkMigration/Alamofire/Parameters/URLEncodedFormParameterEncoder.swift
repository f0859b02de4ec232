import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes `Encodable` parameters as url-encoded text, into the URL's query or the body.
///
/// SAFETY of `@unchecked Sendable`: its encoder is configured before it is passed here, and then only encodes.
open class URLEncodedFormParameterEncoder: @unchecked Sendable, ParameterEncoder {
    /// Where the text goes.
    public typealias Destination = URLEncoding.Destination

    /// The default encoder, into the URL or the body depending on the method.
    public static var `default`: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder() }

    /// The encoder that writes the text.
    public let encoder: URLEncodedFormEncoder
    /// Where it goes.
    public let destination: Destination

    /// Creates a parameter encoder.
    public init(encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent) {
        (self.encoder, self.destination) = (encoder, destination)
    }

    /// The request with the parameters in its query or body.
    /// - Throws: ``AFError/parameterEncoderFailed(reason:)`` if the URL or the method is missing, or with the encoder's
    ///   error.
    open func encode<Parameters: Encodable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest {
        guard let parameters else { return request }
        guard let url = request.url else {
            throw AFError.parameterEncoderFailed(reason: .missingRequiredComponent(.url))
        }
        guard let method = request.method else {
            throw AFError.parameterEncoderFailed(reason: .missingRequiredComponent(.httpMethod(rawValue: "nil")))
        }
        let new: String
        do { new = try self.encoder.encode(parameters) } catch {
            throw AFError.parameterEncoderFailed(reason: .encoderFailed(error: error))
        }
        var request = request
        guard self.destination.isURL(method),
            var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else {
            request.setBody(Data(new.utf8), ofType: URLRequest.formContentType)
            return request
        }
        let old = components.percentEncodedQuery
        // Alamofire appends even an empty text, so a query gets a trailing `&`.
        let keepsEmpty = self.encoder.compatibility == .exact
        let query = [old, new].compactMap { $0 }.filter { keepsEmpty || !$0.isEmpty }.joined(separator: "&")
        // The encoder may leave characters unescaped that a URL can't contain.
        guard let fitting = query.fittingQuery else { throw AFError.invalidURL(url: "\(url.absoluteString)?\(query)") }
        components.percentEncodedQuery = query.isEmpty ? nil : fitting
        guard let newURL = components.url else {
            throw AFError.parameterEncoderFailed(reason: .missingRequiredComponent(.url))
        }
        request.url = newURL
        return request
    }

}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
    /// The default url-encoded text.
    public static var urlEncodedForm: URLEncodedFormParameterEncoder { URLEncodedFormParameterEncoder() }

    /// Url-encoded text from an encoder.
    public static func urlEncodedForm(
        encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
        destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
    ) -> URLEncodedFormParameterEncoder {
        URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
    }
}
