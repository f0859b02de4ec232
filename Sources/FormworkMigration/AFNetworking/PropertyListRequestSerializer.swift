import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes parameters as a property list, into the URL where the request's method has no body: AFNetworking's
/// `AFPropertyListRequestSerializer`.
public struct PropertyListRequestSerializer: RequestSerializer {
    /// Which requests are made.
    public var settings: RequestSettings
    /// XML or binary.
    public var format: PropertyListSerialization.PropertyListFormat
    /// Passed on to Foundation, which has no use for them.
    public var writeOptions: PropertyListSerialization.WriteOptions

    /// A serializer of these settings.
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
    /// - Throws: Foundation's error for what a property list can't hold: null, names that are no text.
    public func serialize(_ request: URLRequest, object: Any?) throws -> URLRequest {
        if self.settings.encodesInURL(request) {
            return try HTTPRequestSerializer(settings: self.settings).serialize(request, object: object)
        }
        var copy = request
        self.settings.addHeaders(to: &copy)
        guard let value = object.flattened else { return copy }
        self.settings.setContentType("application/x-plist", .utf8, plainSince: "2.5", of: &copy)
        do {
            copy.httpBody = try PropertyListSerialization.data(
                fromPropertyList: (value as? ParameterValue)?.foundationObject ?? value, format: self.format,
                options: self.writeOptions)
        } catch {
            // Before 3.2.0 AFNetworking made the request all the same, without a body.
            guard self.settings.version < "3.2", self.settings.compatibility == .exact else { throw error }
        }
        return copy
    }
}

extension PropertyListRequestSerializer: Codable {
    private enum CodingKeys: CodingKey { case settings, format, writeOptions }

    /// Reads a serializer that was written.
    /// - Throws: What ``RequestSettings/init(from:)`` throws; `DecodingError` for a format that isn't known.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let number = try container.decode(UInt.self, forKey: .format)
        guard let format = PropertyListSerialization.PropertyListFormat(rawValue: number) else {
            throw DecodingError.dataCorruptedError(
                forKey: .format, in: container, debugDescription: "\(number) is not a format of property lists")
        }
        self.init(
            settings: try container.decode(RequestSettings.self, forKey: .settings), format: format,
            writeOptions: try container.decode(PropertyListSerialization.WriteOptions.self, forKey: .writeOptions))
    }

    /// Writes the settings, the format and the options.
    /// - Throws: What ``RequestSettings/encode(to:)`` throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.settings, forKey: .settings)
        try container.encode(self.format.rawValue, forKey: .format)
        try container.encode(self.writeOptions, forKey: .writeOptions)
    }
}
