/// Media types by the end of a filename: Debian's list, with decisions that `scripts/media-types.d` gives reasons for.
///
/// The extension is what follows the last dot of the last path component, or the last two dots where that is known
/// (`tar.gz`, `d.ts`). ASCII letters match in either case. A name that only begins with dots (`.gitignore`) has no
/// extension, and neither has one that ends in a dot.
///
/// Bytes are compared, not Characters, so that no combining mark or line ending hides a dot. A lookup reads at most the
/// name's last component and, when optimized, allocates nothing.
public enum MediaTypeTable {
    /// How many extensions are known.
    public static var count: Int { self.shortExtensions.count + self.longExtensions.count / 2 }

    /// The type of a file of that name; `nil` when its extension isn't known.
    /// - Parameter filename: A name, or a path with slashes.
    @inlinable
    public static func mediaType(forFilename filename: some StringProtocol) -> String? {
        self.mediaType(forFilename: filename.bytes)
    }

    /// The type of a file of that name, and the extension that it was found by: in lower case, without its dot.
    /// - Parameter filename: A name, or a path with slashes.
    @inlinable
    public static func match(forFilename filename: some StringProtocol) -> (extension: String, mediaType: String)? {
        self.match(forFilename: filename.bytes)
    }

    /// The type for an extension without its first dot, in either case; `nil` when it isn't known.
    @inlinable
    public static func mediaType(forExtension extension: some StringProtocol) -> String? {
        self.mediaType(forExtension: `extension`.bytes)
    }

    /// The extension to name a file of that type with, without a dot; `nil` when the type isn't in the table.
    ///
    /// ``mediaType(forExtension:)`` gives the same type back.
    /// - Parameter mediaType: A type in any case; parameters (`; charset=utf-8`) don't count.
    public static func preferredExtension(for mediaType: String) -> String? {
        let name = mediaType.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        let wanted = name.lazy.map(\.asciiLowercased)
        let place = self.types.place { $0.utf8.lazy.map(\.asciiLowercased).lexicographicallyPrecedes(wanted) }
        guard place < self.types.count, self.types[place].utf8.lazy.map(\.asciiLowercased).elementsEqual(wanted) else {
            return nil
        }
        return self.extension(at: Int(self.preferredExtensions[place])).text
    }

    @usableFromInline
    static func mediaType(forFilename filename: Substring.UTF8View) -> String? {
        self.find(FilenameExtension.candidates(in: filename))?.mediaType
    }

    @usableFromInline
    static func match(forFilename filename: Substring.UTF8View) -> (extension: String, mediaType: String)? {
        self.find(FilenameExtension.candidates(in: filename)).map { ($0.extension.text, $0.mediaType) }
    }

    @usableFromInline
    static func mediaType(forExtension extension: Substring.UTF8View) -> String? {
        FilenameExtension(`extension`).flatMap { self.mediaType(for: $0) }
    }

    /// The extension at a place among the short ones or, behind them, the long ones.
    static func `extension`(at place: Int) -> FilenameExtension {
        if place < self.shortExtensions.count { return FilenameExtension(high: self.shortExtensions[place], low: 0) }
        return self.longExtension(at: place - self.shortExtensions.count)
    }

    private static func longExtension(at place: Int) -> FilenameExtension {
        FilenameExtension(high: self.longExtensions[2 * place], low: self.longExtensions[2 * place + 1])
    }

    private static func find(
        _ candidates: FilenameExtension.Candidates
    ) -> (extension: FilenameExtension, mediaType: String)? {
        if let both = candidates.lastTwo, let mediaType = self.mediaType(for: both) { return (both, mediaType) }
        return candidates.last.flatMap { last in self.mediaType(for: last).map { (last, $0) } }
    }

    private static func mediaType(for wanted: FilenameExtension) -> String? {
        if let short = wanted.short {
            let place = self.shortExtensions.place { $0 < short }
            guard place < self.shortExtensions.count, self.shortExtensions[place] == short else { return nil }
            return self.types[Int(self.shortTypes[place])]
        }
        let place = (0..<self.longTypes.count).place { self.longExtension(at: $0) < wanted }
        guard place < self.longTypes.count, self.longExtension(at: place) == wanted else { return nil }
        return self.types[Int(self.longTypes[place])]
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element `comesBefore` doesn't hold for, where it holds for all in front and for none
    /// behind; `endIndex` when it holds for all.
    fileprivate func place(_ comesBefore: (Element) -> Bool) -> Int {
        var (low, high) = (self.startIndex, self.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if comesBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension StringProtocol {
    /// The text's bytes, of whichever of the two types of text it is.
    ///
    /// Inlined, so that the casts are decided where a client is compiled, and not by each lookup.
    @inlinable var bytes: Substring.UTF8View {
        if let text = self as? String { return text[...].utf8 }
        if let text = self as? Substring { return text.utf8 }
        return String(self)[...].utf8
    }
}
