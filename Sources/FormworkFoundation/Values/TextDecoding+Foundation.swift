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
        return { String(data: Data($0), encoding: encoding) }
    }
}
