#if Command
import Formwork
import FormworkSystem
import Synchronization
import SystemPackage

/// What the options and parts of a command read. A second reader of a pipe would get nothing, and send an empty file; and no
/// output may replace a file that is read.
package enum CommandInputs {
    /// What can be read only once.
    private enum Pipe: Hashable {
        case standardInput
        /// A FIFO, such as that of `<(…)`, whatever its path.
        case other(PipeIdentity)

        /// `nil` for a file that can be read again.
        init?(_ file: String) {
            if file == "-" {
                self = .standardInput
                return
            }
            guard let pipe = PipeIdentity(try? SystemCalls.status(of: FilePath(file))) else { return nil }
            self = pipe == .standardInput ? .standardInput : .other(pipe)
        }
    }

    private struct State {
        var readers: [Pipe: (option: String, isPart: Bool)] = [:]
        var files: [String] = []
    }

    private static let state = Mutex(State())

    /// The files that options have read so far, without those of parts.
    static var files: [String] { self.state.withLock(\.files) }

    /// Notes who reads a file, before it is read.
    /// - Parameters:
    ///   - file: Its path, or `-` for standard input.
    ///   - option: The option and its value, as errors show them.
    ///   - isPart: Whether it is the content of a part. The form itself decides between two parts: curl's second one is
    ///     empty.
    /// - Throws: ``ExitStatus`` with 2 if another option reads the same pipe.
    package static func note(_ file: String, for option: String, isPart: Bool = false) throws(ExitStatus) {
        let pipe = Pipe(file)
        let other = self.state.withLock { state -> String? in
            guard let pipe else {
                if !isPart { state.files.append(file) }
                return nil
            }
            guard let (other, isOther) = state.readers[pipe] else {
                state.readers[pipe] = (option, isPart)
                return nil
            }
            return isPart && isOther ? nil : other
        }
        guard let other else { return }
        let both = other == option ? "\(option) is given twice, and each reads" : "\(other) and \(option) both read"
        let what = pipe == .standardInput ? "standard input" : "one pipe"
        throw ExitStatus(
            2,
            "formwork: \(both) \(what), which can be read only once: give one of them a file"
                .withControlCharactersEscaped)
    }

    /// Lets options read their FIFOs once more: another program may have written to them since. Standard input stays read.
    package static func readAgain() {
        self.state.withLock { state in state.readers = state.readers.filter { $0.key == .standardInput } }
    }

    /// The source that an option names: a file, or standard input for `-`.
    /// - Parameter option: The option and its value, as errors show them.
    package static func source(_ file: String, for option: String) throws(ExitStatus) -> BodySource {
        try self.note(file, for: option)
        guard file != "-" else { return .descriptor(.standardInput) }
        do throws(FormworkError) { return .file(try FilePath(ofFile: file)) } catch {
            var shown = error
            shown.path = nil
            throw ExitStatus(ExitStatus(error).code, "formwork: \(option): \(shown)".withControlCharactersEscaped)
        }
    }
}
#endif
