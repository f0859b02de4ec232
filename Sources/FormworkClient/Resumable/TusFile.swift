/// A file of a form as an upload of its own: what a tus server stores that doesn't read forms.
struct TusFile: Sendable {
    /// The file's bytes, without any framing.
    let plan: BodyPlan
    /// `filename`, `filetype`, and the form's fields by their names.
    let metadata: TusMetadata
    let filename: String

    /// The most bytes of `Upload-Metadata`: servers commonly refuse longer fields.
    private static let metadataLimit = 7000
    /// The keys that describe the file.
    private static let ownKeys = ["filename", "filetype"]

    /// The files of a form. Each upload's metadata have all fields.
    /// - Throws: `invalidArgument`, with the part, for a form that metadata can't describe; the errors of reading its
    ///   fields.
    static func files(of form: BodyPlan) async throws -> [TusFile] {
        guard let parts = form.outerParts else {
            throw Self.refusal("make all parts before the upload")
        }
        var fields = TusMetadata()
        for (part, reference) in parts {
            try Self.check(part, reference)
            guard part.header.filename == nil else { continue }
            try await Self.add(part, reference, to: &fields)
        }
        let files = parts.filter { $0.part.header.filename != nil }
        guard !files.isEmpty else { throw Self.refusal("add a file to this form") }
        var uploads: [TusFile] = []
        for (part, reference) in files {
            let filename = part.header.filename ?? ""
            var metadata = TusMetadata()
            metadata["filename"] = filename
            metadata["filetype"] = part.header.contentType
            for entry in fields.entries { metadata.append(entry.key, entry.value) }
            guard metadata.fieldValue.utf8.count <= Self.metadataLimit else {
                throw Self.refusal(
                    "its fields would make Upload-Metadata \(metadata.fieldValue.utf8.count, "byte") long, and servers "
                        + "read about \(Self.metadataLimit): leave some out", reference)
            }
            uploads.append(
                TusFile(plan: try BodyPlan(copying: part.source), metadata: metadata, filename: filename))
        }
        return uploads
    }

    private static func check(_ part: BodyPart, _ reference: PartReference) throws(FormworkError) {
        let header = part.header
        let what = header.filename == nil ? "field" : "file"
        if part.source.isMultipart { throw Self.refusal("leave out parts inside a part", reference) }
        if header.transferEncoding != nil {
            throw Self.refusal("a \(what) is sent as it is: leave out its transfer encoding", reference)
        }
        if !header.fields.isEmpty || header.filename == nil && header.contentType != nil {
            throw Self.refusal(
                "leave out the \(what)'s own header fields, and the type of a field", reference)
        }
    }

    private static func add(
        _ part: BodyPart, _ reference: PartReference, to metadata: inout TusMetadata
    ) async throws {
        let name = part.header.name ?? ""
        guard !self.ownKeys.contains(name) else {
            throw Self.refusal("\"\(name)\" describes the file: give the field another name", reference)
        }
        guard TusMetadata.isKey(name) else {
            throw Self.refusal(
                "a field's name must be visible ASCII without spaces and commas: give it another name", reference)
        }
        guard !metadata.entries.contains(where: { $0.key == name }) else {
            throw Self.refusal("a field's name can appear only once: leave one of them out", reference)
        }
        let bytes: [UInt8]
        do { bytes = try await part.source.bytes(upTo: Self.metadataLimit) } catch FormworkError.Code.limitExceeded {
            throw Self.refusal("the field is too long for Upload-Metadata: leave it out", reference)
        }
        metadata.append(name, bytes)
    }

    private static func refusal(_ text: String, _ part: PartReference? = nil) -> FormworkError {
        FormworkError(
            .invalidArgument,
            "this tus server stores only files, unchanged, with the form's fields as Upload-Metadata: \(text), or send the "
                + "form without tus",
            part: part)
    }
}

/// What a server says about tus in its answer to `OPTIONS`.
package struct TusServer: Sendable, Hashable {
    /// Whether it reads an uploaded form. Otherwise it stores a file.
    var readsForms = false
    /// The algorithm for `Upload-Checksum`, in tus' spelling; `nil` if it checks none that this client has.
    package var checksum: String?
    /// The most bytes of an upload; `nil` if the server doesn't say.
    var maximumSize: Int64?

    /// Whether an upload can be created before its length is known. A server that lists no extensions may be able to.
    var defersLength = true

    /// A server that says nothing: it stores files.
    package init() {}

    /// Reads the answer, whatever its status: many servers answer `OPTIONS` with 404 or 405.
    init(_ fields: HTTPFields) {
        let extensions = Self.list(fields[.tusExtension])
        self.readsForms = extensions.contains(ResumableProtocol.tusFormExtension)
        self.defersLength = fields[.tusExtension] == nil || extensions.contains("creation-defer-length")
        if extensions.contains("checksum") {
            let algorithms = Self.list(fields[.tusChecksumAlgorithm])
            self.checksum = ["sha256", "sha1"].first(where: algorithms.contains)
        }
        self.maximumSize = fields[.tusMaxSize].flatMap { Int64($0) }
    }

    /// The words of a field, in lower case.
    static func list(_ value: String?) -> Set<String> {
        Set((value ?? "").split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() })
    }
}
