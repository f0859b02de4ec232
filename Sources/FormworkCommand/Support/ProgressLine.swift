#if Command
import Formwork
import Synchronization
import SystemPackage

/// Progress on standard error: one line redrawn, lines, or objects.
final class ProgressLine: Sendable {
    private struct State {
        var rate: ProgressRate
        var isDrawn = false
    }

    private let style: ProgressStyle
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(_ style: ProgressStyle) {
        self.style = style
        self.state = Mutex(State(rate: ProgressRate(from: self.start)))
    }

    /// Shows progress while `body` runs, and leaves the last of it on a line of its own.
    /// - Parameter offset: Where the body is begun: what lies before is not moved.
    static func shown(
        _ style: ProgressStyle?, from offset: Int64 = 0, _ body: (ReaderOptions) throws -> Void
    ) throws {
        guard let style else { return try body(ReaderOptions()) }
        let line = ProgressLine(style)
        defer { line.end() }
        let observer = ProgressObserver(every: style.interval) { line.show(ProgressMoment($0, from: offset)) }
        try body(ReaderOptions(progress: observer))
    }

    /// Shows a moment.
    func show(_ moment: ProgressMoment) {
        let rate = self.state.withLock { $0.rate.take(moment, at: .now) }
        switch self.style {
        case .bar: Self.write("\r\(moment.line(rate: rate, elapsed: self.start.duration(to: .now).seconds))\u{1B}[K")
        case .log: Self.write(moment.line(rate: rate, elapsed: self.start.duration(to: .now).seconds) + "\n")
        case .json: Self.write(moment.json(rate: rate) + "\n")
        }
        self.state.withLock { $0.isDrawn = true }
    }

    /// Leaves a line that is redrawn behind, so that others can write.
    func end() {
        let wasDrawn = self.state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if self.style == .bar, wasDrawn { Self.write("\n") }
    }

    private static func write(_ text: String) { StandardError.write(text) }
}

extension ProgressMoment {
    /// What a reader is at.
    init(_ progress: BodyProgress, from offset: Int64) {
        self.init(skipped: offset, sent: progress.position, total: progress.length)
        self.label = progress.part.map { "\($0)".count > 30 ? "part \($0.index + 1)" : "\($0)" }
    }
}

extension Duration {
    /// Seconds, fractions included.
    var seconds: Double { self / .seconds(1) }
}
#endif
