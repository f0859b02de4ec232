#if Transfer
import FormworkCommand
import Glibc
import SystemPackage

// Unsafe code in this file: the settings of a terminal.

/// Asks for a password on the terminal of this process, without showing it.
enum PasswordPrompt {
    /// The line that the user types; `nil` if there is no terminal, or the user ends the input.
    static func ask(_ question: String) throws -> String? {
        guard let terminal = try? FileDescriptor.open(FilePath("/dev/tty"), .readWrite, options: .closeOnExec) else {
            return nil
        }
        defer { try? terminal.close() }
        var before = termios()
        // SAFETY: the structure outlives the call, which fills it.
        guard unsafe tcgetattr(terminal.rawValue, &before) == 0 else { return nil }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // SAFETY: the structures are only read.
        guard unsafe tcsetattr(terminal.rawValue, TCSAFLUSH, &silent) == 0 else { return nil }
        let settings = before
        let restore: @Sendable () -> Void = {
            var settings = settings
            _ = unsafe tcsetattr(terminal.rawValue, TCSAFLUSH, &settings)
        }
        let interruption = Interruption(restore)
        defer {
            restore()
            _ = try? terminal.writeAll("\n".utf8)
            withExtendedLifetime(interruption) {}
        }
        _ = try terminal.writeAll(question.utf8)
        var line: [UInt8] = []
        var buffer: [UInt8] = [0]
        while line.count < 4096 {
            // SAFETY: the call writes at most one byte into an array of one.
            let count = unsafe try buffer.withUnsafeMutableBytes { unsafe try terminal.read(into: $0) }
            guard count == 1 else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if buffer[0] == UInt8(ascii: "\n") { break }
            line.append(buffer[0])
        }
        return String(decoding: line, as: UTF8.self)
    }
}
#endif
