#if Command
import ArgumentParser
import Formwork

/// Names of files that options give.
package enum GivenPath {
    /// Refuses empty names, such as an unset variable of a shell gives. `FilePath` takes them for the current folder.
    /// - Parameter paths: By option; `nil` for one that wasn't given.
    package static func check(_ paths: KeyValuePairs<String, String?>) throws {
        for (option, path) in paths where path?.isEmpty == true {
            throw ValidationError("\(option): the path is empty")
        }
    }

    /// Refuses an output whose name is a folder's. `FilePath` drops the slash, and a file would be created.
    package static func checkOutput(_ option: String, _ path: String?) throws(ExitStatus) {
        guard let path, path.hasSuffix("/") else { return }
        let shown = ShellQuote.quote(path).withControlCharactersEscaped
        throw ExitStatus(23, "formwork: \(option) \(shown): ends with a slash, so it names a folder: name a file in it")
    }
}
#endif
