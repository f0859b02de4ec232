#if Command
import Dispatch
import Glibc

// Unsafe code in this file: replacing the default handlers of signals.

/// Cleans up when the user interrupts the command or another process terminates it.
package final class Interruption {
    private let sources: [any DispatchSourceSignal]

    /// Runs `cleanUp` on another thread when SIGINT, SIGTERM or SIGHUP arrives, then exits with 128 plus its number.
    ///
    /// A signal that was ignored when the command began (`nohup`) stays ignored.
    package init(_ cleanUp: @escaping @Sendable () -> Void) {
        self.sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            // SAFETY: handlers are only compared as addresses, never called.
            let (before, ignoring) = unsafe (
                unsafeBitCast(signal(number, SIG_IGN), to: Int.self), unsafeBitCast(SIG_IGN, to: Int.self)
            )
            guard before != ignoring else { return nil }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                cleanUp()
                _exit(128 + number)
            }
            source.activate()
            return source
        }
    }

    deinit { for source in self.sources { source.cancel() } }
}
#endif
