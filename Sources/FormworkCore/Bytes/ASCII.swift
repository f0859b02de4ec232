extension UInt8 {
    /// 0 to 9.
    @inlinable package var isDigit: Bool { (0x30...0x39).contains(self) }
    /// A to Z, and a to z.
    @inlinable package var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    @inlinable package var isLetterOrDigit: Bool { self.isLetter || self.isDigit }

    /// The value of a hexadecimal digit; `nil` for another byte.
    package var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46, 0x61...0x66: (self | 0x20) - 0x57
        default: nil
        }
    }

    /// The lower-case letter for an upper-case ASCII letter; otherwise the byte itself.
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}

extension StringProtocol {
    /// The bytes, with A to Z in lower case: for words of a grammar in text from outside.
    ///
    /// `lowercased().hasPrefix("boundary=")` compares Characters. With a combining mark after the `=`, that is another
    /// Character, but the same word for every peer.
    package var asciiLowercased: [UInt8] { self.utf8.map(\.asciiLowercased) }
}

extension BidirectionalCollection<UInt8> {
    /// Without the spaces and tabs at both ends, which aren't part of a field's value (RFC 9110 §5.5).
    package var trimmingBlanks: SubSequence {
        let rest = self.drop(while: \.isBlank)
        return rest.lastIndex { !$0.isBlank }.map { rest[...$0] } ?? rest
    }
}

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

/// Bytes as hexadecimal digits, two for each.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// In lower case, as `sha256sum` prints a digest.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [self.digits[Int($0 >> 4)], self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
