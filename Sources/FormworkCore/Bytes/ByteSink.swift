/// Where framing is written: bytes are kept, or only counted, by one and the same routine.
///
/// A length that is counted by the code that writes can't disagree with what is written.
package protocol ByteSink {
    mutating func write(_ text: String)
    mutating func write(_ bytes: [UInt8])
    mutating func write(_ byte: UInt8)
}

extension [UInt8]: ByteSink {
    @inline(__always) package mutating func write(_ text: String) { self.append(contentsOf: text.utf8) }
    @inline(__always) package mutating func write(_ bytes: [UInt8]) { self.append(contentsOf: bytes) }
    @inline(__always) package mutating func write(_ byte: UInt8) { self.append(byte) }
}

/// Counts what would be written.
package struct ByteCounter: ByteSink {
    package private(set) var count: Int64 = 0

    package init() {}
    @inline(__always) package mutating func write(_ text: String) { self.count += Int64(text.utf8.count) }
    @inline(__always) package mutating func write(_ bytes: [UInt8]) { self.count += Int64(bytes.count) }
    @inline(__always) package mutating func write(_ byte: UInt8) { self.count += 1 }
}
