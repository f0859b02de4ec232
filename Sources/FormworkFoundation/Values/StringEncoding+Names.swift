import Formwork
import Foundation

extension String.Encoding {
    /// GB 18030, for which Foundation has no constant.
    public static let gb18030 = String.Encoding(coreFoundation: 0x0632)
    /// GBK, as in Windows.
    public static let gbk = String.Encoding(coreFoundation: 0x0421)
    /// Simplified Chinese in EUC: GB 2312.
    public static let gb2312 = String.Encoding(coreFoundation: 0x0930)
    /// Big 5.
    public static let big5 = String.Encoding(coreFoundation: 0x0A03)
    /// Korean in EUC.
    public static let eucKR = String.Encoding(coreFoundation: 0x0940)
    /// Russian in KOI8-R.
    public static let koi8R = String.Encoding(coreFoundation: 0x0A02)

    /// Creates an encoding from a CoreFoundation number, such as `kCFStringEncodingGB_18030_2000`. Not every system can
    /// write all of them.
    init(coreFoundation number: UInt32) { self.init(rawValue: 0x8000_0000 | UInt(number)) }

    /// The encoding's IANA name, in lower case as AFNetworking writes it after `charset=`; `nil` if this package
    /// doesn't know it.
    package var ianaCharset: String? { Self.charsets[self] }

    /// The encoding for a lower-case name from ``ianaCharset``, or one of its aliases in forms; `nil` for other names.
    init?(ianaCharset name: String) {
        let name = Self.aliases[name] ?? name
        guard let encoding = Self.charsets.first(where: { $0.value == name })?.key else { return nil }
        self = encoding
    }

    /// The WHATWG labels that senders use.
    private static let aliases = [
        "sjis": "shift_jis", "shift-jis": "shift_jis", "windows-31j": "shift_jis", "x-sjis": "shift_jis",
        "latin2": "iso-8859-2", "cp1250": "windows-1250", "cp1251": "windows-1251", "cp1253": "windows-1253",
        "cp1254": "windows-1254", "koi8": "koi8-r", "x-gbk": "gbk", "big5-hkscs": "big5", "ks_c_5601-1987": "euc-kr",
        "unicode": "utf-16",
    ]

    private static let charsets: [String.Encoding: String] = [
        .utf8: "utf-8", .ascii: "us-ascii", .isoLatin1: "iso-8859-1", .isoLatin2: "iso-8859-2",
        .utf16: "utf-16", .utf16BigEndian: "utf-16be", .utf16LittleEndian: "utf-16le",
        .utf32: "utf-32", .utf32BigEndian: "utf-32be", .utf32LittleEndian: "utf-32le",
        .windowsCP1250: "windows-1250", .windowsCP1251: "windows-1251", .windowsCP1252: "windows-1252",
        .windowsCP1253: "windows-1253", .windowsCP1254: "windows-1254", .macOSRoman: "macintosh",
        .shiftJIS: "shift_jis", .japaneseEUC: "euc-jp", .iso2022JP: "iso-2022-jp",
        .gb18030: "gb18030", .gbk: "gbk", .gb2312: "gb2312", .big5: "big5", .eucKR: "euc-kr", .koi8R: "koi8-r",
    ]
}

extension URLEncodedDialect.Transcoding {
    /// Uses an encoding of Foundation, without loss: text that it can't represent is an error.
    ///
    /// As Foundation writes it, each name and value in `.utf16` or `.utf32` begins with a byte-order mark. Those with an
    /// order, such as `.utf16LittleEndian`, have none. Browsers send UTF-8 instead of any of them (WHATWG Encoding).
    public init(_ encoding: String.Encoding) {
        self.init(name: encoding.ianaCharset ?? encoding.description) { text in
            text.data(withoutLossIn: encoding).map { Array($0) }
        }
    }
}

extension String {
    /// The text in an encoding; `nil` if the encoding can't represent all of it.
    ///
    /// Foundation on Linux leaves out invisible characters, such as joiners, or searches for them without end. In
    /// Shift_JIS it exchanges control characters.
    package func data(withoutLossIn encoding: String.Encoding) -> Data? {
        switch encoding {
        case .utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian:
            return self.data(using: encoding)
        case .macOSRoman:
            // Foundation on Linux crashes on some of its characters.
            let bytes = self.unicodeScalars.compactMap { scalar in
                scalar.isASCII ? UInt8(scalar.value) : Self.macRoman.firstIndex(of: scalar).map { UInt8(0x80 + $0) }
            }
            return bytes.count == self.unicodeScalars.count ? Data(bytes) : nil
        default: break
        }
        for scalar in Set(self.unicodeScalars.filter(\.properties.isDefaultIgnorableCodePoint)) {
            guard let data = String(scalar).data(using: encoding), !data.isEmpty else { return nil }
        }
        guard let data = self.data(using: encoding), let read = String(data: data, encoding: encoding),
            read.unicodeScalars.elementsEqual(self.unicodeScalars)
        else { return nil }
        return data
    }

    /// The characters of Mac OS Roman from 0x80 on: <https://unicode.org/Public/MAPPINGS/VENDORS/APPLE/ROMAN.TXT>.
    private static let macRoman = Array(
        """
        ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈\
        ∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ
        """.unicodeScalars)
}

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
