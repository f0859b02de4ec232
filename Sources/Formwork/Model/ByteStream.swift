import FormworkCore

/// A pull stream: the source of a part's content, or a whole body.
///
/// A type that holds a resource releases it in its deinit.
public protocol ByteStream {
    /// Writes the next bytes into `buffer`. It may block until there are some.
    /// - Returns: The number of bytes written, at most the buffer's size; 0 at the end, and for every later call.
    mutating func read(into buffer: inout MutableRawSpan) throws -> Int
}
