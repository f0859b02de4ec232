import Synchronization

/// Lets tasks in one at a time, in order of arrival. A task that finds the gate open enters without suspending.
final class Gate: Sendable {
    fileprivate struct State {
        var isOccupied = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for the task's turn. Must be followed by ``leave()``.
    func enter() async {
        if self.state.withLock({ $0.enters() }) { return }
        await withCheckedContinuation { continuation in
            let isOpen = self.state.withLock { state in
                if state.enters() { return true }
                state.waiting.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Lets the next task in.
    func leave() {
        let next = self.state.withLock { state in
            if state.waiting.isEmpty {
                state.isOccupied = false
                return nil as CheckedContinuation<Void, Never>?
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}

extension Gate.State {
    fileprivate mutating func enters() -> Bool {
        guard !self.isOccupied else { return false }
        self.isOccupied = true
        return true
    }
}
