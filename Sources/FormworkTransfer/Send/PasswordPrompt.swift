import FormworkCommand
import FormworkCore
import FormworkSystem
import Synchronization
import SystemPackage

/// Asks for a password on the terminal of this process, without showing it.
enum PasswordPrompt {
    /// The terminal's settings before; an interruption gives them back, and nothing hides the input after it.
    private final class Echo: Sendable {
        private let state = Mutex<(settings: Terminal.Settings?, isOver: Bool)>((nil, false))

        /// - Returns: Whether this is a terminal.
        func hide(_ terminal: FileDescriptor) -> Bool {
            self.state.withLock { state in
                guard !state.isOver else { return false }
                state.settings = Terminal.hideInput(of: terminal)
                return state.settings != nil
            }
        }

        func restore() {
            self.state.withLock { state in
                state.isOver = true
                state.settings?.restore()
                state.settings = nil
            }
        }
    }

    /// The line that the user types; `nil` if there is no terminal.
    /// - Throws: `ExitStatus` if the user ends the input, or the password isn't UTF-8.
    static func ask(_ question: String) throws -> String? {
        guard let terminal = try? FileDescriptor.open(FilePath("/dev/tty"), .readWrite, options: .closeOnExec) else {
            return nil
        }
        defer { try? terminal.close() }
        // Before the input is hidden: otherwise Ctrl-C in between would leave the terminal without echo.
        let echo = Echo()
        let interruption = Interruption { _ in echo.restore() }
        defer { withExtendedLifetime(interruption) {} }
        guard echo.hide(terminal) else { return nil }
        defer {
            echo.restore()
            _ = try? terminal.writeAll("\n".utf8)
        }
        _ = try terminal.writeAll(question.utf8)
        var line: [UInt8] = []
        while line.count < 4096, line.last != UInt8(ascii: "\n") {
            let count = line.count
            try line.append(upTo: 1) { room throws(Errno) in try SystemCalls.read(terminal, into: &room) }
            if line.count == count { break }
        }
        guard !line.isEmpty else { throw ExitStatus(2, "-u: no password was typed") }
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        guard let password = String(validating: line, as: UTF8.self) else {
            throw ExitStatus(2, "-u: the password isn't UTF-8")
        }
        return password
    }
}
