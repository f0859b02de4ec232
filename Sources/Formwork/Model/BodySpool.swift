import FormworkCore
import FormworkSystem
import SystemPackage

/// A stream collected in an unlinked temporary file, so that it has a length and can be read again.
///
/// ```swift
/// let spool = try BodySpool(collecting: input)
/// var form = FormData()
/// form.append(name: "dump", source: spool.source, filename: "dump.sql")
/// let plan = try form.plan()
/// print(plan.contentLength ?? 0, plan.isReplayable)
/// ```
///
/// It uses disk, not memory: as many bytes as the stream has, in `$TMPDIR` or the given folder. The file has no name,
/// so nothing is left of it after a crash. It lives as long as the spool, a source of it, or a plan with such a source.
/// Any number of readers may read it at once.
///
/// A spool isn't needed for files, which have a length themselves. To upload a body with a stream to a server that
/// requires a length, use ``UploadOptions/Length/fixed`` instead, which collects a short body in memory.
public final class BodySpool: Sendable {
    let descriptor: FileDescriptor
    /// The number of bytes collected.
    public let count: Int64
    /// The file of which this is a snapshot; `nil` for a collected stream.
    let original: FilePath?

    /// Takes over a file without a name.
    init(_ file: (descriptor: FileDescriptor, count: Int64), of original: FilePath? = nil) {
        (self.descriptor, self.count) = file
        self.original = original
    }

    deinit { try? SystemCalls.close(self.descriptor) }

    /// The collected bytes, as a source that can be read any number of times.
    public var source: BodySource { self.source(0, self.count) }

    /// A slice of the collected bytes.
    func source(_ offset: Int64, _ length: Int64) -> BodySource {
        BodySource(.descriptor(.init(self.descriptor, offset: offset, length: length, keeping: self)))
    }
}
