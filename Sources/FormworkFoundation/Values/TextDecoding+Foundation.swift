import Formwork
import Foundation

extension TextDecoding {
    /// The charsets of ``TextDecoding/standard`` and those that Foundation can decode: Latin 2, windows-125x, UTF-16 and
    /// UTF-32, KOI8-R, Shift_JIS, ISO-2022-JP, GB 18030, GBK, GB 2312, Big5 and EUC-KR, and on Apple's systems EUC-JP.
    /// UTF-7 is never decoded.
    public static let foundation = TextDecoding { charset in
        // Foundation on Linux has constants for encodings that it can't decode.
        guard let encoding = String.Encoding(ianaCharset: charset), encoding != .macOSRoman,
            "a".data(using: encoding) != nil
        else { return nil }
        // Foundation on Linux leaves out the last bytes if they aren't a whole code unit.
        let unit = encoding.unitBytes
        return { $0.count % unit == 0 ? String(data: Data($0), encoding: encoding) : nil }
    }
}

extension String.Encoding {
    /// The number of bytes of a code unit.
    fileprivate var unitBytes: Int {
        switch self {
        case .utf16, .utf16BigEndian, .utf16LittleEndian: 2
        case .utf32, .utf32BigEndian, .utf32LittleEndian: 4
        default: 1
        }
    }
}
