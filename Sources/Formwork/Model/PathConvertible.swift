import SystemPackage

/// What names a file: a `String`, a `FilePath`, and with FormworkFoundation a `URL`.
public protocol PathConvertible {
    /// The file's path.
    var filePath: FilePath { get }
}

extension FilePath: PathConvertible {
    /// The path itself.
    public var filePath: FilePath { self }
}

extension String: PathConvertible {
    /// The text as a path, which begins at the working directory unless it begins with `/`.
    public var filePath: FilePath { FilePath(self) }
}
