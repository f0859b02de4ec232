#if Command
import ArgumentParser

/// Names of files that options give.
package enum GivenPath {
    /// Refuses empty names, such as an unset variable of a shell gives. `FilePath` takes them for the current folder.
    /// - Parameter paths: By option; `nil` for one that wasn't given.
    package static func check(_ paths: KeyValuePairs<String, String?>) throws {
        for (option, path) in paths where path?.isEmpty == true {
            throw ValidationError("\(option): the file's name is empty")
        }
    }
}
#endif
