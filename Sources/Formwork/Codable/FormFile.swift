import FormworkCore
import SystemPackage

/// A file in a type that is decoded from a form or encoded into one.
///
/// ```
/// struct Profile: Codable {
///     var name: String
///     var photo: FormFile?
/// }
/// ```
///
/// Other coders than ``FormDataEncoder`` and ``FormDataDecoder`` can't code it, and say so.
public struct FormFile: Codable, Sendable {
    /// The file's name as the sender wrote it, not to be trusted: see ``SafeFilename``; `nil` is sent as an empty one.
    public var filename: String?
    /// The content's type as the sender wrote it; `nil` for none, which is found by name when the file is sent.
    public var contentType: String?
    /// Where the content comes from.
    public var source: BodySource

    /// Describes a file.
    public init(filename: String?, contentType: String? = nil, source: BodySource) {
        (self.filename, self.contentType, self.source) = (filename, contentType, source)
    }

    /// A part of a collected form.
    public init(_ entry: ReceivedForm.Entry) {
        self.init(filename: entry.filename, contentType: entry.contentType, source: entry.content.source)
    }

    /// The content in memory; a disk is read on a thread of its own.
    /// - Throws: What ``BodySource/bytes(upTo:)`` throws.
    public func bytes(upTo limit: Int) async throws -> [UInt8] { try await self.source.bytes(upTo: limit) }

    /// Writes the content to a file that appears only when it is whole, on a thread of its own.
    /// - Parameters:
    ///   - path: The file to make.
    ///   - replacing: Whether a file that is there already is replaced; an error otherwise.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: Bytes written.
    /// - Throws: What ``BodySource/write(toFile:replacing:durably:)`` throws.
    @discardableResult
    public func write(toFile path: some PathConvertible, replacing: Bool = false, durably: Bool = false) async throws
        -> Int64
    {
        try await self.source.write(toFile: path, replacing: replacing, durably: durably)
    }

    /// Writes the content to a new file in a folder, under ``filename`` made safe: `a.txt`, or `a (1).txt` where that is
    /// taken. Whatever fails, nothing is left.
    /// - Parameters:
    ///   - folder: Where the file is made; it is made too if only its last component is missing.
    ///   - durably: Whether to wait until the disk has the bytes before the file gets its name.
    /// - Returns: The file.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what reading the content throws.
    @discardableResult
    public func write(into folder: some PathConvertible, durably: Bool = false) async throws -> FilePath {
        try await self.source.write(
            into: folder, as: SafeFilename(self.filename, orField: nil), durably: durably)
    }

    /// For ``FormDataDecoder`` alone.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            .init(codingPath: decoder.codingPath, debugDescription: "A file is decoded by FormDataDecoder alone."))
    }

    /// For ``FormDataEncoder`` alone.
    public func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(
            self,
            .init(codingPath: encoder.codingPath, debugDescription: "A file is encoded by FormDataEncoder alone."))
    }
}

/// A type that is one field's text in forms, whatever other coders make of it.
///
/// The standard library's texts, numbers and `Bool` need none.
public protocol FormTextConvertible {
    /// The value of a field's text; `nil` for text that is none.
    init?(formText: String)
    /// The value as a field's text.
    var formText: String { get }
}
