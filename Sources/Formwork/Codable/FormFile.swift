import FormworkURLEncoded

/// A file in a type that is decoded from a form or encoded into one.
///
/// ```swift
/// struct Profile: Codable {
///     var title: String
///     var photo: FormFile?
/// }
/// ```
///
/// Only ``FormDataEncoder`` and ``FormDataDecoder`` can code it. With other coders it throws.
public struct FormFile: Codable, Sendable {
    /// The file's name as the sender wrote it. Don't trust it: see ``SafeFilename``. `nil` is sent as an empty name.
    public var filename: String?
    /// The content's type as the sender wrote it; `nil` if there is none. It is then found by name when the file is
    /// sent.
    public var contentType: String?
    /// Where the content comes from.
    public var source: BodySource

    /// The number of bytes. It is known for a received file; `nil` where a file or a stream would have to be looked at.
    public var count: Int64? { self.source.knownCount }
    /// ``filename`` made safe for a folder, see ``SafeFilename``; `nil` if nothing is left of it.
    public var safeFilename: String? { self.filename.flatMap { SafeFilename($0)?.text } }

    /// Describes a file.
    public init(filename: String?, contentType: String? = nil, source: BodySource) {
        (self.filename, self.contentType, self.source) = (filename, contentType, source)
    }

    /// A part of a collected form.
    public init(_ entry: ReceivedForm.Entry) {
        self.init(filename: entry.filename, contentType: entry.contentType, source: entry.content.source)
    }

    /// Reads the content into memory. Disks are read on a separate thread.
    /// - Throws: What ``BodySource/bytes(upTo:)`` throws.
    public func bytes(upTo limit: Int) async throws -> [UInt8] { try await self.source.bytes(upTo: limit) }

    /// Writes the content to a file on a separate thread. The file appears only when it is complete.
    /// - Parameters:
    ///   - path: The file to create.
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The number of bytes written.
    /// - Throws: What ``BodySource/write(toFile:replacing:durably:)`` throws.
    @discardableResult
    public func write(toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false) async throws
        -> Int64
    {
        try await self.source.write(toFile: path, replacing: replacing, durably: durably)
    }

    /// Writes the content to a new file in a folder, under ``filename`` made safe: `a.txt`, or `a (1).txt` if that
    /// exists. If anything fails, no file is left.
    /// - Parameters:
    ///   - folder: The folder. It is created if only its last component is missing.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The file's path.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what reading the content throws.
    @discardableResult
    public func write(into folder: some PathConvertible, durably: Bool = false) async throws -> FilePath {
        try await self.source.write(
            into: folder, as: SafeFilename(self.filename, orField: nil), durably: durably)
    }

    /// Always throws: only ``FormDataDecoder`` decodes files.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "Only FormDataDecoder can decode a FormFile."))
    }

    /// Always throws: only ``FormDataEncoder`` encodes files.
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self,
            .init(codingPath: encoder.codingPath, debugDescription: "Only FormDataEncoder can encode a FormFile."))
    }
}

extension FormFile: CustomStringConvertible {
    /// The file without its content: `file (beach.jpg, image/jpeg), 90210 bytes`.
    public var description: String {
        "\(Summary.file(filename: self.filename, contentType: self.contentType)), \(self.source)"
    }
}

extension FormFile: ValueDecodable {
    package static func read(_ decoder: ValueDecoder) throws -> FormFile {
        guard let form = decoder.leaves as? FormLeaves else { return try FormFile(from: decoder) }
        return try form.file(decoder)
    }
}
