import ArgumentParser
import Formwork
import Glibc
import SystemPackage

/// When progress is shown.
enum ProgressOption: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    /// Whether to show it: on a terminal that the body itself doesn't go to.
    func isOn(bodyGoesToTerminal: Bool) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: isatty(FileDescriptor.standardError.rawValue) == 1 && !bodyGoesToTerminal
        }
    }
}

/// One line on standard error, redrawn: part, bytes, per cent, rate and time left.
struct ProgressLine: Sendable {
    private let start = ContinuousClock.now

    /// Draws the line while `body` runs, and leaves it behind on a line of its own.
    static func shown(_ isShown: Bool, _ body: (ReaderOptions) throws -> Void) throws {
        guard isShown else { return try body(ReaderOptions()) }
        let line = ProgressLine()
        defer { line.draw("\n") }
        try body(ReaderOptions(progress: ProgressObserver { line.draw("\r\(line.text(for: $0))\u{1B}[K") }))
    }

    private func draw(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }

    private func text(for progress: BodyProgress) -> String {
        var words: [String] = []
        if let part = progress.part { words.append("\(part)".count > 30 ? "part \(part.index + 1)" : "\(part)") }
        var amount = Self.size(progress.position)
        if let length = progress.length { amount += " of \(Self.size(length))" }
        words.append(amount)
        let seconds = Self.seconds(self.start.duration(to: .now))
        let rate = Double(progress.position) / max(seconds, 0.001)
        if let length = progress.length, length > 0 {
            words.append("\(Int(Double(progress.position) / Double(length) * 100))%")
        }
        words.append("\(Self.size(Int64(rate)))/s")
        if let length = progress.length, rate > 0, progress.position < length {
            words.append("ETA \(Self.clock(Double(length - progress.position) / rate))")
        } else {
            words.append(Self.clock(seconds))
        }
        return words.joined(separator: "  ")
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(min(seconds.rounded(), 359_999))
        let minutes = whole / 60 % 60
        let tail = (whole % 60 < 10 ? "0" : "") + "\(whole % 60)"
        return whole >= 3600 ? "\(whole / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(tail)" : "\(minutes):\(tail)"
    }

    /// `41.9 MiB`: binary units, three digits or so.
    static func size(_ bytes: Int64) -> String {
        var value = Double(bytes)
        for unit in ["B", "KiB", "MiB", "GiB", "TiB"] {
            if value < 1024 || unit == "TiB" {
                let tenths = Int((value * 10).rounded())
                let isWhole = unit == "B" || tenths >= 1000
                return isWhole ? "\(Int(value.rounded())) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
            }
            value /= 1024
        }
        return "\(bytes) B"
    }
}
