#if Transfer
import FormworkCommand
import FormworkCore
import FormworkSystem
import SystemPackage

/// Asks for a password on the terminal of this process, without showing it.
enum PasswordPrompt {
    /// The line that the user types; `nil` if there is no terminal, or the user ends the input.
    static func ask(_ question: String) throws -> String? {
        guard let terminal = try? FileDescriptor.open(FilePath("/dev/tty"), .readWrite, options: .closeOnExec) else {
            return nil
        }
        defer { try? terminal.close() }
        guard let settings = Terminal.hideInput(of: terminal) else { return nil }
        let interruption = Interruption { _ in settings.restore() }
        defer {
            settings.restore()
            _ = try? terminal.writeAll("\n".utf8)
            withExtendedLifetime(interruption) {}
        }
        _ = try terminal.writeAll(question.utf8)
        var line: [UInt8] = []
        while line.count < 4096 {
            let count = line.count
            try line.append(upTo: 1) { room throws(Errno) in try SystemCalls.read(terminal, into: &room) }
            guard line.count > count else { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if line.last == UInt8(ascii: "\n") {
                line.removeLast()
                break
            }
        }
        return String(decoding: line, as: UTF8.self)
    }
}
#endif
