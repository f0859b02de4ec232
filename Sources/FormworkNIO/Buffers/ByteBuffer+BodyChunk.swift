#if NIO
import Formwork
import NIOCore

extension ByteBuffer: BodyChunk {
    /// A buffer with these bytes.
    public init(copying bytes: ArraySlice<UInt8>) { self.init(bytes: bytes) }

    /// Lends the readable bytes.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(self.readableBytesSpan) }

    /// The readable bytes at these places, counted from 0, without copying them.
    public func content(_ range: Range<Int>) -> ByteBuffer {
        let slice = self.getSlice(at: self.readerIndex + range.lowerBound, length: range.count)
        precondition(slice != nil, "range outside the readable bytes")
        return slice ?? ByteBuffer()
    }
}
#endif
