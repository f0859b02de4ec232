import FormworkCore
import SystemPackage

/// A stream collected in an unlinked temporary file, so that it has a length and can be read again.
///
/// It takes disk, not memory. The file lives as long as the spool, a source of it, or a plan with such a source.
public final class BodySpool: Sendable {
    let descriptor: FileDescriptor
    /// Bytes collected.
    public let count: Int64
    /// The file that this is a snapshot of; `nil` for what was a stream.
    let original: FilePath?

    /// Collects a descriptor up to its end.
    /// - Parameters:
    ///   - input: Read to its end; it stays the caller's.
    ///   - folder: Where the file is made; `$TMPDIR`, or else `/tmp`, unless said otherwise.
    /// - Throws: `sourceUnavailable` when the input can't be read, `writeFailed` when the disk is full.
    public init(collecting input: FileDescriptor, in folder: FilePath? = nil) throws(FormworkError) {
        let folder = folder ?? Self.usualFolder
        self.original = nil
        self.descriptor = try FormworkError.writing(folder) { () throws(Errno) in
            try SystemCalls.openTemporary(in: folder)
        }
        // An exact copy of the descriptor as the only piece: the writer's paths and errors are the body's own.
        let reader = BodyReader(try BodyPlan(copying: .descriptor(input)), options: ReaderOptions())
        do throws(FormworkError) {
            self.count = try reader.write(to: self.descriptor)
        } catch {
            try? SystemCalls.close(self.descriptor)
            guard error.code == .writeFailed else { throw error }
            throw FormworkError(
                .writeFailed, "a temporary file for the content can't be written in this folder", path: folder.string,
                cause: error.cause)
        }
    }

    /// Collects the rest of a body behind bytes of it that were read already.
    /// - Throws: What the reader throws, and `writeFailed`. No file is left then.
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

    /// What was collected, as a source that can be read any number of times.
    public var source: BodySource { self.source(0, self.count) }

    /// A stretch of what was collected.
    func source(_ offset: Int64, _ length: Int64) -> BodySource {
        BodySource(.descriptor(.init(self.descriptor, offset: offset, length: length, keeping: self)))
    }
}
