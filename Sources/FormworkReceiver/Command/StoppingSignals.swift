import Dispatch
import FormworkSystem
import ServiceLifecycle
import Synchronization
import SystemPackage
import UnixSignals

/// How a running service reacts to signals: the first stops it gracefully, the second at once. SIGHUP makes it read its
/// files again, or stops it gracefully if its terminal was closed.
enum StoppingSignals {
    /// Runs until the service has stopped.
    /// - Parameters:
    ///   - group: The services to run.
    ///   - reload: Reads the files again.
    ///   - drain: Called at the first signal. The service is stopped when it returns.
    ///   - drop: Aborts uploads under way, at the second signal.
    /// - Returns: The exit status: 0, or 128 and the second signal's number.
    static func run(
        _ group: ServiceGroup, reload: @escaping @Sendable () -> Void, drain: @escaping @Sendable () async -> Void,
        drop: @escaping @Sendable () -> Void
    ) async throws -> Int32 {
        let hadTerminal = Self.hasTerminal
        // Kept outside the task group, as its tasks end in any order.
        let status = Status()
        // Before the address is written: its reader may send a signal at once.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
        try await withThrowingTaskGroup(of: Bool.self) { tasks in
            tasks.addTask {
                try await group.run()
                return true
            }
            tasks.addTask {
                var count = 0
                for await signal in signals {
                    if signal == .sighup, !hadTerminal || Self.hasTerminal {
                        // Not waited for: a file may be a FIFO, or on a disk that doesn't answer.
                        Self.reloading.async(execute: reload)
                        continue
                    }
                    // SIGHUP comes once more when the shell exits.
                    if signal == .sighup, count > 0 { continue }
                    count += 1
                    if count == 1 {
                        // Not waited for here: a second signal ends it.
                        status.draining.withLock { state in
                            state = Task {
                                await drain()
                                await group.triggerGracefulShutdown()
                            }
                        }
                    } else {
                        let second = signal == .sigint ? StoppingSignal.interrupt : .terminate
                        status.code.withLock { $0 = second.exitStatus }
                        drop()
                        status.draining.withLock { $0 }?.cancel()
                        break
                    }
                }
                return false
            }
            // Waits for the service, not for the signals.
            while let hasEnded = try await tasks.next(), !hasEnded {}
            tasks.cancelAll()
        }
        return status.code.withLock { $0 }
    }

    /// Reads the files again, one time after the other.
    private static let reloading = DispatchQueue(label: "formwork.reload")

    private final class Status: Sendable {
        let code = Mutex<Int32>(0)
        /// Cancelled, it stops the service at once.
        let draining = Mutex<Task<Void, Never>?>(nil)
    }

    /// Whether this process has a terminal that still exists.
    private static var hasTerminal: Bool {
        do {
            try FileDescriptor.open(FilePath("/dev/tty"), .readOnly, options: [.nonBlocking]).close()
            return true
        } catch {
            // Other errors, such as too many open files, say nothing about the terminal.
            guard let error = error as? Errno else { return true }
            return ![.noSuchAddressOrDevice, .ioError, .noSuchFileOrDirectory].contains(error)
        }
    }
}
