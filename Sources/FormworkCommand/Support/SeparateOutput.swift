#if Command
import Formwork
import FormworkSystem
import SystemPackage

/// Keeps an output apart from the inputs: a file that is read must not be replaced by what is made of it.
package enum SeparateOutput {
    /// Refuses an output that is one of the inputs, or standard input, under any name.
    /// - Parameters:
    ///   - option: The output's option, for the message.
    ///   - output: `nil` and `-` are standard output.
    ///   - inputs: Paths of files. Those that options have read (``CommandInputs``) are inputs, too.
    package static func check(
        _ option: String, _ output: String?, inputs: some Sequence<String>
    ) throws(ExitStatus) {
        guard let output, output != "-", let own = try? SystemCalls.status(of: FilePath(output)), own.kind == .regular
        else { return }
        func isSame(_ other: FileStatus?) -> Bool {
            own.validator.isSameFile(as: other?.validator)
        }
        let isInput =
            isSame(try? SystemCalls.status(of: FileDescriptor.standardInput))
            || (CommandInputs.files + inputs).contains { isSame(try? SystemCalls.status(of: FilePath($0))) }
        guard isInput else { return }
        let shown = ShellQuote.quote(output).withControlCharactersEscaped
        throw ExitStatus(
            2, "formwork: \(option) \(shown): this file is also read, and would be replaced: name another one")
    }
}
#endif
