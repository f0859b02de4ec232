#if Resumable
import Formwork
import FormworkCore
import FormworkHTTP
import HTTPTypes
import SystemPackage

/// An upload of which every byte is there: a file, or a form.
public struct CompletedUpload: Sendable {
    /// Tells it from others.
    package var name: String
    /// Its bytes, which can be read any number of times until the handler returns. They are removed then.
    public var content: BodySource
    /// Bytes of it.
    public var length: Int64
    /// The media type of the whole; `nil` when nobody told. For tus what the metadata says under `content-type`, or
    /// else `filetype`: a form that Formwork sent by tus has its `multipart/form-data; boundary=…` there.
    public var contentType: String?
    /// The file's name as it was sent, not made safe; `nil` when none was.
    public var filename: String?
    /// What tus told; empty for the draft.
    public var metadata: TusMetadata
    /// The request that began it, without credentials, and without content.
    public var request: HTTPRequest

    init(_ name: String, _ record: UploadRecord, _ content: BodySource, length: Int64) {
        self.name = name
        self.content = content
        self.length = length
        self.contentType = record.contentType
        self.metadata = record.metadata
        self.request = record.request
        self.filename =
            record.metadata["filename"] ?? record.metadata["name"]
            ?? record.request.headerFields[.contentDisposition].flatMap(DispositionFilename.read)
    }

    /// Whether it is a form with parts, which ``parts(profile:limits:)`` and ``form(profile:limits:memory:)`` read.
    public var isForm: Bool {
        self.contentType?.prefix { $0 != ";" && $0 != " " }.lowercased().hasPrefix("multipart/") ?? false
    }

    /// The form's parts, one after another.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits of what is read.
    /// - Throws: What ``ReceivedParts`` throws, ``FormworkError/Code/limitExceeded``, and what the storage does.
    public func parts(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default
    ) throws(FormworkError) -> ReceivedParts<BodyChunks> {
        try self.incoming().parts(profile: profile, limits: limits, deadlines: ReceivingDeadlines())
    }

    /// The whole form, multipart or url-encoded.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits of what is read.
    ///   - memory: How much of the form stays in memory, and where the rest is stored.
    /// - Throws: What ``parts(profile:limits:)`` throws.
    public func form(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        memory: CollectingLimits = CollectingLimits()
    ) async throws -> ReceivedForm {
        try await self.incoming().collect(
            profile: profile, limits: limits, memory: memory, deadlines: ReceivingDeadlines())
    }

    /// Writes each file of a form, or the upload itself where it is no form, to a new file in a folder: `a.txt`, or
    /// `a (1).txt` where that is taken. A control that was left empty is no file. A file without a name is named as its
    /// field is, or `file`.
    /// - Parameters:
    ///   - folder: Where the files are made; it is made too if only its last component is missing.
    ///   - limits: The limits of what is read of a form.
    ///   - durably: Whether to wait until the disk has the bytes before a file gets its name.
    /// - Returns: The files, in order.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what ``parts(profile:limits:)`` throws. Nothing is left then.
    @discardableResult
    public func writeFiles(
        into folder: some PathConvertible, limits: ParsingLimits = .default, durably: Bool = false
    ) async throws -> [FilePath] {
        guard self.isForm else {
            let name = SafeFilename(self.filename, orField: nil)
            return [try await self.content.write(into: folder, as: name, durably: durably)]
        }
        var paths: [FilePath] = []
        do {
            for try await part in try self.parts(limits: limits) where part.isFile && !part.isEmptyFileControl {
                paths.append(try await part.write(into: folder, durably: durably))
            }
        } catch {
            for path in paths { PrivateFile.remove(path) }
            throw error
        }
        return paths
    }

    private func incoming() throws(FormworkError) -> IncomingForm<BodyChunks> {
        var fields: HTTPFields = [.contentLength: String(self.length)]
        fields[.contentType] = self.contentType
        return IncomingForm(fields, body: try self.content.chunks())
    }
}
#endif
