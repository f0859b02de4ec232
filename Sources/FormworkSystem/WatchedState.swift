import FormworkCore
import Synchronization

/// State behind a lock, whose changes a task can wait for.
package final class WatchedState<State: Sendable>: Sendable {
    private enum Waiter {
        /// It is about to suspend.
        case coming
        case waiting(CheckedContinuation<Void, Never>, isMet: @Sendable (State) -> Bool)
        /// It has waited long enough.
        case over
    }

    private struct Guarded {
        var state: State
        var waiters: [UInt64: Waiter] = [:]
        var count: UInt64 = 0
    }

    private let guarded: Mutex<Guarded>

    package init(_ state: State) { self.guarded = Mutex(Guarded(state: state)) }

    /// Reads or changes the state, and wakes the tasks that wait for what it now is.
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result where Result: Sendable {
        var woken: [CheckedContinuation<Void, Never>] = []
        // Not a tuple of both: of a generic type, it is looked up in the runtime at each call.
        let result = self.guarded.withLock { guarded in
            let result = body(&guarded.state)
            for (id, waiter) in guarded.waiters {
                guard case .waiting(let continuation, let isMet) = waiter, isMet(guarded.state) else { continue }
                guarded.waiters[id] = .over
                woken.append(continuation)
            }
            return result
        }
        for each in woken { each.resume() }
        return result
    }

    /// Waits until the state is as wanted, the time is over, or the task is cancelled.
    /// - Parameter limit: `nil` for any time.
    /// - Returns: Whether the state is as wanted.
    @discardableResult
    package func wait(for limit: Duration?, until isMet: @escaping @Sendable (State) -> Bool) async -> Bool {
        let id = self.guarded.withLock { guarded in
            guarded.count += 1
            guarded.waiters[guarded.count] = .coming
            return guarded.count
        }
        let timer = limit.map { limit in
            Task {
                guard (try? await Task.sleep(for: limit.asWait)) != nil else { return }
                self.wake(id)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let continues = self.guarded.withLock { guarded in
                    if case .coming = guarded.waiters[id], !isMet(guarded.state) {
                        guarded.waiters[id] = .waiting(continuation, isMet: isMet)
                        return false
                    }
                    return true
                }
                if continues { continuation.resume() }
            }
        } onCancel: {
            self.wake(id)
        }
        timer?.cancel()
        return self.guarded.withLock { guarded in
            guarded.waiters[id] = nil
            return isMet(guarded.state)
        }
    }

    private func wake(_ id: UInt64) {
        let continuation: CheckedContinuation<Void, Never>? = self.guarded.withLock { guarded in
            guard let waiter = guarded.waiters[id] else { return nil }
            guarded.waiters[id] = .over
            if case .waiting(let continuation, _) = waiter { return continuation }
            return nil
        }
        continuation?.resume()
    }
}
