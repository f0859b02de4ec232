#if Transfer
import Glibc
import ServiceLifecycle
import UnixSignals

/// What signals make of a running service: the first has it stop gracefully, the second at once.
enum StoppingSignals {
    /// Runs until the service has ended.
    /// - Parameters:
    ///   - group: What is run.
    ///   - drop: Ends what is under way, at the second signal.
    /// - Returns: The exit status: 0, or 128 and the second signal's number.
    static func run(_ group: ServiceGroup, drop: @escaping @Sendable () -> Void) async throws -> Int32 {
        try await withThrowingTaskGroup(of: Int32?.self) { tasks in
            tasks.addTask {
                try await group.run()
                return nil
            }
            tasks.addTask {
                var count = 0
                for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint) {
                    count += 1
                    if count == 1 {
                        await group.triggerGracefulShutdown()
                    } else {
                        drop()
                        return 128 + (signal == .sigint ? SIGINT : SIGTERM)
                    }
                }
                return 0
            }
            // The group ends when the service has; the signal's status is known by then, if there was a second one.
            var status: Int32 = 0
            while let result = try await tasks.next() {
                guard let code = result else { break }
                status = code
            }
            tasks.cancelAll()
            return status
        }
    }
}
#endif
