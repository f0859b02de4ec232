import FormworkCore
import SystemPackage

/// One part of a form: a header section and where its content comes from.
public struct BodyPart: Sendable {
    /// What names the part, and its type.
    public var header: PartHeader
    /// Where the content comes from.
    public var source: BodySource
    /// Why the header's `Content-Type` is what it is, for people: `given`, `extension .jpg`.
    public var typeReason: String

    /// A plain field with text.
    public init(name: String, value: String) {
        self.init(header: PartHeader(name: name), source: .text(value), typeReason: "a field has none")
    }

    /// A file upload.
    /// - Parameters:
    ///   - name: The form field's name.
    ///   - path: The file.
    ///   - filename: What the receiver is told; the path's last component when `nil`.
    ///   - contentType: `nil` takes ``MediaTypeTable``'s answer for the filename, which is never none.
    public init(name: String, file path: FilePath, filename: String? = nil, contentType: String? = nil) {
        self.init(
            name: name, source: .file(path), filename: filename ?? SystemCalls.filename(of: path),
            contentType: contentType)
    }

    /// A part from any source; with a filename it is a file upload, whose type is guessed unless given.
    public init(name: String, source: BodySource, filename: String? = nil, contentType: String? = nil) {
        let choice =
            if let contentType {
                MediaTypeChoice(contentType, reason: "given")
            } else if let filename {
                MediaTypeTable.choice(forFilename: filename)
            } else {
                MediaTypeChoice(nil, reason: "a field has none")
            }
        self.init(
            header: PartHeader(name: name, filename: filename, contentType: choice.mediaType), source: source,
            typeReason: choice.reason)
    }

    /// A part with a header section of the caller's own making.
    public init(header: PartHeader, source: BodySource, typeReason: String = "given") {
        self.header = header
        self.source = source
        self.typeReason = typeReason
    }
}
