/// Decodes the fields and files of a collected form.
///
/// ```swift
/// let order = try FormDataDecoder().decode(Order.self, from: form)
/// ```
///
/// Brackets in a name describe a tree: `a[b]` is a member, `a[]` the next element. `a[][b]` is a member of the element
/// that the last such name made, or of a new one if that already has a `b`, as in Rack; PHP makes an element of each.
/// `a[0][b]` is clear everywhere. A name that occurs more than once is an array. A single field is also accepted as an
/// array of one element. Names are compared byte for byte.
///
/// - An array without fields is empty, because forms send nothing for a list without a selection.
/// - `nil` is a missing field, an empty file control (no filename, no bytes) and, for optionals other than `String?`,
///   an empty field. A missing field or an empty file control is an error for a member that is neither optional, nor a
///   list, nor an object whose members may all be missing. A type that calls `decodeNil` itself sees an empty field as
///   text.
/// - A number has decimal digits; a fractional one may have a point and an exponent. `0x10`, `nan` and a number that is
///   too large for its type are errors.
/// - Text is decoded in its declared charset, see ``textDecoding``. Bytes that are invalid in it are an error.
/// - `Bool` is `true`, `1`, `on`, `yes` or `false`, `0`, `off`, `no`, in upper or lower case. A checkbox sends `on` or
///   nothing, so use `Bool?` for it: a missing `Bool` is an error.
/// - A file is a ``FormFile``, which may stay on disk, or bytes in memory: `[UInt8]`, `Data` or another ``BodyChunk``.
///   Bytes are read from fields too. Several fields of one name aren't bytes: use `[Int]` for a list of numbers.
/// - A `Date` has the format of ``dates``.
/// - A part of `application/json` is decoded as JSON, unless the member is a `String`, a number, a `Bool`, bytes or a
///   file; see ``JSONPart``.
///
/// Fields that the type doesn't decode are ignored. The decoder is a value without state, so one can be used in
/// several tasks. The form was checked against ``ParsingLimits`` while it arrived; ``nameDepth`` and ``memoryBytes``
/// limit what decoding adds.
public struct FormDataDecoder: Sendable {
    /// How the names of fields become keys.
    public enum KeyDecodingStrategy: Sendable {
        /// The key is the name.
        case useDefaultKeys
        /// `one_two` becomes `oneTwo`, as with `JSONDecoder`.
        case convertFromSnakeCase
        /// The closure's result for the coding path, whose last key is the member's name.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// What it means that a name occurs more than once. `a[]` is a new element each time. Two names of one place are one name: `a.b`
    /// and `a[b]` with ``splitsAtDots``. A member that isn't an array refuses several values.
    public typealias Duplicates = Flattening.Duplicates

    /// Which numbers in brackets are an array's.
    public enum Indices: Sendable, Hashable, CaseIterable {
        /// `[0]`, `[1]`, … in that order. Others are names, as of a dictionary.
        case dense
        /// Any numbers of 0 or more: the elements are in the order of their numbers. So rows that were deleted from a page, or
        /// sorted in it, are an array.
        case sparse
    }

    /// How the names of fields become keys. Default: unchanged. Keys of dictionaries are never changed.
    public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    /// What it means that a name occurs more than once. Default: it is an array.
    public var duplicates = Duplicates.all
    /// Which numbers in brackets are an array's. Default: `[0]`, `[1]`, … in that order.
    public var indices = Indices.dense
    /// The most levels of a name below its first: `a[b][]` has 2. Default 8.
    public var nameDepth = 8
    /// Whether `a.b` is a member, as `a[b]` is. Default: no.
    public var splitsAtDots = false
    /// Whether to accept the numbers `inf`, `-inf` and `nan`, as Swift writes them, and `Infinity`, `-Infinity` and
    /// `NaN`, as JavaScript does. Default: they are errors, as with `JSONDecoder`.
    public var acceptsNonFiniteNumbers = false
    /// The charsets that fields may be in. Default: ``TextDecoding/standard``.
    public var textDecoding = TextDecoding.standard
    /// How a `Date` is read. Default: ISO 8601.
    public var dates = FormDateFormat.iso8601
    /// The most bytes of a file that is decoded into memory, as bytes or as JSON. Default 16 MiB. A larger
    /// one is a `DecodingError` whose underlying error is ``FormworkError/Code/limitExceeded``. A ``FormFile`` has no
    /// such limit.
    public var memoryBytes = 16 << 20
    /// Passed to the types that are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// A decoder with the defaults.
    public init() {}

    /// Decodes a value whose root is an object.
    /// - Throws: `DecodingError` with the coding path; ``FormworkError/Code/invalidArgument`` for a type that can't be
    ///   a form, such as an array; ``FormworkError/Code/limitExceeded`` for a name deeper than
    ///   ``nameDepth``, and ``FormworkError/Code/malformedBody`` for one that is both a value and a tree of values.
    public func decode<Value: Decodable>(_ type: Value.Type, from form: ReceivedForm) throws -> Value {
        try self.decode(type, from: form.parts)
    }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type, from parts: CollectedParts) throws -> Value {
        try FormLeaves(parts, self).read(type)
    }
}

extension ReceivedForm {
    /// Decodes a value whose root is an object.
    ///
    /// ```swift
    /// let order = try form.decode(Order.self)
    /// ```
    /// - Throws: What ``FormDataDecoder/decode(_:from:)`` throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type, using decoder: FormDataDecoder = FormDataDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: self)
    }
}

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
            try ReceivedForm(reading: bytes, contentType, profile, limits).parts
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
