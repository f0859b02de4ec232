import Formwork
import FormworkSystem
import Synchronization

/// Progress on standard error: one line redrawn, lines, or objects.
package final class ProgressLine: Sendable {
    private struct State {
        var rate: ProgressRate
        var isDrawn = false
        /// Nothing more is shown, because other output follows on the terminal.
        var isClosed = false
        /// What the last line of a log showed.
        var logged: LogKey?
    }

    /// Two moments with the same key are one event of a log. Only seconds have passed between them.
    private struct LogKey: Equatable {
        var done: Int64
        var attempt: Int
        var note: String?

        init(_ moment: ProgressMoment) {
            let note = moment.note.map { String($0.filter { !$0.isNumber }) }
            (self.done, self.attempt, self.note) = (moment.done, moment.attempt, note)
        }
    }

    private let style: ProgressStyle
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    package init(_ style: ProgressStyle) {
        self.style = style
        self.state = Mutex(State(rate: ProgressRate(from: self.start)))
        switch style {
        case .bar: break
        case .log: Messages.use(.timed)
        case .json: Messages.use(.events)
        }
    }

    /// Shows progress while `body` runs, and keeps the last state on a line of its own.
    /// - Parameter offset: The first byte that is sent. Bytes before it don't count.
    static func shown(
        _ style: ProgressStyle?, from offset: Int64 = 0, _ options: ReaderOptions,
        _ body: (ReaderOptions) throws -> Void
    ) throws {
        guard let style else { return try body(options) }
        let line = ProgressLine(style)
        defer { line.end() }
        var options = options
        options.progress = { line.take(ProgressMoment($0, from: offset)) }
        options.progressInterval = style.interval
        try body(options)
    }

    /// Counts a moment for the rate, and shows it.
    package func take(_ moment: ProgressMoment, isShown: Bool = true) {
        // Written under the lock, so that nothing is written after the line is closed.
        self.state.withLock { state in
            guard !state.isClosed else { return }
            let rate = state.rate.take(moment, at: .now)
            guard isShown else { return }
            let elapsed = self.start.duration(to: .now).seconds
            switch self.style {
            case .bar:
                // A line that reaches the last column would wrap, and be redrawn one line below.
                let columns = max(1, (Terminal.columns(of: .standardError) ?? 80) - 1)
                Self.write("\r\(moment.line(rate: rate, elapsed: elapsed, columns: columns))\u{1B}[K")
            case .log:
                let key = LogKey(moment)
                guard key != state.logged else { return }
                state.logged = key
                Self.write("\(WallClock.timeOfDay()) \(moment.line(rate: rate, elapsed: elapsed))\n")
            case .json: Messages.write(event: "progress", moment.members(rate: rate))
            }
            state.isDrawn = true
        }
    }

    /// Shows a last moment, if there is one, and nothing after it.
    package func close(_ moment: ProgressMoment?) {
        if let moment { self.take(moment) }
        self.end()
        self.state.withLock { $0.isClosed = true }
    }

    /// Ends the redrawn line, so that other text can be written.
    package func end() {
        let wasDrawn = self.state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if self.style == .bar, wasDrawn { Self.write("\n") }
    }

    private static func write(_ text: String) { StandardError.write(text) }
}

extension ProgressMoment {
    /// A reader's position.
    init(_ progress: UploadProgress, from offset: Int64) {
        self.init(skipped: offset, sent: progress.sent, total: progress.total)
        self.label = progress.part.map { "\($0)".unicodeScalars.count > 30 ? "part \($0.index + 1)" : "\($0)" }
    }
}

extension Duration {
    /// Seconds, with fractions.
    package var seconds: Double { self / .seconds(1) }
}

/// Bytes per second over the last ten seconds, the pauses between requests included.
struct ProgressRate {
    private static let window = Duration.seconds(10)
    private var samples: [(instant: ContinuousClock.Instant, done: Int64)]
    private var skipped: Int64 = 0

    /// Begins to count.
    init(from instant: ContinuousClock.Instant) { self.samples = [(instant, 0)] }

    /// Adds a moment.
    /// - Returns: Bytes per second, finite and at least 0.
    mutating func take(_ moment: ProgressMoment, at now: ContinuousClock.Instant) -> Double {
        let last = self.samples[self.samples.count - 1].done
        if moment.skipped != self.skipped || moment.done < last {
            // A request begins elsewhere, or the server has fewer bytes: what was moved before counts, and the step doesn't.
            let step = (moment.skipped != self.skipped ? moment.skipped : moment.done) &- last
            self.samples = self.samples.map { ($0.instant, $0.done &+ step) }
            self.skipped = moment.skipped
        }
        self.samples.append((now, moment.done))
        while self.samples.count > 2, self.samples[1].instant < now - Self.window { self.samples.removeFirst() }
        let (moved, isBeyond) = moment.done.subtractingReportingOverflow(self.samples[0].done)
        let seconds = max(self.samples[0].instant.duration(to: now).seconds, 0.001)
        return max(0, isBeyond ? Double(Int64.max) : Double(moved)) / seconds
    }
}
