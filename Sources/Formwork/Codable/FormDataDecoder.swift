import FormworkCore

/// Decodes the fields and files of a collected form.
///
/// A name with brackets is a place in a tree, `a[b]` a member and `a[]` the next element; a name that stands more than once is
/// an array, and one that stands once where an array is wanted is its only element. Names are compared byte for byte.
///
/// - An array that has no field is empty: forms send nothing of a list in which nothing is chosen.
/// - `nil` is a field that isn't there, a file control that was left empty (no filename, no bytes), and, for optionals
///   of other types than `String`, an empty field. A type that asks `decodeNil` itself gets an empty field as text.
/// - A number is written in decimal digits, with a point and an exponent where it has a fraction: `0x10`, `nan` and a
///   number that is too large for its type are errors.
/// - Text is read in its declared charset, see ``textDecoding``; bytes that are no such text are an error.
/// - `Bool` is `true`, `1`, `on`, `yes` or `false`, `0`, `off`, `no`, in any case; a checkbox sends `on` or nothing, so a
///   missing `Bool` is an error unless it is optional.
/// - A file is a ``FormFile``, which may stay on disk, or bytes in memory: `[UInt8]`, `Data` or another ``BodyChunk``,
///   which are read from fields too. Several fields of one name are no bytes: use `[Int]` for a list of numbers.
/// - A `Date` is as ``dates`` says.
/// - A part of `application/json` is decoded as JSON where the member isn't a `String`, a number, a `Bool`, bytes or a
///   file; see ``JSONPart``.
///
/// ```
/// let profile = try FormDataDecoder().decode(Profile.self, from: form)
/// ```
public struct FormDataDecoder: Sendable {
    /// Levels that a name may have below its first: `a[b][]` has 2. Default 8: ours.
    public var nameDepth = 8
    /// Whether `a.b` is a member, as `a[b]` is. Default: no.
    public var splitsAtDots = false
    /// Whether `inf`, `-inf` and `nan` are numbers, as Swift writes them, and `Infinity`, `-Infinity` and `NaN`, as
    /// JavaScript does. Default: they are errors, as with `JSONDecoder`.
    public var acceptsNonFiniteNumbers = false
    /// The charsets that fields may be in. Default: ``TextDecoding/standard``.
    public var textDecoding = TextDecoding.standard
    /// How a `Date` is read. Default: ISO 8601.
    public var dates = FormDateFormat.iso8601
    /// Bytes that a file may have which is decoded into memory, as bytes or as JSON. Default 16 MiB: ours. A
    /// ``FormFile`` has no such limit.
    public var memoryBytes = 16 << 20
    /// Handed to the types that are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The defaults, to be changed where needed.
    public init() {}

    /// Decodes a value whose root is an object.
    /// - Throws: `DecodingError` with the coding path; ``FormworkError/Code/invalidArgument`` for a type that no form can
    ///   be, such as an array; ``FormworkError/Code/limitExceeded`` for a name deeper than
    ///   ``nameDepth``, and ``FormworkError/Code/malformedBody`` for one that is both a value and a tree of values.
    public func decode<Value: Decodable>(_ type: Value.Type, from form: ReceivedForm) throws -> Value {
        var tree = NameTree<ReceivedForm.Entry>(overwrites: false)
        // Trees are walked by calling, so even `.max` has a bound.
        let depth = min(max(0, self.nameDepth), 512)
        for (index, entry) in form.entries.enumerated() {
            guard let bytes = entry.header.nameBytes else { continue }
            let name = entry.name ?? ""
            let path = NameKey.path(Array(name.utf8), dots: self.splitsAtDots, limit: depth) ?? [NameKey(bytes)]
            guard path.count <= depth + 1 else {
                throw ParsingFailure(.nameDepthLimit, limit: Int64(depth))
                    .error("The name nests deeper than \(depth) levels (FormDataDecoder.nameDepth).", at: nil)
                    .naming(PartReference(index: index, name: name))
            }
            do throws(FormworkError) {
                try tree.set(entry, at: path, named: name)
            } catch {
                throw error.naming(PartReference(index: index, name: name))
            }
        }
        return try FormValueDecoder(tree.value, [], self).read(type)
    }
}
