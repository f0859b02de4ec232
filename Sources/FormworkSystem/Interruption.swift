import CFormworkSystem
import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A signal by which a user or the system stops a program. All systems give them these numbers.
package enum StoppingSignal: Int32, CaseIterable, Sendable {
    case hangup = 1
    case interrupt = 2
    case terminate = 15

    /// The name, as in `SIGTERM`.
    package var name: String {
        switch self {
        case .hangup: "SIGHUP"
        case .interrupt: "SIGINT"
        case .terminate: "SIGTERM"
        }
    }

    /// The exit status of a program that this signal stopped, as shells report it.
    package var exitStatus: Int32 { 128 + self.rawValue }
}

/// Cleans up when the user interrupts the command or another process terminates it.
package final class Interruption {
    private let sources: [(signal: StoppingSignal, source: any DispatchSourceSignal)]

    /// Runs `cleanUp` on another thread when SIGINT, SIGTERM or SIGHUP arrives, then exits with 128 plus its number.
    ///
    /// A signal that was ignored when the command began (`nohup`) stays ignored.
    package init(_ cleanUp: @escaping @Sendable (StoppingSignal) -> Void) {
        let signals: [StoppingSignal] = [.interrupt, .terminate, .hangup]
        self.sources = signals.compactMap { signal in
            guard fw_ignore_signal(signal.rawValue) == 0 else { return nil }
            let source = DispatchSource.makeSignalSource(signal: signal.rawValue, queue: .global())
            source.setEventHandler {
                cleanUp(signal)
                _exit(signal.exitStatus)
            }
            source.activate()
            return (signal, source)
        }
    }

    /// The signals stop the process again, as they did before.
    deinit {
        for (signal, source) in self.sources {
            source.cancel()
            fw_restore_signal(signal.rawValue)
        }
    }
}
