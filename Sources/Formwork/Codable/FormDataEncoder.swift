import FormworkURLEncoded

/// Encodes a value as a form, with a field for each of its values and a file for each ``FormFile``.
///
/// ```swift
/// let order = Order(item: "rope", sizes: [8, 10])
/// let form = try FormDataEncoder().encode(order)
/// // item=rope, sizes[]=8, sizes[]=10
/// ```
///
/// Members are named with brackets, `a[b]`. Elements are named as ``arrays`` says, or with their index if they have
/// members of their own, `a[0][b]`. A ``FormDataDecoder`` with the same ``nameDepth``, ``acceptsNonFiniteNumbers`` and
/// ``dates``, the reverse of ``keyEncodingStrategy``, and its other options unchanged decodes an equal value; a ``JSONPart``
/// keeps what JSON can represent. The exceptions are types that try
/// several kinds of values until one fits, such as an enumeration of any JSON: a form has only texts, so 1 may come back
/// as `"1"`, and an array as an object. Send these as a ``JSONPart``. The form must also be within the reader's
/// ``ParsingLimits``: by default 1,000 parts. A value that couldn't be decoded again is an `EncodingError` with the
/// coding path:
///
/// - Bytes (`[UInt8]`, `Data` and every other ``BodyChunk``) are one file named `blob`, as browsers send a `Blob`. Use
///   ``FormFile`` if name and type matter. Other arrays of numbers write one field for each number.
/// - A `Date` is a field in the format of ``dates``, a ``JSONPart`` a part of `application/json`.
/// - A place that is written twice, or as values of two kinds, is refused. Several containers of one kind continue it.
/// - `nil` and empty arrays and objects write nothing. They are accepted for a member with a fixed key, as in a struct.
///   They are refused as a dictionary's value and as an array's element, because these would be lost.
/// - An optional with a value that writes nothing, or one empty field, is refused, because it would be decoded as
///   `nil`. An optional `String` may be empty.
/// - An enumeration case without a raw value or associated values is refused, and so is an empty array inside a wrapper
///   type.
/// - Keys that are empty or contain a bracket, a quotation mark, a backslash, a control character, `%22`, `%0D` or
///   `%0A` are refused: receivers differ in how they read them. So is `_charset_` as a member of the root: a field of that
///   name declares the charset of all fields (RFC 7578 section 4.6).
///
/// The fields' texts are in the form, and so in memory; a ``FormFile``'s content isn't read. The encoder is a value
/// without state, so one can be used in several tasks.
public struct FormDataEncoder: Sendable {
    /// How to name array elements that have no members of their own.
    public enum Arrays: Sendable, Hashable, CaseIterable {
        /// `a[]`, for PHP and Rails.
        case brackets
        /// `a[0]`, `a[1]`, …
        case indices
        /// `a` for each element, as browsers do (RFC 7578 §5.2).
        case repeated
    }

    /// How keys become names of fields.
    public enum KeyEncodingStrategy: Sendable {
        /// The name is the key.
        case useDefaultKeys
        /// `oneTwo` becomes `one_two`, as with `JSONEncoder`. A key that ``FormDataDecoder/KeyDecodingStrategy/convertFromSnakeCase``
        /// wouldn't read back, such as `imageURL`, is refused: give it another name with `CodingKeys`.
        case convertToSnakeCase
        /// The closure's result for the coding path, whose last key is the member's.
        case custom(@Sendable (_ codingPath: [any CodingKey]) -> any CodingKey)
    }

    /// How the elements of an array are named. Default: with brackets.
    public var arrays = Arrays.brackets
    /// The most levels of a name below its first: `a[b][]` has 2. Default 8, at most 512, as
    /// ``FormDataDecoder/nameDepth``.
    public var nameDepth = 8
    /// Whether infinite numbers and NaN are written, as `inf`, `-inf` and `nan`. Default: they are refused.
    public var acceptsNonFiniteNumbers = false
    /// How keys become names of fields. Default: unchanged. Keys of dictionaries are never changed.
    public var keyEncodingStrategy = KeyEncodingStrategy.useDefaultKeys
    /// How a `Date` is written. Default: ISO 8601.
    public var dates = FormDateFormat.iso8601
    /// Passed to the types that are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The filename of bytes: WHATWG's name for a `Blob` without one.
    static let bytesFilename = "blob"

    /// An encoder with the defaults.
    public init() {}

    /// Encodes a value whose root is an object.
    /// - Throws: `EncodingError` with the coding path.
    public func encode(
        _ value: some Encodable, framing: MultipartFraming = MultipartFraming()
    ) throws -> FormData {
        let coding = self.coding
        var form = FormData(framing: framing)
        do {
            try coding.encodeFields(of: value) { name, leaf in
                switch leaf {
                case .value(let value): form.append(name: name, value: coding.text(of: value) ?? "")
                case .attachment(let file):
                    if let file = file as? FormAttachment { form.append(file.part(name)) }
                case .nothing: break
                }
            }
        } catch is InvalidRoot {
            throw EncodingError.invalidValue(
                value,
                .init(
                    codingPath: [],
                    debugDescription: "A form's root must be an object, whose members are the form's fields."))
        }
        return form
    }

    private var coding: CodingPolicy {
        var rules = CodingPolicy.swift
        (rules.flattening.bools, rules.parsing.limits.depth) = (.literal, self.nameDepth)
        rules.flattening.arrays =
            switch self.arrays {
            case .brackets: .brackets
            case .indices: .indexed
            case .repeated: .repeated
            }
        let names: (convert: (([any CodingKey]) -> String)?, back: ((String) -> String)?) =
            switch self.keyEncodingStrategy {
            case .useDefaultKeys: (nil, nil)
            case .convertToSnakeCase:
                ({ CamelCase.split($0.last?.stringValue ?? "", by: "_") }, { CamelCase.joined($0) })
            case .custom(let convert): ({ convert($0).stringValue }, nil)
            }
        return CodingPolicy(
            rules, foreign: FormTypes(encoder: self), dates: self.dates,
            acceptsNonFiniteNumbers: self.acceptsNonFiniteNumbers, readsEmptyAsNil: true, userInfo: self.userInfo,
            convertKey: names.convert, convertsBack: names.back,
            keyProblem: { FormTypes.problem(with: $0, isFirst: $1) },
            wording: {
                ($0.owner, $0.wrapper) = ("FormDataEncoder", "JSONPart")
                $0.depthOption = "nameDepth of FormDataEncoder and FormDataDecoder"
            })
    }
}

extension FormData {
    /// A form with a field for each value, and a file for each ``FormFile``, of a value whose root is an object.
    ///
    /// ```swift
    /// let form = try FormData(Order(item: "rope", sizes: [8, 10]))
    /// ```
    /// - Throws: What ``FormDataEncoder/encode(_:framing:)`` throws.
    public init(
        _ value: some Encodable, encoder: FormDataEncoder = FormDataEncoder(),
        framing: MultipartFraming = MultipartFraming()
    ) throws {
        self = try encoder.encode(value, framing: framing)
    }
}

/// A file or a part of JSON: makes the part of a name.
private final class FormAttachment {
    let part: (String) -> BodyPart
    init(part: @escaping (String) -> BodyPart) { self.part = part }
}

/// The types that are parts of their own in a form, and the names that a form can have.
private struct FormTypes: ForeignTypes {
    let encoder: FormDataEncoder

    func leaf<Value: Encodable>(of value: Value) throws -> EncodedLeaf? {
        if let file = value as? FormFile {
            guard !(file.filename ?? "").isEmpty || !file.source.isKnownEmpty else {
                throw Unwritable(
                    "A file without name and content is what an empty file control sends: give it a filename")
            }
            return self.attachment(file.source, file.filename ?? "", file.contentType)
        }
        if let bytes = value as? any BodyChunk {
            return self.attachment(.bytes(bytes), FormDataEncoder.bytesFilename, "application/octet-stream")
        }
        if let value = value as? any JSONPartEncodable {
            guard let json = try value.json(self.encoder) else { return .nothing }
            return self.attachment(.bytes(json), nil, "application/json")
        }
        return nil
    }

    private func attachment(_ source: BodySource, _ filename: String?, _ contentType: String?) -> EncodedLeaf {
        .attachment(
            FormAttachment { BodyPart(name: $0, source: source, filename: filename, contentType: contentType) })
    }

    /// Receivers differ in how they read these characters in a header parameter.
    static func problem(with key: String, isFirst: Bool) -> String? {
        if isFirst, key == "_charset_" {
            return "A field \"_charset_\" declares the charset of all fields (RFC 7578 section 4.6)" + Self.insteadOfKey
        }
        let bytes = Array(key.utf8)
        guard !bytes.isEmpty else { return "An empty key couldn't be read back" + Self.insteadOfKey }
        guard !bytes.contains(where: { [0x22, 0x5B, 0x5C, 0x5D].contains($0) || $0 < 0x20 || $0 == 0x7F }) else {
            return "A key with a bracket, a quotation mark, a backslash or a control character couldn't be read back"
                + Self.insteadOfKey
        }
        // Browsers write three of those characters like this.
        let escapes = zip(zip(bytes, bytes.dropFirst()), bytes.dropFirst(2)).contains { pair, last in
            guard pair.0 == 0x25 else { return false }
            return (pair.1 == 0x32 && last == 0x32) || (pair.1 == 0x30 && [0x41, 0x44].contains(last & 0xDF))
        }
        return escapes ? "A key with %22, %0D or %0A couldn't be read back" + Self.insteadOfKey : nil
    }

    private static let insteadOfKey = ": rename it (CodingKeys), or send its object as a JSONPart"
}

extension BodySource {
    /// Whether there are no bytes, as far as that is known before anything is opened.
    fileprivate var isKnownEmpty: Bool {
        switch self.kind {
        case .concatenation(let sources): sources.allSatisfy(\.isKnownEmpty)
        case .encoded(let source, _): source.isKnownEmpty
        default: self.knownCount == 0
        }
    }
}
