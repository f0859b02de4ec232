#if Command
/// The arguments as the system gave them.
enum RawArguments {
    /// The place of the first argument that is not UTF-8, counted from 1; `nil` when all are.
    ///
    /// Swift repairs such text without a word, which would send other bytes than were given.
    static var firstNotUTF8: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { index in
            // SAFETY: argv holds argc C strings, which live as long as the process.
            guard let text = unsafe CommandLine.unsafeArgv[index] else { return false }
            return unsafe String(validatingCString: text) == nil
        }
    }
}
#endif
