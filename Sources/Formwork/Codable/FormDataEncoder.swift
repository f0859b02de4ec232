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
/// ``dates`` decodes an equal value; a ``JSONPart`` keeps what JSON can represent. The exceptions are types that try
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

    /// How the elements of an array are named. Default: with brackets.
    public var arrays = Arrays.brackets
    /// The most levels of a name below its first: `a[b][]` has 2. Default 8, at most 512, as
    /// ``FormDataDecoder/nameDepth``.
    public var nameDepth = 8
    /// Whether infinite numbers and NaN are written, as `inf`, `-inf` and `nan`. Default: they are refused.
    public var acceptsNonFiniteNumbers = false
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
        let sink = FormSink(self)
        try FormValueEncoder(sink: sink, place: EncodingPath()).writeRoot(value)
        try sink.finish()
        var form = FormData(framing: framing)
        for written in sink.written { form.append(written.part) }
        return form
    }
}

/// A place in the encoded value: the keys that lead to it, its names, and whether anything was written there.
final class EncodingPath {
    let parent: EncodingPath?
    let key: (any CodingKey)?
    /// The prefix of the names of members and elements; `nil` for the root, which isn't a field.
    let name: String?
    /// The name of the field for this place's own value.
    let fieldName: String?
    /// Why nothing may be written at or below this place.
    let problem: String?
    /// How many places are around it.
    let depth: Int
    /// What was written here; `nil` for nothing.
    var content: Content?
    /// How many elements its containers were given together.
    var count = 0

    /// Each kind excludes the others.
    enum Content { case value, members, elements }

    init() {
        (self.parent, self.key, self.name, self.fieldName, self.problem) = (nil, nil, nil, nil, nil)
        self.depth = 0
    }

    /// A member of `parent`.
    init(_ key: some CodingKey, of parent: EncodingPath) {
        let text = key.stringValue
        (self.parent, self.key, self.depth) = (parent, key, parent.depth + 1)
        self.name = parent.name.map { "\($0)[\(text)]" } ?? text
        self.fieldName = self.name
        self.problem = parent.problem ?? Self.problem(withKey: text, isFirst: parent.name == nil)
    }

    /// An element of `parent`.
    init(_ index: Int, of parent: EncodingPath, arrays: FormDataEncoder.Arrays) {
        (self.parent, self.key, self.depth) = (parent, ElementKey(index), parent.depth + 1)
        self.name = parent.name.map { "\($0)[\(index)]" }
        switch arrays {
        case .brackets: self.fieldName = parent.name.map { "\($0)[]" }
        case .indices: self.fieldName = self.name
        case .repeated: self.fieldName = parent.name
        }
        self.problem = parent.problem ?? (parent.name == nil ? FormValueEncoder.rootProblem : nil)
    }

    /// Receivers differ in how they read these characters in a header parameter.
    private static func problem(withKey key: String, isFirst: Bool) -> String? {
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

    private static let insteadOfKey = ": rename it (CodingKeys), or send its object as a JSONPart."

    var codingPath: [any CodingKey] { sequence(first: self, next: \.parent).compactMap(\.key).reversed() }

    func refusal(_ value: Any, _ why: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: self.codingPath, debugDescription: why))
    }
}

/// Collects the parts of all encoders of one value.
final class FormSink {
    struct Written {
        var part: BodyPart
        var place: EncodingPath
        /// Whether the content is known to be empty.
        var isEmpty: Bool
    }

    let options: FormDataEncoder
    private(set) var written: [Written] = []
    /// What was written at the place of each name: several containers of a type may be for one place. Names are UTF-8
    /// bytes, so two spellings of a letter are two names.
    private var contents: [[UInt8]: EncodingPath.Content] = [:]
    /// Places whose container was requested by the type itself. Decoding them needs at least one field.
    private var required: [EncodingPath] = []

    init(_ options: FormDataEncoder) { self.options = options }

    private var depth: Int { min(max(0, self.options.nameDepth), 512) }

    func require(_ place: EncodingPath) -> EncodingPath {
        self.required.append(place)
        return place
    }

    func append(_ part: BodyPart, named name: String, isEmpty: Bool, at place: EncodingPath) throws {
        if let problem = place.problem { throw place.refusal(name, problem) }
        guard name.utf8.count(where: { $0 == 0x5B }) <= self.depth else { throw self.tooDeep(place) }
        try self.mark(place, as: .value)
        self.written.append(Written(part: part, place: place, isEmpty: isEmpty))
    }

    /// Values are encoded recursively, so a value of any depth would overflow the stack before it has a name.
    func checkDepth(_ place: EncodingPath) throws {
        // The first name isn't in brackets, and an element may have its array's name.
        guard place.depth <= 512 + 2 else { throw self.tooDeep(place) }
    }

    private func tooDeep(_ place: EncodingPath) -> EncodingError {
        place.refusal(
            place.name ?? "",
            "The name nests deeper than \(self.depth, "level") (nameDepth of FormDataEncoder and FormDataDecoder).")
    }

    /// Marks a place, and those around it, as written.
    /// - Throws: `EncodingError` if a place would have two values, or contents of two kinds.
    private func mark(_ place: EncodingPath, as content: EncodingPath.Content) throws {
        guard content == .value || place.content != content else { return }
        let known = self.contents.updateValue(content, forKey: Array((place.name ?? "").utf8))
        guard known == nil || known == content && content != .value else {
            throw place.refusal(
                place.name ?? "",
                "There is already a value here, and the two couldn't be told apart: encode one, of one kind.")
        }
        place.content = content
        guard let parent = place.parent else { return }
        try self.mark(parent, as: place.key is ElementKey ? .elements : .members)
    }

    /// Refuses nil, which writes nothing, at a place with a value: that would be read back.
    func checkIsFree(_ place: EncodingPath) throws {
        guard self.contents[Array((place.name ?? "").utf8)] != nil else { return }
        throw place.refusal(Void?.none as Any, "There is already a value here, which nil couldn't replace: encode one.")
    }

    /// Refuses containers that wrote nothing, and names that are both a value and a tree.
    func finish() throws {
        if let place = self.required.first(where: { $0.content == nil }) {
            throw place.refusal(
                place.name ?? "",
                "A container without values leaves nothing that could be read back: an enumeration needs a raw value.")
        }
        var tree = NameTree<Void>(overwrites: false)
        for written in self.written {
            let name = written.part.header.name ?? ""
            let path = NameKey.path(Array(name.utf8), dots: false, limit: self.depth) ?? []
            do throws(FormworkError) {
                try tree.set((), at: path, named: name)
            } catch {
                throw written.place.refusal(
                    name, "\(error.message): values and objects in one array need FormDataEncoder.arrays = .indices.")
            }
        }
    }
}
