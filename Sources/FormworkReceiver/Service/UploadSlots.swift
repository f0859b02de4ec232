#if Transfer
    import NIOCore
    import Synchronization

    /// The uploads under way: bounded in number, and dropped together when the time for them is over.
    final class UploadSlots: Sendable {
        private struct State {
            var channels: [Int: any Channel] = [:]
            var next = 0
            var isStopping = false
        }

        private let limit: Int
        private let state = Mutex(State())

        init(limit: Int) { self.limit = limit }

        var isStopping: Bool { self.state.withLock { $0.isStopping } }
        var count: Int { self.state.withLock { $0.channels.count } }

        /// Takes a place; `nil` when there is none.
        func enter(_ channel: any Channel) -> Int? {
            self.state.withLock { state in
                guard state.channels.count < self.limit, !state.isStopping else { return nil }
                state.next += 1
                state.channels[state.next] = channel
                return state.next
            }
        }

        func leave(_ slot: Int) { self.state.withLock { _ = $0.channels.removeValue(forKey: slot) } }

        /// Lets no more in.
        func stop() { self.state.withLock { $0.isStopping = true } }

        /// Ends what is still under way.
        /// - Returns: How many uploads that were.
        @discardableResult
        func drop() -> Int {
            let channels = self.state.withLock { state in
                state.isStopping = true
                return Array(state.channels.values)
            }
            for channel in channels { channel.close(promise: nil) }
            return channels.count
        }
    }
#endif
