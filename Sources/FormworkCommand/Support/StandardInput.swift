#if Command
import Formwork
import Synchronization
import SystemPackage

/// Which option reads standard input: a second reader would get nothing, and send an empty file.
package enum StandardInput {
    private static let owner = Mutex<(option: String, isPart: Bool)?>(nil)

    /// Notes who reads standard input, before it is read.
    /// - Parameters:
    ///   - option: The option and its value, as errors show them.
    ///   - isPart: Whether it is the content of a part. The form itself decides between two parts: curl's second one is
    ///     empty.
    /// - Throws: ``ExitStatus`` with 2 if another option reads it.
    package static func take(for option: String, isPart: Bool = false) throws(ExitStatus) {
        let other = self.owner.withLock { owner -> String? in
            guard let (other, isOther) = owner else {
                owner = (option, isPart)
                return nil
            }
            return isPart && isOther ? nil : other
        }
        guard let other else { return }
        let both = other == option ? "\(option) is given twice, and each reads" : "\(other) and \(option) both read"
        throw ExitStatus(
            2,
            "formwork: \(both) standard input, which can be read only once: give one of them a file"
                .withControlCharactersEscaped)
    }

    /// The source that an option names: a file, or standard input for `-`.
    /// - Parameter option: The option and its value, as errors show them.
    package static func source(_ file: String, for option: String) throws(ExitStatus) -> BodySource {
        guard file == "-" else { return .file(FilePath(file)) }
        try self.take(for: option)
        return .descriptor(.standardInput)
    }
}
#endif
