import Formwork

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Data: BodyChunk {
    /// Data of these bytes.
    public init(copying bytes: ArraySlice<UInt8>) { self.init(bytes) }

    /// Lends the bytes.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(self.bytes) }

    /// The bytes at these places, counted from 0, without copying them.
    public func content(_ range: Range<Int>) -> Data {
        self[self.startIndex + range.lowerBound..<self.startIndex + range.upperBound]
    }
}
