import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Puts `Encodable` parameters into a request.
public protocol ParameterEncoder: Sendable {
    /// The request with the parameters; as it is where there are none.
    /// - Throws: Mostly an ``AFError``.
    func encode<Parameters: Encodable & Sendable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest
}

/// Writes parameters as a JSON body, whatever the method.
///
/// Sendable because its encoder is set up before it is given here, and then only encodes.
open class JSONParameterEncoder: @unchecked Sendable, ParameterEncoder {
    /// Compact JSON.
    public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }
    /// JSON with line breaks and indentation.
    public static var prettyPrinted: JSONParameterEncoder { JSONParameterEncoder(formatting: .prettyPrinted) }
    /// JSON whose members are sorted by name.
    public static var sortedKeys: JSONParameterEncoder { JSONParameterEncoder(formatting: .sortedKeys) }

    /// What writes the JSON.
    public let encoder: JSONEncoder

    /// Makes an encoder that writes with another one.
    public init(encoder: JSONEncoder = JSONEncoder()) { self.encoder = encoder }

    private convenience init(formatting: JSONEncoder.OutputFormatting) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        self.init(encoder: encoder)
    }

    /// The request with the parameters as its body.
    /// - Throws: ``AFError/parameterEncodingFailed(reason:)`` with what the JSON encoder throws.
    open func encode<Parameters: Encodable>(
        _ parameters: Parameters?, into request: URLRequest
    ) throws -> URLRequest {
        guard let parameters else { return request }
        var request = request
        do {
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

    /// JSON as an encoder writes it.
    public static func json(encoder: JSONEncoder = JSONEncoder()) -> JSONParameterEncoder {
        JSONParameterEncoder(encoder: encoder)
    }
}
