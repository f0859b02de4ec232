import Formwork
import Synchronization
import SystemPackage

/// Progress on standard error: one line redrawn, lines, or objects.
final class ProgressLine: Sendable {
    private struct State {
        /// What was done when, over the last five seconds.
        var samples: [(instant: ContinuousClock.Instant, done: Int64)] = []
        var isDrawn = false
    }

    private let style: ProgressStyle
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    init(_ style: ProgressStyle) { self.style = style }

    /// Shows progress while `body` runs, and leaves the last of it on a line of its own.
    static func shown(_ style: ProgressStyle?, _ body: (ReaderOptions) throws -> Void) throws {
        guard let style else { return try body(ReaderOptions()) }
        let line = ProgressLine(style)
        defer { line.end() }
        let observer = ProgressObserver(every: style.interval) { line.show(ProgressMoment($0)) }
        try body(ReaderOptions(progress: observer))
    }

    /// Shows a moment.
    func show(_ moment: ProgressMoment) {
        let rate = self.rate(moment.done)
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

    private static func write(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }

    /// Bytes a second, over the last five seconds.
    private func rate(_ done: Int64) -> Double {
        let now = ContinuousClock.now
        return self.state.withLock { state in
            // Another try begins anew.
            if let last = state.samples.last, last.done > done { state.samples = [] }
            if state.samples.isEmpty { state.samples = [(done > 0 && !state.isDrawn ? self.start : now, 0)] }
            state.samples.append((now, done))
            while state.samples.count > 2, state.samples[1].instant < now - .seconds(5) { state.samples.removeFirst() }
            let first = state.samples[0]
            return Double(done - first.done) / max(first.instant.duration(to: now).seconds, 0.001)
        }
    }
}

extension ProgressMoment {
    /// What a reader is at.
    init(_ progress: BodyProgress) {
        self.init(sent: progress.position, total: progress.length)
        self.label = progress.part.map { "\($0)".count > 30 ? "part \($0.index + 1)" : "\($0)" }
    }
}

extension Duration {
    /// Seconds, fractions included.
    var seconds: Double { Double(self.components.seconds) + Double(self.components.attoseconds) / 1e18 }
}
