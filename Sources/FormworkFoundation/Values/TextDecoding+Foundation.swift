import Formwork
import Foundation

extension TextDecoding {
    /// The charsets of ``standard`` and those that Foundation reads: Latin 2, the windows-125x, UTF-16 and UTF-32,
    /// KOI8-R, Shift_JIS, ISO-2022-JP, GB 18030, GBK, GB 2312, Big5 and EUC-KR, and on Apple's systems EUC-JP. UTF-7 is
    /// never read.
    public static let foundation = TextDecoding { charset in
        // Foundation on Linux has names for encodings that it can't read.
        guard let encoding = String.Encoding(ianaCharset: charset), encoding != .macOSRoman,
            "a".data(using: encoding) != nil
        else { return nil }
        return { String(data: Data($0), encoding: encoding) }
    }
}
