/// A piece of a body as its source gives it: bytes in one place, and a way to share a stretch of them.
///
/// `[UInt8]` and `ArraySlice<UInt8>` are chunks; the buffer type of a networking library becomes one by conforming.
public protocol BodyChunk: Sendable {
    /// A stretch of a chunk, which shares its storage.
    associatedtype Content: BodyChunk where Content.Content == Content

    /// A chunk with these bytes.
    init(copying bytes: ArraySlice<UInt8>)

    /// Lends the bytes.
    func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result

    /// The bytes at these places, counted from 0, without copying them.
    func content(_ range: Range<Int>) -> Content
}

extension BodyChunk {
    /// Bytes in it.
    @inlinable public var byteCount: Int { self.withBytes { $0.byteCount } }

    /// A copy of the bytes.
    package var array: [UInt8] { self.withBytes { [UInt8](copying: $0, 0..<$0.byteCount) } }
}

extension [UInt8]: BodyChunk {
    /// An array of these bytes.
    @inlinable public init(copying bytes: ArraySlice<UInt8>) { self = Array(bytes) }

    /// Lends the bytes.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: reading a span's bytes as bytes.
        try body(unsafe self.span.bytes)
    }

    /// The bytes at these places, counted from 0, without copying them.
    @inlinable public func content(_ range: Range<Int>) -> ArraySlice<UInt8> { self[range] }
}

extension ArraySlice<UInt8>: BodyChunk {
    /// The slice itself.
    @inlinable public init(copying bytes: ArraySlice<UInt8>) { self = bytes }

    /// Lends the bytes.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: reading a span's bytes as bytes.
        try body(unsafe self.span.bytes)
    }

    /// The bytes at these places, counted from 0, without copying them.
    @inlinable public func content(_ range: Range<Int>) -> ArraySlice<UInt8> {
        self[self.startIndex + range.lowerBound..<self.startIndex + range.upperBound]
    }
}
