import FormworkFoundation
import FormworkURLEncoded
import Foundation

/// Decodes url-encoded text into `Decodable` values, with the options of the ``URLEncodedFormEncoder`` that wrote it.
///
/// ```swift
/// let parameters = try URLEncodedFormDecoder(for: encoder).decode([String: Int].self, from: text)
/// // ["page": 2, "sort by": 1]
/// ```
///
/// Arrays are read from `a[]=`, `a=` or `a[0]=` and Booleans from the words of `FormDataDecoder`, such as `1` or `on`, whatever
/// the options are, because browsers and servers send all of them. Numbers are decimal. `nil` is the text of
/// `nilEncoding`. Text that isn't UTF-8 is an error, as in `FormDataDecoder`.
///
/// Values that the encoder accepts by default are read back equal, if they are within ``limits``, and if their types
/// don't try several kinds of values until one fits: the text has no kinds, so such a type may read 1 as `"1"`, or an
/// array as an object. In other text, values that an option has lost cause a `DecodingError` that names the option:
/// closures for `Data`, dates and members' names, dictionaries with changed keys, and arrays of objects or of arrays without an
/// index if their elements' ends aren't known.
///
/// The text may come from a client: ``limits`` are finite by default. The whole text is in memory. Alamofire has no
/// decoder; its options are those of its encoder.
public struct URLEncodedFormDecoder {
    /// The names of an array's elements; the three without a closure are read the same way if they are unambiguous.
    public var arrayEncoding: URLEncodedFormEncoder.ArrayEncoding
    /// Has no effect: both forms are always read.
    public var boolEncoding: URLEncodedFormEncoder.BoolEncoding
    /// How `Data` was written.
    public var dataEncoding: URLEncodedFormEncoder.DataEncoding
    /// How dates were written.
    public var dateEncoding: URLEncodedFormEncoder.DateEncoding
    /// How names were changed: each key is looked up by its changed name.
    public var keyEncoding: URLEncodedFormEncoder.KeyEncoding
    /// The names of an object's members.
    public var keyPathEncoding: URLEncodedFormEncoder.KeyPathEncoding
    /// How `nil` was written.
    public var nilEncoding: URLEncodedFormEncoder.NilEncoding
    /// Whether `+` is a space: with ``URLEncodedFormEncoder/SpaceEncoding/percentEscaped`` it is a plus.
    public var spaceEncoding: URLEncodedFormEncoder.SpaceEncoding
    /// The limits.
    public var limits: URLEncodedLimits
    /// Whether `inf`, `-inf` and `nan`, as in Swift, and `Infinity`, `-Infinity` and `NaN`, as in JavaScript, are
    /// numbers. By default they are errors.
    public var acceptsNonFiniteNumbers = false

    /// Creates a decoder for text from an encoder with these options, or from a browser.
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

    /// Creates a decoder for an encoder's text.
    public init(for encoder: URLEncodedFormEncoder, limits: URLEncodedLimits = URLEncodedLimits()) {
        self.init(
            arrayEncoding: encoder.arrayEncoding, boolEncoding: encoder.boolEncoding,
            dataEncoding: encoder.dataEncoding, dateEncoding: encoder.dateEncoding, keyEncoding: encoder.keyEncoding,
            keyPathEncoding: encoder.keyPathEncoding, nilEncoding: encoder.nilEncoding,
            spaceEncoding: encoder.spaceEncoding, limits: limits)
    }

    /// Decodes a value from text.
    /// - Throws: `DecodingError`, also for exceeded limits.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try self.decode(type, from: Array(text.utf8))
    }

    /// Decodes a value from text in UTF-8.
    /// - Throws: `DecodingError`, also for exceeded limits.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: Data) throws -> Value {
        try self.decode(type, from: Array(text))
    }

    /// Decodes a value from text in UTF-8.
    /// - Throws: `DecodingError`, also for exceeded limits.
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
