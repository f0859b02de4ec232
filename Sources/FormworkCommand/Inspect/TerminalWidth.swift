#if Command
import Glibc
import SystemPackage

// A door to unsafe code: the terminal is asked for its size.

/// How wide the terminal on standard output is.
enum TerminalWidth {
    /// Columns; `nil` when standard output is no terminal, or one that doesn't say.
    static var ofStandardOutput: Int? {
        let output = FileDescriptor.standardOutput.rawValue
        guard isatty(output) == 1 else { return nil }
        var size = winsize()
        // SAFETY: the structure lives through the call.
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
#endif
