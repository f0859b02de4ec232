import FormworkFoundation
import FormworkURLEncoded
import Foundation

/// Decodes url-encoded text into `Decodable` values, with the options of the ``URLEncodedFormEncoder`` that wrote it.
///
/// Arrays are read as `a[]=`, `a=` or `a[0]=` and Booleans as `1`, `true`, `on`, `0`, `false` or `off`, whatever the
/// options say, because browsers and servers send them so. Numbers are decimal. `nil` is what `nilEncoding` writes.
///
/// What the encoder writes by default is read back equal. In other text, what an option can't give back is a
/// `DecodingError` that names the option: closures for `Data`, dates and members' names, dictionaries with changed
/// keys, and arrays of objects without an index when their bounds can't be told.
public struct URLEncodedFormDecoder {
    /// The names of an array's elements; the three without a closure are read alike where they mean the same.
    public var arrayEncoding: URLEncodedFormEncoder.ArrayEncoding
    /// Both ways are read, whichever this is.
    public var boolEncoding: URLEncodedFormEncoder.BoolEncoding
    /// How `Data` was written.
    public var dataEncoding: URLEncodedFormEncoder.DataEncoding
    /// How dates were written.
    public var dateEncoding: URLEncodedFormEncoder.DateEncoding
    /// What became of names: each key is looked up by what the encoding makes of it.
    public var keyEncoding: URLEncodedFormEncoder.KeyEncoding
    /// The names of an object's members.
    public var keyPathEncoding: URLEncodedFormEncoder.KeyPathEncoding
    /// How `nil` was written.
    public var nilEncoding: URLEncodedFormEncoder.NilEncoding
    /// Whether `+` is a space: with ``URLEncodedFormEncoder/SpaceEncoding/percentEscaped`` it is a plus.
    public var spaceEncoding: URLEncodedFormEncoder.SpaceEncoding
    /// How much is read.
    public var limits: URLEncodedLimits
    /// Whether `inf`, `-inf` and `nan` are numbers, as Swift writes them, and `Infinity`, `-Infinity` and `NaN`, as
    /// JavaScript does. Default: they are errors.
    public var acceptsNonFiniteNumbers = false

    /// Makes a decoder for what an encoder with these options writes, or a browser.
    public init(
        arrayEncoding: URLEncodedFormEncoder.ArrayEncoding = .brackets,
        boolEncoding: URLEncodedFormEncoder.BoolEncoding = .numeric,
        dataEncoding: URLEncodedFormEncoder.DataEncoding = .base64,
        dateEncoding: URLEncodedFormEncoder.DateEncoding = .deferredToDate,
        keyEncoding: URLEncodedFormEncoder.KeyEncoding = .useDefaultKeys,
        keyPathEncoding: URLEncodedFormEncoder.KeyPathEncoding = .brackets,
        nilEncoding: URLEncodedFormEncoder.NilEncoding = .dropKey,
        spaceEncoding: URLEncodedFormEncoder.SpaceEncoding = .plusReplaced,
        limits: URLEncodedLimits = URLEncodedLimits()
    ) {
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
        self.dataEncoding = dataEncoding
        self.dateEncoding = dateEncoding
        self.keyEncoding = keyEncoding
        self.keyPathEncoding = keyPathEncoding
        self.nilEncoding = nilEncoding
        self.spaceEncoding = spaceEncoding
        self.limits = limits
    }

    /// Makes a decoder for what an encoder writes.
    public init(for encoder: URLEncodedFormEncoder, limits: URLEncodedLimits = URLEncodedLimits()) {
        self.init(
            arrayEncoding: encoder.arrayEncoding, boolEncoding: encoder.boolEncoding,
            dataEncoding: encoder.dataEncoding, dateEncoding: encoder.dateEncoding, keyEncoding: encoder.keyEncoding,
            keyPathEncoding: encoder.keyPathEncoding, nilEncoding: encoder.nilEncoding,
            spaceEncoding: encoder.spaceEncoding, limits: limits)
    }

    /// Decodes a value from text.
    /// - Throws: `DecodingError`, for limits too.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try self.decode(type, from: Array(text.utf8))
    }

    /// Decodes a value from text in UTF-8.
    /// - Throws: `DecodingError`, for limits too.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: Data) throws -> Value {
        try self.decode(type, from: Array(text))
    }

    /// Decodes a value from text in UTF-8.
    /// - Throws: `DecodingError`, for limits too.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value {
        var decoding = URLEncodedDecoding()
        decoding.coding.arrays = self.arrayEncoding.names
        decoding.coding.members = self.keyPathEncoding.names
        decoding.coding.rename = self.keyEncoding.rename
        decoding.coding.null = self.nilEncoding.text
        decoding.readsPlusAsSpace = self.spaceEncoding == .plusReplaced
        decoding.limits = self.limits
        decoding.acceptsNonFiniteNumbers = self.acceptsNonFiniteNumbers
        decoding.foreign = FoundationReading(data: self.dataEncoding, date: self.dateEncoding)
        return try decoding.decode(type, from: text)
    }
}
