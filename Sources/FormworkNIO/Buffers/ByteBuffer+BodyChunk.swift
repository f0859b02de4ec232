import Formwork
import NIOCore

extension ByteBuffer: BodyChunk {
    /// Creates a buffer with these bytes.
    @inlinable
    public init(copying bytes: ArraySlice<UInt8>) { self.init(bytes: bytes) }

    /// Passes the readable bytes to a closure.
    @inlinable
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(self.readableBytesSpan) }

    /// The readable bytes in a range, counted from 0, without copying them.
    @inlinable
    public func content(_ range: Range<Int>) -> ByteBuffer {
        let slice = self.getSlice(at: self.readerIndex + range.lowerBound, length: range.count)
        precondition(slice != nil, "range outside the readable bytes")
        return slice ?? ByteBuffer()
    }
}
