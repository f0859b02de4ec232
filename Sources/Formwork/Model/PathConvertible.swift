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
    /// The text as a path, relative to the working directory unless it begins with `/`.
    public var filePath: FilePath { FilePath(self) }
}
