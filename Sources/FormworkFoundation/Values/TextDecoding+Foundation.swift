import Formwork
import Foundation

extension TextDecoding {
    /// The charsets of ``standard`` and those that Foundation reads: Latin 2, the windows-125x, UTF-16 and UTF-32, KOI8-R,
    /// Shift_JIS, EUC-JP, ISO-2022-JP, GB 18030, GBK, Big5 and EUC-KR. UTF-7 is never read.
    public static let foundation = TextDecoding { charset in
        guard let encoding = String.Encoding(ianaCharset: charset) else { return nil }
        return { String(data: Data($0), encoding: encoding) }
    }
}
