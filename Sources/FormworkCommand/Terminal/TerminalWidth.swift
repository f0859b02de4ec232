#if Command
import Glibc
import SystemPackage

// Unsafe code in this file: the ioctl for the terminal's size.

/// The width of a terminal.
package enum TerminalWidth {
    /// Columns; `nil` if this isn't a terminal, or its width is unknown.
    package static func of(_ descriptor: FileDescriptor) -> Int? {
        guard self.isTerminal(descriptor) else { return nil }
        var size = winsize()
        // SAFETY: the structure lives through the call.
        guard unsafe ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    package static func isTerminal(_ descriptor: FileDescriptor) -> Bool { isatty(descriptor.rawValue) == 1 }
}
#endif
