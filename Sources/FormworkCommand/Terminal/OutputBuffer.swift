import Formwork
import FormworkSystem
import Synchronization

/// Collects short texts for standard output. A system call for each would take most of the time.
final class OutputBuffer: Sendable {
    private struct State {
        var text: [UInt8] = []
        /// Completes what was begun, if a signal stops the command.
        var ending: (@Sendable (StoppingSignal) -> String)?
        /// Nothing is written any more.
        var isEnded = false
    }

    private static let limit = 64 << 10
    private let state = Mutex(State())

    func write(_ text: String) throws {
        try self.state.withLock { state in
            guard !state.isEnded else { return }
            state.text += text.utf8
            if state.text.count >= Self.limit { try Self.flush(&state) }
        }
    }

    func flush() throws { try self.state.withLock { try Self.flush(&$0) } }

    /// Writes the beginning of an object whose members follow one by one.
    /// - Parameter ending: The rest of it, for ``interrupt(_:)``.
    /// - Returns: Whether it was begun; no after ``interrupt(_:)``.
    func begin(_ text: String, _ ending: @escaping @Sendable (StoppingSignal) -> String) -> Bool {
        self.state.withLock { state in
            guard !state.isEnded else { return false }
            state.text += text.utf8
            state.ending = ending
            return true
        }
    }

    /// Writes the rest of the object, and nothing after it.
    func end(_ text: String) throws {
        try self.state.withLock { state in
            guard !state.isEnded else { return }
            (state.ending, state.isEnded) = (nil, true)
            state.text += text.utf8
            try Self.flush(&state)
        }
    }

    /// Completes, on another thread, an object that was begun. Nothing is written after this.
    /// - Returns: Whether there was one.
    func interrupt(_ signal: StoppingSignal) -> Bool {
        self.state.withLock { state in
            guard !state.isEnded else { return false }
            state.isEnded = true
            guard let ending = state.ending else { return false }
            state.text += ending(signal).utf8
            // The signal is the result, whether or not this can be written.
            try? Self.flush(&state)
            return true
        }
    }

    private static func flush(_ state: inout State) throws {
        guard !state.text.isEmpty else { return }
        defer { state.text = [] }
        try StandardOutput.write(.bytes(state.text))
    }
}
