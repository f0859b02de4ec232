#if Transfer
import Glibc
import ServiceLifecycle
import Synchronization
import SystemPackage
import UnixSignals

/// What signals make of a running service: the first has it stop gracefully, the second at once. SIGHUP has it read its files
/// again, or stop gracefully where it comes of a terminal that is gone.
enum StoppingSignals {
    /// Runs until the service has ended.
    /// - Parameters:
    ///   - group: What is run.
    ///   - reload: Reads the files again.
    ///   - drop: Ends what is under way, at the second signal.
    /// - Returns: The exit status: 0, or 128 and the second signal's number.
    static func run(
        _ group: ServiceGroup, reload: @escaping @Sendable () -> Void, drop: @escaping @Sendable () -> Void
    ) async throws -> Int32 {
        let hadTerminal = Self.hasTerminal
        // Known before anything ends of it.
        let status = Status()
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                try await group.run()
                return true
            }
            tasks.addTask {
                var count = 0
                for await signal in await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup) {
                    if signal == .sighup, !hadTerminal || Self.hasTerminal {
                        reload()
                        continue
                    }
                    // It comes once more, when the shell goes.
                    if signal == .sighup, count > 0 { continue }
                    count += 1
                    if count == 1 {
                        await group.triggerGracefulShutdown()
                    } else {
                        status.code.withLock { $0 = 128 + (signal == .sigint ? SIGINT : SIGTERM) }
                        drop()
                        break
                    }
                }
                return false
            }
            // The group ends when the service has.
            while let hasEnded = try await tasks.next(), !hasEnded {}
            tasks.cancelAll()
        }
        return status.code.withLock { $0 }
    }

    private final class Status: Sendable { let code = Mutex<Int32>(0) }

    /// Whether this process has a terminal that is there.
    private static var hasTerminal: Bool {
        guard let terminal = try? FileDescriptor.open(FilePath("/dev/tty"), .readOnly, options: [.nonBlocking]) else {
            return false
        }
        try? terminal.close()
        return true
    }
}
#endif
