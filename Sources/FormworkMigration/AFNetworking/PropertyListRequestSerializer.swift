import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters as a property list, or into the URL if the request's method has no body: AFNetworking's
/// `AFPropertyListRequestSerializer`.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// The settings for all requests.
    public var settings: RequestSettings
    /// XML or binary.
    public var format: PropertyListSerialization.PropertyListFormat
    /// Passed to Foundation, which ignores them.
    public var writeOptions: PropertyListSerialization.WriteOptions

    /// Creates a serializer.
    public init(
        settings: RequestSettings = RequestSettings(), format: PropertyListSerialization.PropertyListFormat = .xml,
        writeOptions: PropertyListSerialization.WriteOptions = 0
    ) {
        self.settings = settings
        self.format = format
        self.writeOptions = writeOptions
    }

    /// A copy of the request with the default fields and a property list as body; without parameters, with neither body
    /// nor type.
    /// - Throws: ``FormworkError/Code/invalidArgument`` with the path for values that a property list can't represent, such
    ///   as null and names that aren't text, and for values that would be written as others: a `Decimal` or an integer with
    ///   more digits than a `Double` has, a name that occurs twice, and in XML control characters, the sign of -0.0 and
    ///   dates outside the years 0 to 9999. Dates in XML have whole seconds. With ``Compatibility/exact``, Foundation's error.
    ///   ``FormworkError/Code/limitExceeded`` for more than 512 levels.
    public func serialize(_ request: URLRequest, object: Any?) throws -> URLRequest {
        let isSafe = self.settings.compatibility == .safe
        return try self.settings.serialize(request, object: object, as: "application/x-plist") { list, _ in
            if isSafe {
                try ObjectCheck.checkList(list, isXML: self.format == .xml)
            } else {
                try ObjectCheck.checkDepth(list)
            }
            do {
                let body = try PropertyListSerialization.data(
                    fromPropertyList: list, format: self.format, options: self.writeOptions)
                return isSafe && self.format == .xml ? body.escapingCarriageReturns : body
            } catch {
                // Before 3.2.0 AFNetworking made the request anyway, without a body.
                guard self.settings.version < "3.2", !isSafe else { throw error }
                return nil
            }
        }
    }
}

extension PropertyListRequestSerializer: Codable {
    private enum CodingKeys: CodingKey { case settings, format, writeOptions }

    /// Decodes a serializer.
    /// - Throws: What ``RequestSettings/init(from:)`` throws; `DecodingError` for an unknown format.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            settings: try container.decode(RequestSettings.self, forKey: .settings),
            format: try container.decode(rawValueOf: .format),
            writeOptions: try container.decode(PropertyListSerialization.WriteOptions.self, forKey: .writeOptions))
    }

    /// Encodes the settings, the format and the options.
    /// - Throws: What ``RequestSettings/encode(to:)`` throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.settings, forKey: .settings)
        try container.encode(self.format.rawValue, forKey: .format)
        try container.encode(self.writeOptions, forKey: .writeOptions)
    }
}
