import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters as JSON, or into the URL if the request's method has no body: AFNetworking's
/// `AFJSONRequestSerializer`.
///
/// Names are sorted, because a dictionary's own order differs from run to run.
public struct JSONRequestSerializer: RequestSerializer {
    /// The settings for all requests.
    public var settings: RequestSettings
    /// The format of the text. With `.fragmentsAllowed` it may be a single text or number.
    public var writingOptions: JSONSerialization.WritingOptions

    /// Creates a serializer.
    public init(
        settings: RequestSettings = RequestSettings(), writingOptions: JSONSerialization.WritingOptions = []
    ) {
        self.settings = settings
        self.writingOptions = writingOptions
    }

    /// A copy of the request with the default fields and a JSON body; without parameters, with neither body nor type.
    /// - Throws: ``RequestSerializationError`` for values that JSON can't represent: sets, dates, data, NaN,
    ///   infinity and more than 511 levels; with ``Compatibility/safe``, ``FormworkError/Code/invalidArgument`` for a name
    ///   that occurs twice.
    public func serialize(_ request: URLRequest, object: Any?) throws -> URLRequest {
        try self.settings.serialize(request, object: object, as: "application/json") { json, request in
            guard ObjectCheck.isJSON(self.writingOptions.contains(.fragmentsAllowed) ? [json] : json)
            else { throw RequestSerializationError.invalidJSON(json, request) }
            return try JSONSerialization.data(withJSONObject: json, options: self.writingOptions.union(.sortedKeys))
        }
    }
}

extension JSONRequestSerializer: Codable {
    private enum CodingKeys: CodingKey { case settings, writingOptions }

    /// Decodes a serializer.
    /// - Throws: What ``RequestSettings/init(from:)`` throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            settings: try container.decode(RequestSettings.self, forKey: .settings),
            writingOptions: try container.decode(rawValueOf: .writingOptions))
    }

    /// Encodes the settings and the format.
    /// - Throws: What ``RequestSettings/encode(to:)`` throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.settings, forKey: .settings)
        try container.encode(self.writingOptions.rawValue, forKey: .writingOptions)
    }
}
