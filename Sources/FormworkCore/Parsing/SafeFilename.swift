/// A received filename, made safe for creating a file in a folder on any file system.
///
/// It is one path component, without folders, control characters, characters with a special meaning on some system,
/// names of devices, and dots or blanks at either end. A name that begins with a hyphen gets `_` in front, because
/// programs read such a word as an option: `rm *`. A file with this name may already exist, so choose other names
/// or create files exclusively. Letters are composed (Unicode NFC), so that the two spellings of an accented letter, as
/// sent by macOS and others, are one file.
public struct SafeFilename: Hashable, Sendable, CustomStringConvertible {
    /// The name, 1 to `limit` bytes of UTF-8.
    public let text: String

    /// Makes a name safe.
    /// - Parameters:
    ///   - filename: The name as the sender wrote it.
    ///   - limit: The most bytes, 1 or more. An extension of up to 16 bytes is kept if the name is cut.
    /// - Returns: `nil` if nothing is left of it: `..`, `/`, a drive's letter (`C:`), an empty name.
    public init?(_ filename: String, limit: Int = 255) {
        let start = filename.unicodeScalars.prefix(3)
        guard start.count != 2 || start.last != ":" || start.first?.isLetter != true else { return nil }
        var scalars = String.UnicodeScalarView()
        // The last component for both separators: IE sent `C:\path\name`, and the name may be used on another system.
        for scalar in filename.unicodeScalars {
            switch scalar {
            case "/", "\\": scalars.removeAll()
            // For Windows a colon follows a drive's letter, or comes before a stream: `a:b`, `name.txt:stream`.
            case ":", "<", ">", "\"", "|", "?", "*": scalars.append("_")
            default: if !scalar.isInvisible { scalars.append(scalar) }
            }
        }
        // Underscored, but public in the standard library and its ABI. It is the only NFC without Foundation.
        let composed = String(decoding: String(scalars)._nfcCodeUnits, as: UTF8.self)
        var name = Self.trimmed(Self.cut(Self.trimmed(composed), limit))
        guard !name.isEmpty else { return nil }
        if name.utf8.first == UInt8(ascii: "-") || Self.isReserved(name) {
            name = Self.trimmed(Self.cut("_\(name)", limit))
        }
        self.text = name
    }

    /// A name that this package makes, which may be hidden.
    package init(unchecked name: String) { self.text = name }

    /// The name itself.
    public var description: String { self.text }

    /// The name with text inserted before its extension, to make it unique: `a.txt` becomes `a (1).txt`. It is cut to
    /// the 255 bytes that file systems allow.
    package func inserting(_ words: String) -> String {
        // A leading dot doesn't begin an extension, but a safe name has none.
        let dot = self.text.start(ofSuffix: ".form.json") ?? self.text.lastIndex(of: ".") ?? self.text.endIndex
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

    /// The name, shortened before its extension to `limit` bytes: by whole Characters, or by scalars if the first Character
    /// alone is longer.
    private static func cut(_ name: String, _ limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let suffix = name[dot...]
        let kept = suffix.utf8.count <= min(16, limit - 1) ? suffix : ""
        let stem = kept.isEmpty ? Substring(name) : name[..<dot]
        let room = limit - kept.utf8.count
        var end = Self.end(of: stem, room, after: stem.index(after:))
        if end == stem.startIndex { end = Self.end(of: stem, room, after: stem.unicodeScalars.index(after:)) }
        return String(stem[..<end] + kept)
    }

    private static func end(
        of text: Substring, _ room: Int, after step: (Substring.Index) -> Substring.Index
    ) -> Substring.Index {
        var end = text.startIndex
        while end < text.endIndex {
            let next = step(end)
            guard text.utf8.distance(from: text.startIndex, to: next) <= room else { break }
            end = next
        }
        return end
    }

    /// Names that Windows takes for devices, with any extension.
    private static func isReserved(_ name: String) -> Bool {
        // Scalars: a dot with a combining mark is another Character, but the same byte.
        var stem = String(name.unicodeScalars.prefix { $0 != "." }).uppercased()
        while stem.last == " " { stem.removeLast() }
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(stem) { return true }
        let digits: Set<Character> = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"]
        return stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && digits.contains(stem.last ?? " ")
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

    /// Control characters, line separators, direction marks and other format characters, surrogates and noncharacters,
    /// which are invisible in a name. Joiners are kept.
    fileprivate var isInvisible: Bool {
        switch self.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        case .format: self.value != 0x200C && self.value != 0x200D
        default: self.properties.isNoncharacterCodePoint
        }
    }
}

extension String {
    /// Where a suffix begins that isn't all of the text; `nil` without it.
    fileprivate func start(ofSuffix suffix: String) -> Index? {
        guard self.utf8.count > suffix.utf8.count, self.hasSuffix(suffix) else { return nil }
        return self.utf8.index(self.endIndex, offsetBy: -suffix.utf8.count)
    }
}

/// A received file's path, made safe for creating the file below a folder: folders, each one safe component as in
/// ``SafeFilename``, and the file's name.
package struct SafePath: Hashable, Sendable {
    /// Outermost first; empty for a file in the receiver's folder itself.
    package var folders: [SafeFilename]
    /// The file's name.
    package var name: SafeFilename

    /// The most nested folders of a path: twice as many as source trees need.
    package static let maximumDepth = 32
    /// The most bytes of a whole path. An object's key may have 1,024, so this leaves room for a prefix.
    package static let maximumBytes = 800

    package init(_ name: SafeFilename, in folders: [SafeFilename] = []) { (self.folders, self.name) = (folders, name) }

    /// Makes a path safe. Folders of which nothing is left, such as `..`, are dropped.
    /// - Parameter limit: The most bytes of a component.
    /// - Returns: `nil` if nothing is left of its last component: `a/..` names no file, and certainly not `a`.
    package init?(_ path: String, limit: Int = 255) {
        // Both separators, as in a name; scalar by scalar, as a mark may follow a separator.
        let components = path.unicodeScalars.split { $0 == "/" || $0 == "\\" }
        guard let last = components.last, let name = SafeFilename(String(last), limit: limit) else { return nil }
        self.init(name, in: components.dropLast().compactMap { SafeFilename(String($0), limit: limit) })
    }

    /// The components with slashes between them.
    package var text: String { self.text(named: self.name.text) }

    /// The path of a file with that name in the same folder.
    package func text(named name: String) -> String { (self.folders.map(\.text) + [name]).joined(separator: "/") }

    /// Whether it is deeper or longer than allowed.
    package var isTooLong: Bool { self.folders.count > Self.maximumDepth || self.text.utf8.count > Self.maximumBytes }
}
