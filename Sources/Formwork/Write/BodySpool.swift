import FormworkCore
import SystemPackage

/// A stream collected in an unlinked temporary file, so that it has a length and can be read again.
///
/// It uses disk, not memory. The file lives as long as the spool, a source of it, or a plan with such a source.
public final class BodySpool: Sendable {
    let descriptor: FileDescriptor
    /// The number of bytes collected.
    public let count: Int64
    /// The file of which this is a snapshot; `nil` for a collected stream.
    let original: FilePath?

    /// Collects a descriptor up to its end.
    /// - Parameters:
    ///   - input: The descriptor, which the caller owns. It is read to its end.
    ///   - folder: The file's folder; `nil` for `$TMPDIR`, or `/tmp` without it.
    /// - Throws: `sourceUnavailable` if the input can't be read, `writeFailed` if the disk is full.
    public init(collecting input: FileDescriptor, in folder: FilePath? = nil) throws(FormworkError) {
        let folder = folder ?? Self.usualFolder
        self.original = nil
        self.descriptor = try FormworkError.writing(folder) { () throws(Errno) in
            try SystemCalls.openTemporary(in: folder)
        }
        // A body with the descriptor as its only piece, to use the body's fast writing and its errors.
        let reader = BodyReader(try BodyPlan(copying: .descriptor(input)), options: ReaderOptions())
        do throws(FormworkError) {
            self.count = try reader.write(to: self.descriptor)
        } catch {
            try? SystemCalls.close(self.descriptor)
            guard error.code == .writeFailed else { throw error }
            throw FormworkError(
                .writeFailed, "can't write a temporary file for the content in this folder", path: folder.string,
                cause: error.cause)
        }
    }

    /// Collects a body of which some bytes were read already.
    /// - Throws: What the reader throws, and `writeFailed`. Then no file is left.
    package convenience init(_ head: [UInt8], and rest: AsyncBodyReader, in folder: FilePath? = nil) async throws {
        let writer = FileWriter()
        try await writer.openTemporary(in: folder)
        var next: [UInt8]? = head
        while let bytes = next {
            try await writer.write(bytes)
            next = try await rest.next()
        }
        self.init(try await writer.closeTemporary())
    }

    /// Takes over a file without a name.
    init(_ file: (descriptor: FileDescriptor, count: Int64), of original: FilePath? = nil) {
        (self.descriptor, self.count) = file
        self.original = original
    }

    static var usualFolder: FilePath { FilePath(SystemCalls.environment("TMPDIR") ?? "/tmp") }

    deinit { try? SystemCalls.close(self.descriptor) }

    /// The collected bytes, as a source that can be read any number of times.
    public var source: BodySource { self.source(0, self.count) }

    /// A slice of the collected bytes.
    func source(_ offset: Int64, _ length: Int64) -> BodySource {
        BodySource(.descriptor(.init(self.descriptor, offset: offset, length: length, keeping: self)))
    }
}
