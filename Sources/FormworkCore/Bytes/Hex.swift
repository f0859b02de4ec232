/// Bytes as hexadecimal digits, two for each.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// In lower case, as `sha256sum` prints a digest.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [self.digits[Int($0 >> 4)], self.digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
