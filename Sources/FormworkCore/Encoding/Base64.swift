/// RFC 4648 §4 base64, for bytes inside descriptions.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        var encoder = Base64Encoder(columns: nil)
        var text: [UInt8] = []
        encoder.encode(bytes, isEnd: true, into: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` if `text` is not padded base64 of whole bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var held = 0
        var padding = 0
        for byte in text.utf8 {
            if byte == 0x3D {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: byte) else { return nil }
            bits = bits << 6 | value
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        return padding <= 2 && held == 2 * padding && bits & (1 << UInt32(held) - 1) == 0 ? bytes : nil
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case 0x41...0x5A: UInt32(byte) - 0x41
        case 0x61...0x7A: UInt32(byte) - 0x61 + 26
        case 0x30...0x39: UInt32(byte) - 0x30 + 52
        case 0x2B: 62
        case 0x2F: 63
        default: nil
        }
    }
}
