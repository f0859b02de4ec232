import FormworkClient
import FormworkCommand
import Synchronization

/// What is known of a transfer while it runs, for the report of one that fails.
final class SendRecord: Sendable {
    private struct State {
        var trace: FormSender.Trace?
        var report: SendReport?
        var head: SendReport.Head?
        var version = ResponseVersion.http11
        /// What all requests together are to deliver.
        var total: Int64?
        var before: Int64 = 0
        var isSaved = false
    }

    private let state = Mutex(State())

    /// The last request; `nil` if none was started.
    var trace: FormSender.Trace? { self.state.withLock { $0.trace } }
    /// The answer to the last request, as far as it has arrived; `nil` without one.
    var report: SendReport? { self.state.withLock { $0.report } }

    /// The bytes to send: those of the body, or of all files that a tus server stores one by one; `nil` if unknown.
    var total: Int64? { self.state.withLock { $0.total } }
    /// The bytes of files that were stored before the current one.
    var before: Int64 { self.state.withLock { $0.before } }

    /// Notes how much is to be sent.
    func expect(_ total: Int64?) { self.state.withLock { $0.total = total } }

    /// Notes that a file of several was stored.
    func store(_ bytes: Int64) { self.state.withLock { $0.before += bytes } }

    /// Whether the upload's state is saved, so that the same command continues it.
    var canContinue: Bool { self.state.withLock { $0.isSaved } }

    /// Whether an answer has begun, and a saved state lets the same command ask for it again.
    var isAnswerAgain: Bool { self.canContinue && self.state.withLock { $0.report != nil } }

    /// Notes whether the upload's state is saved, now and whenever that changes.
    func watch(_ resuming: inout FormSender.Resuming?) {
        guard let given = resuming else { return }
        self.state.withLock { $0.isSaved = given.link != nil }
        resuming?.save = { link in
            try given.save(link)
            self.state.withLock { $0.isSaved = link != nil }
        }
    }

    /// Whether one request at most was started, and not answered.
    var isFirst: Bool { self.state.withLock { $0.report == nil && $0.trace?.requests ?? 0 <= 1 } }

    /// What a transfer that failed came to.
    func result(
        _ monitor: UploadMonitor, _ url: String, _ method: String, _ failure: ExitStatus,
        since start: ContinuousClock.Instant
    ) -> WriteOut.Result {
        // Also those before a redirect to a page: a request without a body leaves the monitor as it is.
        let sent = monitor.current.acknowledged
        return WriteOut.Result(
            report: self.report, lastHead: self.state.withLock { $0.head }, lastTrace: self.trace, url: url,
            method: method, failure: failure, bytesSent: self.before + sent, total: self.total,
            seconds: start.duration(to: .now).seconds)
    }

    /// Notes a request that is about to be sent.
    func begin(_ trace: FormSender.Trace) {
        self.state.withLock { state in
            state = State(trace: trace, total: state.total, before: state.before, isSaved: state.isSaved)
        }
    }

    /// The version of HTTP that the last request has.
    var version: ResponseVersion { self.state.withLock { $0.version } }

    /// Notes the version of HTTP of a request that is about to be sent.
    func use(_ version: ResponseVersion) { self.state.withLock { $0.version = version } }

    /// Notes the head of the answer to the last request, which may be a redirect.
    func receive(_ head: SendReport.Head) { self.state.withLock { $0.head = head } }

    /// Notes the answer, or more of it.
    func answer(_ report: SendReport) { self.state.withLock { $0.report = report } }
}
