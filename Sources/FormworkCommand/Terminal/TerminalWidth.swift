#if Command
import Glibc
import SystemPackage

// Unsafe code in this file: the ioctl for the terminal's size.

/// The width of a terminal.
enum TerminalWidth {
    /// Columns; `nil` if this isn't a terminal, or its width is unknown.
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
