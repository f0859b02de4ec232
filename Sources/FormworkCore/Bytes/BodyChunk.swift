/// A piece of a body: contiguous bytes of which slices can be shared.
///
/// `[UInt8]` and `ArraySlice<UInt8>` are chunks; the buffer type of a networking library becomes one by conforming.
public protocol BodyChunk: Sendable {
    /// A slice of a chunk, which shares its storage.
    associatedtype Content: BodyChunk where Content.Content == Content

    /// A chunk with these bytes.
    init(copying bytes: ArraySlice<UInt8>)

    /// Calls `body` with the bytes.
    func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result

    /// The bytes in this range, counted from 0, without copying them.
    func content(_ range: Range<Int>) -> Content
}

extension BodyChunk {
    /// The number of bytes.
    @inlinable public var byteCount: Int { self.withBytes { $0.byteCount } }

    /// A copy of the bytes.
    package var array: [UInt8] { self.withBytes { [UInt8](copying: $0, 0..<$0.byteCount) } }
}

extension [UInt8]: BodyChunk {
    /// An array of these bytes.
    @inlinable public init(copying bytes: ArraySlice<UInt8>) { self = Array(bytes) }

    /// Calls `body` with the bytes.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: reading a span's bytes as bytes.
        try body(unsafe self.span.bytes)
    }

    /// The bytes in this range, counted from 0, without copying them.
    @inlinable public func content(_ range: Range<Int>) -> ArraySlice<UInt8> { self[range] }
}

extension ArraySlice<UInt8>: BodyChunk {
    /// The slice itself.
    @inlinable public init(copying bytes: ArraySlice<UInt8>) { self = bytes }

    /// Calls `body` with the bytes.
    @inlinable
    @inline(__always)
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: reading a span's bytes as bytes.
        try body(unsafe self.span.bytes)
    }

    /// The bytes in this range, counted from 0, without copying them.
    @inlinable public func content(_ range: Range<Int>) -> ArraySlice<UInt8> {
        self[self.startIndex + range.lowerBound..<self.startIndex + range.upperBound]
    }
}
