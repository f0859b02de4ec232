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
    /// The encoder whose text is read.
    public let encoder: URLEncodedFormEncoder
    /// The limits.
    public var limits: URLEncodedLimits
    /// Whether `inf`, `-inf` and `nan`, as in Swift, and `Infinity`, `-Infinity` and `NaN`, as in JavaScript, are
    /// numbers. By default they are errors.
    public var acceptsNonFiniteNumbers = false

    /// Creates a decoder for an encoder's text; without one, for text from a browser, where `+` is a space.
    public init(
        for encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(spaceEncoding: .plusReplaced),
        limits: URLEncodedLimits = URLEncodedLimits()
    ) {
        (self.encoder, self.limits) = (encoder, limits)
    }

    /// Decodes a value from text.
    /// - Throws: `DecodingError`, also for exceeded limits.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try self.decode(type, from: Array(text.utf8))
    }

    /// Decodes a value from text in UTF-8.
    /// - Throws: `DecodingError`, also for exceeded limits.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: some Sequence<UInt8>) throws -> Value {
        try self.encoder.coding(self.limits, acceptsNonFiniteNumbers: self.acceptsNonFiniteNumbers)
            .decode(type, from: Array(text))
    }
}
