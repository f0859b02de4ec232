extension Collection<UInt8> {
    /// The bytes of a percent-encoded text (RFC 3986 §2.1).
    /// - Parameter isLoose: Whether a `%` that begins no escape stays. Otherwise the result is `nil`.
    package func percentDecoded(isLoose: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = self[...]
        while let byte = rest.popFirst() {
            let digits = byte == 0x25 ? rest.prefix(2).compactMap(\.hexDigit) : []
            if digits.count == 2 {
                bytes.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else if byte == 0x25, !isLoose {
                return nil
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
