/// A form that has arrived completely, with fields in memory and large files in one unnamed file on disk.
///
/// ```swift
/// let form = try await ReceivedForm(collecting: ReceivedParts(body, contentType: contentType))
/// print(form["title"] ?? "untitled", form.files(named: "photo").count)
/// let profile = try form.decode(Profile.self)
/// ```
///
/// ``CollectingLimits`` decides how much stays in memory: fields always do, files up to a size. The unnamed file needs
/// one descriptor for any number of files, and other processes can't access it. It is removed with the last copy of the
/// form, of a content, or of a source made from one. If collecting fails, no file is left.
///
/// It is a collection of its parts in the order of the body; several may have the same name. It is an immutable value that
/// threads may share. Finding a name takes time linear in the number of parts.
public struct ReceivedForm: Sendable {
    /// A part with all of its content.
    public struct Entry: Sendable {
        private let parts: CollectedParts
        private let index: Int

        init(_ parts: CollectedParts, _ index: Int) { (self.parts, self.index) = (parts, index) }

        /// The part's header section.
        public var header: ReceivedHeader { self.parts.header(self.index) }
        /// The part's content.
        public var content: CollectedContent { self.parts.content(self.index) }

        /// The field's name; `nil` if there is none, which the profile of `multipart/mixed` allows.
        public var name: String? { self.parts.name(self.index) }
        /// The file's name as the sender wrote it; `nil` for a field. Don't trust it, see
        /// ``ReceivedHeader/safeFilename``.
        public var filename: String? { self.header.filename }
        /// Whether the part is a file.
        public var isFile: Bool { self.parts.isFile(self.index) }
        /// Whether the part is an empty file control: a file without name and content, which browsers send if no file
        /// is chosen.
        public var isEmptyFileControl: Bool { self.parts.isEmptyFileControl(self.index) }
        /// The content's type as the sender wrote it. `nil`, for none, means `text/plain`.
        public var contentType: String? { self.header.contentType }
        /// The charset that the part declares, or the form with a field `_charset_`, in lower case. `nil`, for none,
        /// means UTF-8.
        public var charset: String? { self.header.charset ?? self.parts.charset }

        /// Writes the content to a new file in a folder, see ``FormFile/write(into:durably:)``.
        /// - Returns: The file's path.
        @discardableResult
        public func write(into folder: some PathConvertible, durably: Bool = false) async throws -> FilePath {
            try await self.content.source.write(
                into: folder, as: SafeFilename(self.filename, orField: self.name), durably: durably)
        }

        /// A field's content as text in its charset; `nil` for a file. If it isn't valid, or ``TextDecoding/standard``
        /// doesn't include the charset, it is decoded as UTF-8 and repaired.
        public var text: String? {
            if let text = self.parts.plainText(self.index) { return text }
            return self.isFile ? nil : self.content.inMemory.map { TextDecoding.standard.repaired($0, self.charset) }
        }

        /// Whether this is the field's name, compared byte for byte.
        fileprivate func isNamed(_ name: String) -> Bool { self.parts.isNamed(self.index, name) }

        /// A field's content as text.
        /// - Parameter decoding: The accepted charsets.
        /// - Throws: ``FormworkError/Code/malformedBody`` for another charset, and for bytes that are invalid in their
        ///   charset; ``FormworkError/Code/invalidArgument`` for a file.
        public func text(in decoding: TextDecoding) throws(FormworkError) -> String {
            if let text = self.parts.plainText(self.index) { return text }
            guard !self.isFile, let bytes = self.content.inMemory else {
                throw FormworkError(.invalidArgument, "This part is a file, not a text field")
            }
            return try decoding.text(bytes, self.charset)
        }
    }

    let parts: CollectedParts

    /// Collects all parts of a body, or those after the parts that were requested already.
    /// - Throws: What iterating throws, ``FormworkError/Code/limitExceeded`` for fields that need more memory than
    ///   `limits` allows, and ``FormworkError/Code/writeFailed`` if a file can't be stored on disk.
    @inlinable
    public init<Chunks>(
        collecting parts: ReceivedParts<Chunks>, limits: CollectingLimits = CollectingLimits()
    ) async throws {
        self = try await parts.reader.collectForm(limits)
    }

    init(_ parts: CollectedParts) { self.parts = parts }

    /// The text of the first field of that name; `nil` if there is none.
    public subscript(name: String) -> String? {
        for entry in self where entry.isNamed(name) {
            if let text = entry.text { return text }
        }
        return nil
    }

    /// All parts of that name, compared byte for byte, in their order.
    public func entries(named name: String) -> [Entry] { self.filter { $0.isNamed(name) } }

    /// The texts of all fields of that name, in their order.
    public func texts(named name: String) -> [String] { self.entries(named: name).compactMap(\.text) }

    /// All files of that name, in their order. An empty file control is a file without filename and content.
    public func files(named name: String) -> [Entry] { self.entries(named: name).filter(\.isFile) }
}

/// The parts, in the order of the body.
extension ReceivedForm: RandomAccessCollection {
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of parts.
    public var endIndex: Int { self.parts.count }
    /// The part with this number, from 0.
    public subscript(index: Int) -> Entry { self.parts.entry(index) }
}

extension ReceivedForm: CustomStringConvertible {
    /// The form without its content: `2 parts: field "title", 12 bytes; file "photo" (beach.jpg), 90210 bytes`.
    public var description: String {
        Summary.text(self.map(\.description))
    }
}

extension ReceivedForm.Entry: CustomStringConvertible {
    /// The part without its content: `file "photo" (beach.jpg), 90210 bytes`.
    public var description: String {
        Summary.line(
            name: self.name, filename: self.isFile ? self.filename ?? "" : nil, contentType: self.contentType)
            + ", \(self.content)"
    }
}

extension CollectedContent: CustomStringConvertible {
    /// The content's size: `90210 bytes`.
    public var description: String { "\(self.count, "byte")" }
}

extension ReceivedForm {
    /// The form as a body again: each part's header section as it was received, then its content.
    /// - Parameter boundary: The boundary that the form was received with. So no content contains a delimiter.
    package func body(between boundary: some Sequence<UInt8>) throws(FormworkError) -> BodyPlan {
        let delimiter = Array("--".utf8) + boundary
        let lineEnd: [UInt8] = [0x0D, 0x0A]
        var pieces: [BodySource] = []
        var framing: [UInt8] = []
        for entry in self {
            framing += delimiter + lineEnd + entry.header.bytes + lineEnd
            pieces += [.bytes(framing), entry.content.source]
            framing = lineEnd
        }
        pieces.append(.bytes(framing + delimiter + Array("--\r\n".utf8)))
        return try BodyPlan(copying: .concatenation(pieces))
    }
}
