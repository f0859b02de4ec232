import FormworkFoundation
import Foundation

/// An `InputStream` as a pull stream, opened at its first read.
///
/// SAFETY of `@unchecked Sendable`: `InputStream` isn't marked. A stream that was appended to a form belongs to the form, and only
/// one reader at a time reads it.
final class InputStreamBytes: ByteStream, @unchecked Sendable {
    private let stream: InputStream
    /// Bytes read so far.
    var count: UInt64 = 0

    init(_ stream: InputStream) { self.stream = stream }

    deinit { self.close() }

    func read(into buffer: inout MutableRawSpan) throws -> Int { try self.read(into: &buffer, upTo: .max) }

    func read(into buffer: inout MutableRawSpan, upTo limit: Int) throws -> Int {
        if self.stream.streamStatus == .notOpen { self.stream.open() }
        // A closed stream stays closed: Foundation can't open it again.
        guard self.stream.streamStatus != .closed else { return 0 }
        let count = self.stream.read(into: &buffer, upTo: limit)
        // On Linux `streamError` traps in every other status.
        if self.stream.streamStatus == .error, let error = self.stream.streamError { throw error }
        guard count >= 0 else { throw CocoaError(.fileReadUnknown) }
        self.count += UInt64(count)
        return count
    }

    /// Closes the stream if it was opened.
    func close() {
        if self.stream.streamStatus != .notOpen, self.stream.streamStatus != .closed { self.stream.close() }
    }
}

/// The beginning of a stream, which is the part that Alamofire writes to disk if the stream is longer than declared.
struct InputStreamPrefix: ByteStream {
    let stream: InputStreamBytes
    var remaining: UInt64

    mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
        guard self.remaining > 0 else { return 0 }
        let limit = min(buffer.byteCount, Int(clamping: self.remaining))
        let count = try self.stream.read(into: &buffer, upTo: limit)
        guard count <= limit else {
            throw FormworkError(
                .sourceUnavailable, "a stream returned a count of \(count) for a buffer of \(limit, "byte")")
        }
        self.remaining -= UInt64(count)
        return count
    }
}
