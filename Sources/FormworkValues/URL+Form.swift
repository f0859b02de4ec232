import Formwork
import SystemPackage

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension URL: FormTextConvertible {
    /// The URL of a field's text; `nil` for text that is none.
    public init?(formText: String) { self.init(string: formText) }
    /// The URL as text.
    public var formText: String { self.absoluteString }
}

extension URL: PathConvertible {
    /// The path of a file's URL. Any other URL as text, of which no file is found.
    public var filePath: FilePath { FilePath(self.isFileURL ? self.path : self.absoluteString) }
}
