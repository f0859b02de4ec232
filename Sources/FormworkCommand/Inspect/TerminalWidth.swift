#if Command
import Glibc
import SystemPackage

// A door to unsafe code: the terminal is asked for its size.

/// How wide a terminal is.
enum TerminalWidth {
    /// Columns; `nil` when this isn't a terminal, or is one that doesn't say.
    static func of(_ descriptor: FileDescriptor) -> Int? {
        let output = descriptor.rawValue
        guard isatty(output) == 1 else { return nil }
        var size = winsize()
        // SAFETY: the structure lives through the call.
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
#endif
