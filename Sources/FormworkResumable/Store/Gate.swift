import Synchronization

/// Lets a number of tasks in at a time, in order of arrival. A task that finds the gate open enters without suspending.
package final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []

        mutating func enters() -> Bool {
            guard self.free > 0 else { return false }
            self.free -= 1
            return true
        }
    }

    private let state: Mutex<State>

    /// - Parameter limit: How many tasks may be in at once. With 0, each needs a ``leave()`` before it.
    package init(limit: Int = 1) { self.state = Mutex(State(free: limit)) }

    /// Waits for the task's turn. Must be followed by ``leave()``.
    package func enter() async {
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
    package func leave() {
        let next = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
