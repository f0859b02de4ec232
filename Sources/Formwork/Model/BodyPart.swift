import FormworkSystem

/// One part of a form: a header section, and the source of its content.
///
/// ```swift
/// let title = BodyPart(name: "title", value: "Harbour at dawn")
/// let photo = BodyPart(name: "photo", file: "harbour.jpg", contentType: "image/jpeg")
/// let table = BodyPart(name: "table", source: .text("a,b\r\n1,2\r\n"), filename: "table.csv")
/// let form = FormData([title, photo, table])
/// ```
///
/// A part with a filename is a file for the receiver, whatever its ``source`` is; one without is a field. A file's type
/// is found when the body is planned, unless the part has one, see ``FormData/types``. The names are checked then too:
/// for an invalid one ``FormData/plan()-1mfhu`` throws an error with this part.
public struct BodyPart: Sendable, Equatable {
    /// Where the header's `Content-Type` comes from.
    enum Typing: Sendable, Equatable {
        /// From the caller, or none for a field.
        case given
        /// Found when the body is planned.
        case undecided
        /// Found. Boxed, so that parts stay small to copy.
        indirect case decided(MediaTypeChoice)
    }

    /// The part's name, filename, type and other fields.
    public var header: PartHeader
    /// Where the content comes from.
    public var source: BodySource
    var typing: Typing
}

// In an extension, so that the struct keeps the initializer that assigns all members at once, without a copy.
extension BodyPart {
    /// A plain field with text.
    public init(name: String, value: String, contentType: String? = nil) {
        self.init(header: PartHeader(name: name, contentType: contentType), source: .text(value), typing: .given)
    }

    /// A file upload.
    /// - Parameters:
    ///   - name: The form field's name.
    ///   - path: The file.
    ///   - filename: The filename in the header; `nil` uses the path's last component.
    ///   - contentType: The type; with `nil`, ``FormData/types`` finds one when the body is planned.
    public init(name: String, file path: some PathConvertible, filename: String? = nil, contentType: String? = nil) {
        self.init(
            name: name, source: .file(path), filename: filename ?? SystemCalls.filename(of: path.filePath),
            contentType: contentType)
    }

    /// A part from any source. With a filename it is a file upload, whose type is found unless it is given.
    public init(name: String, source: BodySource, filename: String? = nil, contentType: String? = nil) {
        self.init(
            header: PartHeader(name: name, filename: filename, contentType: contentType), source: source,
            findsType: filename != nil && contentType == nil)
    }

    /// A part that holds parts of its own, such as the `multipart/mixed` of a mail.
    /// - Parameters:
    ///   - name: The form field's name; `nil` for none.
    ///   - disposition: The disposition type; `nil` writes no `Content-Disposition`.
    ///   - multipart: The parts and their framing. Its boundary must differ from those around it.
    public init(name: String?, disposition: DispositionType? = .formData, multipart: FormData) {
        self.init(header: PartHeader(disposition: disposition, name: name), source: .multipart(multipart))
    }

    /// A part with the caller's own header section.
    /// - Parameters:
    ///   - header: The header section. A multipart's `Content-Type` is written from its framing if the header has none.
    ///   - source: Where the content comes from.
    ///   - findsType: Whether ``FormData/types`` finds the type when the body is planned, and sets it in the header.
    public init(header: PartHeader, source: BodySource, findsType: Bool = false) {
        self.init(header: header, source: source, typing: findsType ? .undecided : .given)
    }

    /// The part's type and the reason for it, if it is decided yet.
    var typeChoice: MediaTypeChoice {
        if case .decided(let choice) = self.typing { return choice }
        if self.isUndecided { return MediaTypeChoice(nil, by: .none, reason: "found when the part is read") }
        let reason = self.header.contentType == nil ? "a field has none" : "given"
        return MediaTypeChoice(self.header.contentType, by: .given, reason: reason)
    }

    var isUndecided: Bool { if case .undecided = self.typing { true } else { false } }

    /// Decides the type of a part that has none yet.
    /// - Parameter head: The content's first bytes; `nil` if they can't be read yet.
    mutating func decideType(by types: MediaTypeDetection, head: [UInt8]?) {
        var choice = types.choice(forFilename: self.header.filename, head: head)
        if choice.detector == .none, let path = self.source.namedFile {
            // The file's own name may have a better extension than the filename in the header.
            let name = SystemCalls.filename(of: path)
            if name != self.header.filename { choice = types.choice(forFilename: name, head: head) }
        }
        self.decideType(choice)
    }

    mutating func decideType(_ choice: MediaTypeChoice) {
        self.header.contentType = choice.mediaType
        self.typing = .decided(choice)
    }

    /// Sets a multipart's type from its framing, unless the caller set one.
    mutating func takeMultipartType() throws(FormworkError) {
        guard case .multipart(let form) = self.source.kind, self.header.contentType == nil,
            !self.header.fields.contains(where: { $0.isNamed("Content-Type") || $0.replaces("Content-Type") })
        else { return }
        self.header.contentType = try form.framing.contentType
        self.typing = .given
    }

    /// Whether the source is sent without encoding.
    var isUnencoded: Bool { self.header.transferEncoding?.isIdentity ?? true }

    /// The source as it is sent, in the header's transfer encoding.
    var content: BodySource {
        guard let encoding = self.header.transferEncoding, !encoding.isIdentity else { return self.source }
        return BodySource(.encoded(self.source, encoding))
    }
}
