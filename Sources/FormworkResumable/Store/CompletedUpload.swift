import Formwork
import FormworkEssentials
import HTTPTypes

/// A complete upload: a file, or a form.
public struct CompletedUpload: Sendable {
    /// Identifies the upload.
    package var name: String
    /// Its bytes, which can be read repeatedly until the handler returns. Then they are removed.
    public var content: BodySource
    /// The files with the bytes, in order; none if they are in a storage of the caller's.
    package var files: [FinishedFile] = []
    /// Where the form's large files are; `nil` if that wasn't found while it arrived.
    package var form: FormMap?
    /// The digests of all bytes that were computed while they arrived.
    package var digests: [DigestValue] = []
    /// The server's own note, which ``ResumableHandler/note`` gave it.
    package var note: [UInt8]?
    /// When it began.
    package var created: Date
    /// Its length in bytes.
    public var length: Int64
    /// The media type of the whole body; `nil` if not given. For tus it comes from the metadata's `content-type`, or
    /// otherwise `filetype`; a form that Formwork sent with tus has its `multipart/form-data; boundary=…` there.
    public var contentType: String?
    /// The file's name as it was sent, not made safe; `nil` if there was none.
    public var filename: String?
    /// The tus metadata; empty for the draft.
    public var metadata: TusMetadata
    /// The request that created the upload, without content and without credentials, which aren't stored: fields and
    /// parameters of the query whose names contain `authorization`, `cookie`, `token`, `secret`, `signature`, `password`,
    /// `credential`, `apikey` or `accesskey`, in any case and with hyphens and underscores anywhere.
    public var request: HTTPRequest

    init(_ name: String, _ record: UploadRecord, _ content: BodySource, length: Int64) {
        (self.name, self.created) = (name, record.created)
        self.content = content
        self.length = length
        self.contentType = record.contentType
        self.metadata = record.metadata
        self.note = record.note.map { Array($0) }
        self.request = record.request
        self.filename =
            record.metadata["filename"] ?? record.metadata["name"]
            ?? record.request.headerFields[.contentDisposition].flatMap(DispositionFilename.read)
    }

    /// The file with all bytes; `nil` if they are elsewhere, or in several.
    package var file: FinishedFile? { self.files.count == 1 ? self.files[0] : nil }

    /// Whether it is a multipart form, which ``parts(profile:limits:)`` and ``form(profile:limits:memory:)`` read.
    public var isForm: Bool { UploadRecord.isForm(self.contentType) }

    /// The form's parts, one by one.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form; `nil` for the defaults, with files of any size, as the store allowed
    ///     the whole.
    /// - Throws: The errors of ``ReceivedParts`` and of the storage, and ``FormworkError/Code/limitExceeded``.
    public func parts(
        profile: ParsingProfile = .default, limits: ParsingLimits? = nil
    ) throws(FormworkError) -> ReceivedParts<BodyChunks> {
        let limits = limits ?? self.limits
        let parts = try ReceivedParts(
            self.content.chunks(), contentType: self.contentType, profile: profile, limits: limits)
        try limits.check(contentLength: self.length, upTo: limits.totalBytes)
        return parts
    }

    /// The whole form, multipart or url-encoded.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form; `nil` as for ``parts(profile:limits:)``.
    ///   - memory: How much of the form stays in memory, and where the rest is stored.
    /// - Throws: The errors of ``parts(profile:limits:)``.
    public func form(
        profile: ParsingProfile = .default, limits: ParsingLimits? = nil,
        memory: CollectingLimits = CollectingLimits()
    ) async throws -> ReceivedForm {
        try await ReceivedForm(
            collecting: self.content.chunks(), contentType: self.contentType, contentLength: self.length,
            profile: profile, limits: limits ?? self.limits, memory: memory)
    }

    /// Writes each file of a form, or the upload itself if it isn't a form, to a new file in a folder: `a.txt`, or
    /// `a (1).txt` if that is taken. An empty file control is skipped. A file without a name is named after its field,
    /// or `file`. A file that is the upload itself isn't copied if its folder is on the store's file system: don't
    /// change it before the handler has returned. A form's files are copied by the system if the store has a folder.
    /// - Parameters:
    ///   - folder: The folder for the files; created if only its last component is missing.
    ///   - limits: The limits for reading a form; `nil` as for ``parts(profile:limits:)``.
    ///   - durably: Whether to write the bytes to the disk before a file gets its name.
    /// - Returns: The files, in order.
    /// - Throws: ``FormworkError/Code/writeFailed``, and the errors of ``parts(profile:limits:)``. No file is left
    ///   then.
    @discardableResult
    public func writeFiles(
        into folder: some PathConvertible, limits: ParsingLimits? = nil, durably: Bool = false
    ) async throws -> [FilePath] {
        guard self.isForm else {
            let name = SafeFilename(self.filename, orField: nil)
            if let file { return [try await file.write(into: folder.filePath, as: name, durably: durably)] }
            return [try await self.content.write(into: folder, as: name, durably: durably)]
        }
        return try await self.parts(limits: limits).writeFiles { part in
            try await part.write(into: folder.filePath, from: self.file, durably: durably)
        }
    }

    private var limits: ParsingLimits {
        var limits = ParsingLimits()
        (limits.totalBytes, limits.fileBytes) = (self.length, self.length)
        return limits
    }
}
