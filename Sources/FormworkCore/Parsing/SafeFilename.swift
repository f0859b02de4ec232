/// A received filename made fit to be created in a folder of the receiver's, on any file system.
///
/// What is left is one path component: directories cut off, no control characters, no characters that some system
/// gives a meaning, no name of a device, no dot or blank at either end. It can still be the name of a file that is
/// there already, so a receiver picks names of its own or creates files exclusively. Letters are composed (Unicode NFC),
/// so that the two spellings of an accented letter, which macOS and others send, are one file.
public struct SafeFilename: Hashable, Sendable, CustomStringConvertible {
    /// The name, 1 to `limit` bytes of UTF-8.
    public let text: String

    /// Makes a name safe.
    /// - Parameter limit: Bytes it may have, 1 or more; an extension of up to 16 bytes is kept when the name is cut.
    /// - Returns: `nil` when nothing is left of it: `..`, `/`, an empty name.
    public init?(_ filename: String, limit: Int = 255) {
        var scalars = String.UnicodeScalarView()
        // The last component for both separators: IE sent `C:\path\name`, and a name made here may travel on.
        for scalar in filename.unicodeScalars {
            switch scalar {
            case "/", "\\": scalars.removeAll()
            // A drive's letter, or a stream behind the name: `a:b`, `name.txt:stream`, `name::$DATA`.
            case ":":
                if scalars.count == 1, scalars.allSatisfy(\.isLetter) {
                    scalars.removeAll()
                } else {
                    scalars.append("_")
                }
            case "<", ">", "\"", "|", "?", "*": scalars.append("_")
            default: if !scalar.isInvisible { scalars.append(scalar) }
            }
        }
        // Underscored, but public in the standard library and its ABI, and the only NFC without Foundation.
        let composed = String(decoding: String(scalars)._nfcCodeUnits, as: UTF8.self)
        var name = Self.trimmed(Self.cut(Self.trimmed(composed), limit))
        guard !name.isEmpty else { return nil }
        if Self.isReserved(name) { name = Self.trimmed(Self.cut("_\(name)", limit)) }
        self.text = name
    }

    /// The name itself.
    public var description: String { self.text }

    /// The name with words in front of its extension, to tell it from others: `a.txt` as `a (1).txt`. Cut, where it has
    /// to be, so that the whole has the 255 bytes that file systems take.
    package func inserting(_ words: String) -> String {
        // A dot in front begins no extension; a safe name has none there.
        let dot = self.text.lastIndex(of: ".") ?? self.text.endIndex
        var (stem, suffix) = (self.text[..<dot], self.text[dot...])
        if suffix.utf8.count + words.utf8.count >= 255 { (stem, suffix) = (self.text[...], "") }
        while stem.utf8.count + words.utf8.count + suffix.utf8.count > 255, !stem.isEmpty { stem.removeLast() }
        return stem + words + suffix
    }

    private static func trimmed(_ name: String) -> String {
        var rest = Substring(name).unicodeScalars
        while let first = rest.first, first == "." || first.properties.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last == "." || last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// The name without Characters from the end of what stands before its extension, so that `limit` bytes are enough.
    private static func cut(_ name: String, _ limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let suffix = name[dot...]
        let kept = suffix.utf8.count <= min(16, limit - 1) ? suffix : ""
        var stem = ""
        var room = limit - kept.utf8.count
        for character in kept.isEmpty ? Substring(name) : name[..<dot] {
            room -= character.utf8.count
            guard room >= 0 else { break }
            stem.append(character)
        }
        return stem + kept
    }

    /// Names that Windows takes for devices, whatever extension they have.
    private static func isReserved(_ name: String) -> Bool {
        var stem = name.prefix { $0 != "." }.uppercased()
        while stem.last == " " { stem.removeLast() }
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(stem) { return true }
        let digits: Set<Character> = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"]
        return stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && digits.contains(stem.last ?? " ")
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

    /// Controls, separators of lines, direction marks and other format characters, lone surrogates' stand-ins,
    /// and what is unassigned as a character for good: nothing a person sees in a name. The joiners stay.
    fileprivate var isInvisible: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: self.value != 0x200C && self.value != 0x200D
        default: self.properties.isNoncharacterCodePoint
        }
    }
}
