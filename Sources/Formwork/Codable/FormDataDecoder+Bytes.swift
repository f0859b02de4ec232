import FormworkCore

extension FormDataDecoder {
    /// Decodes a value whose root is an object from a multipart or url-encoded body in memory.
    ///
    /// ```swift
    /// let profile = try FormDataDecoder().decode(Profile.self, from: body, contentType: contentType)
    /// ```
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - body: The whole body.
    ///   - contentType: The request's `Content-Type`; `nil`, for none, is an error.
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits of what is read.
    /// - Throws: What ``ReceivedForm/init(_:contentType:profile:limits:)-(BodyChunk,_,_,_)`` and ``decode(_:from:)`` throw.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from body: some BodyChunk, contentType: String?, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default
    ) throws -> Value {
        let parts = try body.withBytes { bytes throws(FormworkError) in
            try CollectedParts.reading(bytes, contentType, profile, limits)
        }
        return try self.decode(type, from: parts)
    }

    /// Decodes a value from a body in memory, copied once.
    /// - Throws: What ``ReceivedForm/init(_:contentType:profile:limits:)-(BodyChunk,_,_,_)`` and ``decode(_:from:)`` throw.
    @_disfavoredOverload
    public func decode<Value: Decodable>(
        _ type: Value.Type, from body: some Sequence<UInt8>, contentType: String?,
        profile: ParsingProfile = .default, limits: ParsingLimits = .default
    ) throws -> Value {
        try self.decode(type, from: Array(body), contentType: contentType, profile: profile, limits: limits)
    }

    /// Decodes a value from a string, as UTF-8.
    /// - Throws: What ``ReceivedForm/init(_:contentType:profile:limits:)-(BodyChunk,_,_,_)`` and ``decode(_:from:)`` throw.
    public func decode<Value: Decodable>(
        _ type: Value.Type, from body: String, contentType: String?, profile: ParsingProfile = .default,
        limits: ParsingLimits = .default
    ) throws -> Value {
        try self.decode(type, from: Array(body.utf8), contentType: contentType, profile: profile, limits: limits)
    }
}
