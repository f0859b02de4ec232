import FormworkCore

/// Encodes a value as a form: a field for each of its values, a file for each ``FormFile``.
///
/// Members are named with brackets, `a[b]`; elements as ``arrays`` says, and with their index where they have members of
/// their own, `a[0][b]`. What is written, ``FormDataDecoder`` with the same ``nameDepth`` and
/// ``acceptsNonFiniteNumbers`` and ``dates`` reads back equal; a ``JSONPart`` is what JSON keeps of it. What it couldn't is an `EncodingError` with the coding path:
///
/// - Bytes, `[UInt8]`, `Data` and every other ``BodyChunk``, are one file named `blob`, as browsers send a `Blob`; use
///   ``FormFile`` where name and type matter. Other arrays of numbers are a field for each number.
/// - A `Date` is a field as ``dates`` says, a ``JSONPart`` a part of `application/json`.
/// - `nil` and empty arrays and objects write nothing. They are accepted for a member whose key is one of a fixed set,
///   as a struct's are. They are refused as a dictionary's value and as an array's element, which would be lost.
/// - An optional that has a value which writes nothing, or one empty field, is refused: `nil` is read from that. An
///   optional `String` may be empty.
/// - A case of an enumeration with neither a raw value nor values of its own is refused, and so is an empty array that
///   a type of its own wraps.
/// - Keys that are empty or hold a bracket, a quotation mark, a backslash, a control character, or `%22`, `%0D` or
///   `%0A` are refused: receivers differ in how they read them.
///
/// ```
/// let form = try FormDataEncoder().encode(profile)
/// ```
public struct FormDataEncoder: Sendable {
    /// How the elements of an array are named that have no members of their own.
    public enum Arrays: Sendable, Hashable, CaseIterable {
        /// `a[]`, as PHP and Rails want it.
        case brackets
        /// `a[0]`, `a[1]`, …
        case indices
        /// `a` again and again, as browsers do (RFC 7578 §5.2).
        case repeated
    }

    /// How the elements of an array are named. Default: with brackets.
    public var arrays = Arrays.brackets
    /// Levels that a name may have below its first: `a[b][]` has 2. Default 8, at most 512: as
    /// ``FormDataDecoder/nameDepth``.
    public var nameDepth = 8
    /// Whether `inf`, `-inf` and `nan` are written for numbers that are infinite or none. Default: they are refused.
    public var acceptsNonFiniteNumbers = false
    /// How a `Date` is written. Default: ISO 8601.
    public var dates = FormDateFormat.iso8601
    /// Handed to the types that are encoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The filename of bytes: WHATWG's for a `Blob` that has none.
    static let bytesFilename = "blob"

    /// The defaults, to be changed where needed.
    public init() {}

    /// Encodes a value whose root is an object.
    /// - Throws: `EncodingError` with the coding path.
    public func encode(
        _ value: some Encodable, framing: MultipartFraming = MultipartFraming()
    ) throws -> FormData {
        let sink = FormSink(self)
        try FormValueEncoder(sink: sink, place: EncodingPlace()).writeRoot(value)
        try sink.finish()
        var form = FormData(framing: framing)
        for written in sink.written { form.append(written.part) }
        return form
    }
}

/// A place in the value that is encoded: the keys that lead to it, its names, and whether anything was written there.
final class EncodingPlace {
    let parent: EncodingPlace?
    let key: (any CodingKey)?
    /// What the names of members and elements begin with; `nil` for the root, which is no field.
    let name: String?
    /// The name of a field that is this place's own value.
    let fieldName: String?
    /// Why nothing below may be written.
    let problem: String?
    private(set) var isWritten = false

    init() { (self.parent, self.key, self.name, self.fieldName, self.problem) = (nil, nil, nil, nil, nil) }

    /// A member of `parent`.
    init(_ key: some CodingKey, of parent: EncodingPlace) {
        let text = key.stringValue
        (self.parent, self.key) = (parent, key)
        self.name = parent.name.map { "\($0)[\(text)]" } ?? text
        self.fieldName = self.name
        self.problem = parent.problem ?? Self.problem(withKey: text)
    }

    /// An element of `parent`.
    init(_ index: Int, of parent: EncodingPlace, arrays: FormDataEncoder.Arrays) {
        (self.parent, self.key) = (parent, ElementKey(index))
        self.name = parent.name.map { "\($0)[\(index)]" }
        switch arrays {
        case .brackets: self.fieldName = parent.name.map { "\($0)[]" }
        case .indices: self.fieldName = self.name
        case .repeated: self.fieldName = parent.name
        }
        self.problem = parent.problem ?? (parent.name == nil ? FormValueEncoder.rootProblem : nil)
    }

    /// What parameters of headers escape, or don't, is read in more than one way.
    private static func problem(withKey key: String) -> String? {
        let bytes = Array(key.utf8)
        guard !bytes.isEmpty else { return "An empty key couldn't be read back." }
        guard !bytes.contains(where: { [0x22, 0x5B, 0x5C, 0x5D].contains($0) || $0 < 0x20 || $0 == 0x7F }) else {
            return "A key with a bracket, a quotation mark, a backslash or a control character couldn't be read back."
        }
        // As browsers write the first three of those.
        let escapes = zip(zip(bytes, bytes.dropFirst()), bytes.dropFirst(2)).contains { pair, last in
            guard pair.0 == 0x25 else { return false }
            return (pair.1 == 0x32 && last == 0x32) || (pair.1 == 0x30 && [0x41, 0x44].contains(last & 0xDF))
        }
        return escapes ? "A key with %22, %0D or %0A couldn't be read back." : nil
    }

    var codingPath: [any CodingKey] { (self.parent?.codingPath ?? []) + (self.key.map { [$0] } ?? []) }

    /// The array whose fields may share this one's name, or the place alone.
    var owner: ObjectIdentifier {
        guard let parent, self.key is ElementKey else { return ObjectIdentifier(self) }
        return ObjectIdentifier(parent)
    }

    func markWritten() {
        var place: EncodingPlace? = self
        while let current = place, !current.isWritten {
            current.isWritten = true
            place = current.parent
        }
    }

    func refusal(_ value: Any, _ why: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: self.codingPath, debugDescription: why))
    }
}

/// Where all encoders of one value put its parts.
final class FormSink {
    struct Written {
        var part: BodyPart
        var place: EncodingPlace
        /// Whether the content is known to be empty.
        var isEmpty: Bool
    }

    let options: FormDataEncoder
    private(set) var written: [Written] = []
    /// Who wrote fields of a name, as UTF-8: two spellings of a letter are two names.
    private var owners: [[UInt8]: ObjectIdentifier] = [:]
    /// Places whose container was made by the type itself: what is read from them needs something to be there.
    private var required: [EncodingPlace] = []

    init(_ options: FormDataEncoder) { self.options = options }

    private var depth: Int { min(max(0, self.options.nameDepth), 512) }

    func require(_ place: EncodingPlace) -> EncodingPlace {
        self.required.append(place)
        return place
    }

    func append(_ part: BodyPart, named name: String, isEmpty: Bool, at place: EncodingPlace) throws {
        if let problem = place.problem { throw place.refusal(name, problem) }
        guard name.utf8.count(where: { $0 == 0x5B }) <= self.depth else {
            throw place.refusal(
                name,
                "The name nests deeper than \(self.depth) levels (nameDepth of FormDataEncoder and FormDataDecoder).")
        }
        let owner = self.owners.updateValue(place.owner, forKey: Array(name.utf8))
        guard owner == nil || owner == place.owner else {
            throw place.refusal(name, "There is a field \"\(name)\" already, which couldn't be told from this one.")
        }
        self.written.append(Written(part: part, place: place, isEmpty: isEmpty))
        place.markWritten()
    }

    /// Refuses what has no trace and what has a name that is a value and a tree.
    func finish() throws {
        if let place = self.required.first(where: { !$0.isWritten }) {
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
