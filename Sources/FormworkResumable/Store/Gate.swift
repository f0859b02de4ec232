#if Resumable
import Synchronization

/// Lets one task in at a time, in the order in which they came. Who finds it open goes in without a pause.
final class Gate: Sendable {
    fileprivate struct State {
        var isOccupied = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for its turn; ``leave()`` has to follow.
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

    /// Lets the next one in.
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
#endif
