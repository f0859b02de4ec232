extension UInt8 {
    /// The lower-case letter for an upper-case ASCII letter; otherwise the byte itself.
    package var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension StringProtocol {
    /// The bytes, with A to Z in lower case: for words of a grammar in text from outside.
    ///
    /// `lowercased().hasPrefix("boundary=")` compares Characters. With a combining mark after the `=`, that is another
    /// Character, but the same word for every peer.
    package var asciiLowercased: [UInt8] { self.utf8.map(\.asciiLowercased) }
}
