import SystemPackage

/// A type that names a file: `String`, `FilePath`, and with FormworkFoundation `URL`.
public protocol PathConvertible {
    /// The file's path.
    var filePath: FilePath { get }
}

extension FilePath: PathConvertible {
    /// The path itself.
    public var filePath: FilePath { self }
}

extension String: PathConvertible {
    /// The text as a path, relative to the working directory unless it begins with `/`. A NUL, which no path has, becomes
    /// U+2400 (␀): it isn't the end of another file's name.
    public var filePath: FilePath { FilePath(self.withoutNUL) }
}

extension String {
    /// The text with U+2400 for each NUL, at which a path would end.
    package var withoutNUL: String {
        guard self.utf8.contains(0) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in self.unicodeScalars { scalars.append(scalar == "\0" ? "\u{2400}" : scalar) }
        return String(scalars)
    }
}
