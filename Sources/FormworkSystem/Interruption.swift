import CFormworkSystem
import Dispatch
import FormworkCore
import FormworkLibc
import Synchronization
import SystemPackage

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

    /// Ends this process by the signal.
    package func end() -> Never {
        fw_restore_signal(self.rawValue)
        _ = kill(getpid(), self.rawValue)
        // The first process of a container isn't ended by its own signal.
        SystemCalls.sleep(.milliseconds(100))
        _exit(self.exitStatus)
    }
}

/// Cleans up when the user interrupts the command or another process terminates it.
///
/// There may be several at once: the one that was made last cleans up first.
package final class Interruption: Sendable {
    private struct Step: Sendable {
        var owner: ObjectIdentifier
        var bound: Duration?
        var cleanUp: @Sendable (StoppingSignal) -> Void
    }

    private struct Steps {
        var all: [Step] = []
        /// Reads the signals that weren't ignored before. It is made with the first step, and stays.
        var source: (any DispatchSourceRead)?
        /// Whether a signal arrived: another one changes nothing.
        var isStopping = false
    }

    private static let steps = Mutex(Steps())

    /// Runs `cleanUp` on another thread when SIGINT, SIGTERM or SIGHUP arrives. Then the process ends by the signal, as if it
    /// had not been handled: a shell continues a loop after a program that exits with a status, whatever its number.
    ///
    /// A signal that was ignored when the command began (`nohup`) stays ignored.
    /// - Parameter bound: After this time the process exits anyway, for example if nothing reads what `cleanUp` writes;
    ///   `nil` for no limit. The longest of all counts.
    package init(within bound: Duration? = nil, _ cleanUp: @escaping @Sendable (StoppingSignal) -> Void) {
        let step = Step(owner: ObjectIdentifier(self), bound: bound, cleanUp: cleanUp)
        let isStopping = Self.steps.withLock { steps in
            if steps.isStopping { return true }
            if steps.source == nil { steps.source = Self.watch() }
            steps.all.append(step)
            return false
        }
        // The process is about to exit: what needs cleaning up isn't begun any more.
        while isStopping { SystemCalls.sleep(.seconds(1)) }
    }

    /// Without any, the signals stop the process as they did before.
    deinit {
        let owner = ObjectIdentifier(self)
        Self.steps.withLock { $0.all.removeAll { $0.owner == owner } }
    }

    /// A source of Dispatch for each signal would lose those that arrive before it is registered, or are pending.
    private static func watch() -> (any DispatchSourceRead)? {
        // Without a thread or free descriptors, the signals stop the process as they did before.
        guard ThisProcess.canStartThread, let pipe = try? SystemCalls.pipe() else { return nil }
        let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reading.rawValue, queue: .global())
        source.setEventHandler {
            var number: [UInt8] = []
            try? number.append(upTo: 1) { room throws(Errno) in try SystemCalls.read(pipe.reading, into: &room) }
            if let signal = number.first.flatMap({ StoppingSignal(rawValue: Int32($0)) }) { Self.stop(signal) }
        }
        source.activate()
        for signal in StoppingSignal.allCases { fw_note_signal(signal.rawValue, pipe.writing.rawValue) }
        return source
    }

    private static func stop(_ signal: StoppingSignal) {
        let known = self.steps.withLock { steps -> [Duration?]? in
            guard !steps.isStopping else { return nil }
            steps.isStopping = true
            return steps.all.map(\.bound)
        }
        guard let known else { return }
        let bounds = known.compactMap { $0 }
        if bounds.count == known.count, let bound = bounds.max() {
            let end = DispatchTime.now() + .milliseconds(Int(bound / .milliseconds(1)))
            DispatchQueue.global().asyncAfter(deadline: end) { signal.end() }
        }
        // One at a time: the program continues meanwhile, and may end what a step is for.
        while let step = self.steps.withLock({ $0.all.popLast() }) { step.cleanUp(signal) }
        signal.end()
    }
}
