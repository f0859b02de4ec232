import Formwork
import SystemPackage

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension URL: FormTextConvertible {
    /// Reads a URL from a field's text; `nil` for other texts.
    public init?(formText: String) { self.init(string: formText) }
    /// The URL as text.
    public var formText: String { self.absoluteString }
}

extension URL: PathConvertible {
    /// The path of a file URL. Any other URL becomes its text, for which no file is found.
    public var filePath: FilePath { (self.isFileURL ? self.path : self.absoluteString).filePath }
}
