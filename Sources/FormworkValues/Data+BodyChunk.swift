import Formwork

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Data: BodyChunk {
    /// Creates data with these bytes.
    public init(copying bytes: ArraySlice<UInt8>) { self.init(bytes) }

    /// Calls a closure with the bytes.
    public func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(self.bytes) }

    /// The bytes in a range, counted from 0, without copying them.
    public func content(_ range: Range<Int>) -> Data {
        self[self.startIndex + range.lowerBound..<self.startIndex + range.upperBound]
    }
}
