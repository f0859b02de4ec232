#if Transfer
import FormworkClient
import Synchronization

/// What is known of a transfer while it runs, for the report of one that fails.
final class SendRecord: Sendable {
    private struct State {
        var trace: FormSender.Trace?
        var report: SendReport?
    }

    private let state = Mutex(State())

    /// The last request; `nil` if none was started.
    var trace: FormSender.Trace? { self.state.withLock { $0.trace } }
    /// The answer to the last request, as far as it has arrived; `nil` without one.
    var report: SendReport? { self.state.withLock { $0.report } }

    /// Notes a request that is about to be sent.
    func begin(_ trace: FormSender.Trace) {
        self.state.withLock { $0 = State(trace: trace, report: nil) }
    }

    /// Notes the answer, or more of it.
    func answer(_ report: SendReport) { self.state.withLock { $0.report = report } }
}
#endif
