import Formwork
import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Puts `Encodable` parameters into a request.
public protocol ParameterEncoder: Sendable {
    /// The request with the parameters; unchanged if there are none.
    /// - Throws: Usually an ``AFError``.
    func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest
}

/// Writes parameters as a JSON body, for every method.
///
/// SAFETY of `@unchecked Sendable`: its encoder is configured before it is passed here, and then only encodes.
open class JSONParameterEncoder: @unchecked Sendable, ParameterEncoder {
    /// Compact JSON.
    public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }
    /// JSON with line breaks and indentation.
    public static var prettyPrinted: JSONParameterEncoder { JSONParameterEncoder(formatting: .prettyPrinted) }
    /// JSON with members sorted by name.
    public static var sortedKeys: JSONParameterEncoder { JSONParameterEncoder(formatting: .sortedKeys) }

    /// The encoder that writes the JSON.
    public let encoder: JSONEncoder

    /// Creates a parameter encoder.
    public init(encoder: JSONEncoder = JSONEncoder()) { self.encoder = encoder }

    private convenience init(formatting: JSONEncoder.OutputFormatting) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        self.init(encoder: encoder)
    }

    /// The request with the parameters as its body.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` with the JSON encoder's error, or for more than 511 levels.
    open func encode<Parameters: Encodable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest {
        guard let parameters else { return request }
        var request = request
        do {
            try JSONNesting.check(parameters, userInfo: self.encoder.userInfo)
            request.setBody(try self.encoder.encode(parameters), ofType: "application/json")
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        return request
    }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
    /// Compact JSON.
    public static var json: JSONParameterEncoder { JSONParameterEncoder() }

    /// JSON from an encoder.
    public static func json(encoder: JSONEncoder = JSONEncoder()) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}
