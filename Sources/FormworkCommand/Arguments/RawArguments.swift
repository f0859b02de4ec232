#if Command
/// The arguments as the system gave them.
enum RawArguments {
    /// The position, from 1, of the first argument that is not UTF-8; `nil` if there is none.
    ///
    /// Swift repairs such text silently, so other bytes would be sent than were given.
    static var firstNotUTF8: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { index in
            // SAFETY: argv holds argc C strings, which live as long as the process.
            guard let text = unsafe CommandLine.unsafeArgv[index] else { return false }
            return unsafe String(validatingCString: text) == nil
        }
    }
}
#endif
