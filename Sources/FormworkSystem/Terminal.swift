import CFormworkSystem
import FormworkLibc
import SystemPackage

// Unsafe code in this file: the settings of a terminal.

/// What a terminal reports, and its settings.
package enum Terminal {
    /// Whether a descriptor leads to a terminal.
    package static func isTerminal(_ descriptor: FileDescriptor) -> Bool { isatty(descriptor.rawValue) == 1 }

    /// Whether a terminal may be unable to redraw a line or to show colours: `TERM` is `dumb`, empty or missing.
    package static var isDumb: Bool { ["dumb", ""].contains(SystemCalls.environment("TERM") ?? "") }

    /// The columns of a terminal; `nil` if this isn't a terminal, or its width is unknown.
    package static func columns(of descriptor: FileDescriptor) -> Int? {
        let columns = fw_terminal_columns(descriptor.rawValue)
        return columns > 0 ? Int(columns) : nil
    }

    /// Stops showing what the user types.
    /// - Returns: The settings before; `nil` if this isn't a terminal.
    package static func hideInput(of terminal: FileDescriptor) -> Settings? {
        var before = termios()
        // SAFETY: the structure outlives the call, which fills it.
        guard unsafe tcgetattr(terminal.rawValue, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // SAFETY: the structure is only read.
        guard unsafe tcsetattr(terminal.rawValue, TCSAFLUSH, &silent) == 0 else { return nil }
        return Settings(terminal: terminal, raw: before)
    }

    /// The settings that a terminal had.
    package struct Settings: Sendable {
        fileprivate let terminal: FileDescriptor
        fileprivate let raw: termios

        /// Gives the terminal these settings again, while it is open.
        package func restore() {
            var settings = self.raw
            // SAFETY: the structure is only read.
            _ = unsafe tcsetattr(self.terminal.rawValue, TCSAFLUSH, &settings)
        }
    }
}
