import FormworkClient
import FormworkCommand
import Synchronization

/// What is known of a transfer while it runs, for the report of one that fails.
final class SendRecord: Sendable {
    struct State {
        /// The last request; `nil` if none was started.
        private(set) var trace: FormSender.Trace?
        /// The answer to the last request, as far as it has arrived; `nil` without one.
        var report: SendReport?
        /// The head of the answer to the last request, which may be a redirect.
        var head: SendReport.Head?
        /// The version of HTTP that the last request has.
        var version = ResponseVersion.http11
        /// The bytes to send: those of the body, or of all files that a tus server stores one by one; `nil` if unknown.
        var total: Int64?
        /// The bytes of files that were stored before the current one.
        var before: Int64 = 0
        /// Whether the upload's state is saved, so that the same command continues it.
        var canContinue = false

        /// Whether an answer has begun, and a saved state lets the same command ask for it again.
        var isAnswerAgain: Bool { self.canContinue && self.report != nil }
        /// Whether one request at most was started, and not answered.
        var isFirst: Bool { self.report == nil && self.trace?.requests ?? 0 <= 1 }

        /// Notes a request that is about to be sent.
        mutating func begin(_ trace: FormSender.Trace) {
            (self.trace, self.report, self.head, self.version) = (trace, nil, nil, .http11)
        }
    }

    private let state = Mutex(State())

    var current: State { self.state.withLock { $0 } }

    func update(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    /// Notes whether the upload's state is saved, now and whenever that changes.
    func watch(_ resuming: inout ResumingOptions?) {
        guard let given = resuming else { return }
        self.update { $0.canContinue = given.link != nil }
        resuming?.save = { link in
            try given.save(link)
            self.update { $0.canContinue = link != nil }
        }
    }

    /// What the transfer came to.
    /// - Parameters:
    ///   - job: `nil` if it wasn't prepared.
    ///   - sent: The bytes that the server has.
    func result(
        of job: SendJob?, to url: String?, sent: Int64, _ failure: ExitStatus?, since start: ContinuousClock.Instant
    ) -> WriteOut.Result {
        WriteOut.Result(
            transfer: self.current, url: job?.request.urlText ?? url ?? "",
            method: job?.request.method.rawValue ?? "POST", failure: failure, bytesSent: sent,
            seconds: start.duration(to: .now).seconds)
    }
}
