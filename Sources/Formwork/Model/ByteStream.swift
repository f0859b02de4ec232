import FormworkCore

/// A pull stream that a body part is read from, or that a body is read as.
///
/// A type that holds a resource lets it go when it goes itself.
public protocol ByteStream {
    /// Writes the next bytes into `buffer`; it may wait for them.
    /// - Returns: How many bytes were written, at most the buffer's; 0 at the end, and then always.
    mutating func read(into buffer: inout MutableRawSpan) throws -> Int
}
