import FormworkClient
import FormworkCommand
import FormworkSystem

/// Shows how far a transfer is, even while it makes no progress.
struct SendProgress: Sendable {
    private let style: ProgressStyle
    private let interval: Duration
    private let line: ProgressLine
    private let parts: PartMap
    /// Bytes of the body; `nil` if unknown. The monitor has it only after the first request began.
    private let total: Int64?
    /// Whether a transfer that ends within one interval is not shown.
    private let isShy: Bool
    private let start = ContinuousClock.now

    /// `nil` when nothing is to be shown.
    /// - Parameter filename: The name of the file that is the whole body; `nil` for a form.
    init?(_ option: ProgressOption, _ plan: BodyPlan, filename: String? = nil) {
        guard option != .none else { return nil }
        self.style = option.style(bodyGoesToTerminal: false) ?? .log
        self.isShy = option == .auto && !Terminal.isTerminal(.standardError)
        // A log that wasn't asked for has fewer lines.
        self.interval = self.isShy ? .seconds(10) : self.style.interval
        self.line = ProgressLine(self.style)
        self.parts = PartMap(plan, filename: filename)
        self.total = plan.contentLength
    }

    /// Shows until the task is cancelled.
    func show(_ monitor: UploadMonitor) async {
        // The rate counts what was moved just before a cut, although no line shows it.
        let sampling = min(self.interval, .milliseconds(200))
        let moments = Int(clamping: self.interval / sampling)
        for count in (self.style == .log ? 1 : 0)... {
            if Task.isCancelled { return }
            let progress = monitor.current
            // A log has a line about the retry already, and needs no countdown.
            let isShown = count % moments == 0 && (self.style != .log || progress.nextTry == nil)
            self.line.take(self.moment(progress), isShown: isShown)
            try? await Task.sleep(for: sampling.asWait)
        }
    }

    /// Ends the redrawn line, so that other text can be written.
    func interrupt() { self.line.end() }

    /// Shows the last moment, once, before the answer or the error is written.
    func finish(_ monitor: UploadMonitor) {
        guard !self.isShy || self.start.duration(to: .now) > self.interval else { return self.line.close(nil) }
        var moment = self.moment(monitor.current)
        moment.note = nil
        self.line.close(moment)
    }

    private func moment(_ progress: UploadProgress) -> ProgressMoment {
        var moment = ProgressMoment(
            skipped: progress.start, sent: progress.sent, acknowledged: progress.acknowledged,
            total: progress.total ?? self.total, attempt: max(1, progress.attempt))
        if let part = self.parts.part(at: progress.acknowledged) {
            moment.label = part.label
            moment.part = (part.number, self.parts.count)
        }
        moment.note = self.note(progress)
        return moment
    }

    private func note(_ progress: UploadProgress) -> String? {
        if let next = progress.nextTry {
            let rest = ContinuousClock.now.duration(to: next).seconds
            return rest < 0.5 ? "next try now" : "next try in \(Int(clamping: rest.rounded(.up))) s"
        }
        let silence = Int(clamping: progress.lastActivity.duration(to: .now).seconds)
        let since = silence >= 5 ? ", no progress for \(silence) s" : ""
        switch progress.phase {
        case .connecting: return "connecting"
        case .asking: return "waiting for 100 Continue"
        case .waiting: return "waiting for the server\(since)"
        case .sending: return silence >= 5 ? "stalled: no progress for \(silence) s" : nil
        case .idle, .receiving: return nil
        }
    }
}
