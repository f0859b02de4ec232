import ArgumentParser
import Formwork
import FormworkSystem
import FormworkURLEncoded

/// Progress at one moment.
package struct ProgressMoment: Sendable {
    /// Bytes before the first one that is sent: sent by an earlier process, or not wanted.
    var skipped: Int64 = 0
    /// The position up to which bytes were passed on for sending, counted from the body's start.
    var sent: Int64
    /// Bytes that are known to have arrived; `nil` if that isn't reported.
    var acknowledged: Int64?
    /// Bytes in all; `nil` when unknown.
    var total: Int64?
    /// A short name of the content that is being sent.
    package var label: String?
    /// The part, from 1, and how many there are.
    package var part: (number: Int, count: Int)?
    /// The try, from 1.
    var attempt = 1
    /// What the transfer waits for; `nil` if it doesn't wait.
    package var note: String?

    package init(
        skipped: Int64 = 0, sent: Int64, acknowledged: Int64? = nil, total: Int64? = nil, attempt: Int = 1
    ) {
        (self.skipped, self.sent, self.acknowledged, self.total) = (skipped, sent, acknowledged, total)
        self.attempt = attempt
    }

    /// Bytes that are known to be sent.
    var done: Int64 { self.acknowledged ?? self.sent }

    /// One line, without its end.
    /// - Parameters:
    ///   - rate: Bytes a second.
    ///   - elapsed: Seconds since the start.
    ///   - columns: The terminal's columns, for a line with a bar; `nil` for a line of any length without one.
    func line(rate: Double, elapsed: Double, columns: Int? = nil) -> String {
        let rest = self.line(rate, elapsed)
        guard let columns else { return [self.label, rest].compactMap { $0 }.joined(separator: "  ") }
        // The number of the part gives way to the bar.
        for rest in [rest, self.line(rate, elapsed, without: [.part])] {
            if let line = self.line(withBarBefore: rest, columns) { return line }
        }
        // Then whole items give way, the least important one first. The name may be shortened.
        var dropped: Set<Detail> = []
        for item in [nil] + Detail.allCases {
            if let item { dropped.insert(item) }
            let rest = self.line(rate, elapsed, without: dropped)
            let room = columns - DisplayText.width(of: rest)
            let label = dropped.contains(.label) ? nil : self.label
            guard let label, !label.isEmpty else {
                if room >= 0 { return rest }
                continue
            }
            let least = min(DisplayText.width(of: label), Self.labelColumns.lowerBound) + 2
            if room >= least { return "\(DisplayText(label, limit: room - 2).text)  \(rest)" }
        }
        return DisplayText(self.line(rate, elapsed, without: dropped), limit: columns).text
    }

    /// What a narrow line leaves out, the least important item first. The share and the time left are never left out.
    private enum Detail: CaseIterable {
        case part, rate, total, amount, label, note
    }

    private static let barColumns = 12...32
    private static let labelColumns = 8...30

    /// A line with the bar; `nil` if it doesn't fit, or the length is unknown.
    private func line(withBarBefore rest: String, _ columns: Int) -> String? {
        guard let total, total > 0 else { return nil }
        let room = columns - DisplayText.width(of: rest) - 2
        var label = ""
        if let text = self.label, !text.isEmpty {
            let least = min(DisplayText.width(of: text), Self.labelColumns.lowerBound)
            let left = room - Self.barColumns.lowerBound - 2
            guard left >= least else { return nil }
            label = DisplayText(text, limit: min(left, Self.labelColumns.upperBound)).text + "  "
        }
        let left = room - DisplayText.width(of: label)
        guard left >= Self.barColumns.lowerBound else { return nil }
        let inside = min(left, Self.barColumns.upperBound) - 2
        let share = min(max(Double(self.done) / Double(total), 0), 1)
        let filled = Int(clamping: share * Double(inside))
        let head = filled < inside ? ">" : ""
        let rest = String(repeating: " ", count: max(0, inside - filled - 1)) + "]  \(rest)"
        return "\(label)[\(String(repeating: "=", count: filled))\(head)\(rest)"
    }

    private func line(_ rate: Double, _ elapsed: Double, without dropped: Set<Detail> = []) -> String {
        var words: [String] = []
        let share = self.total.flatMap { $0 > 0 ? "\(Int(clamping: Double(self.done) / Double($0) * 100))%" : nil }
        // Without a share the amount is all that is known.
        if share == nil || !dropped.contains(.amount) {
            let whole = dropped.contains(.total) ? nil : self.total.map { " of \($0.asByteSize)" }
            words.append(self.done.asByteSize + (whole ?? ""))
        }
        if let share { words.append(share) }
        if !dropped.contains(.rate) { words.append("\(Int64(clamping: rate).asByteSize)/s") }
        words.append(self.eta(rate).map { "ETA \(Self.clock($0))" } ?? Self.clock(elapsed))
        var context: [String] = []
        if let part, part.count > 1 { context.append("part \(part.number) of \(part.count)") }
        if self.attempt > 1 { context.append("try \(self.attempt)") }
        if dropped.contains(.part) {
            context = self.attempt > 1 && !dropped.contains(.rate) ? ["try \(self.attempt)"] : []
        }
        if !context.isEmpty { words.append("(\(context.joined(separator: ", ")))") }
        if let note, !dropped.contains(.note) { words.append(note) }
        return words.joined(separator: "  ")
    }

    /// The members of its object.
    func members(rate: Double) -> [(String, ParameterValue)] {
        [
            ("sent", .optional(self.sent)), ("acked", .optional(self.acknowledged)), ("total", .optional(self.total)),
            ("rate", Self.whole(rate)), ("eta_s", self.eta(rate).map { Self.whole($0.rounded()) } ?? .null),
            // From 0, as in every JSON of the command.
            ("part", .optional(self.part.map { Int64($0.number) - 1 })), ("attempt", .optional(Int64(self.attempt))),
            ("note", .optional(self.note)),
        ]
    }

    private static func whole(_ number: Double) -> ParameterValue { .integer(Int128(Int64(clamping: number))) }

    private func eta(_ rate: Double) -> Double? {
        guard let total, rate >= 1, self.done < total else { return nil }
        return (Double(total) - Double(self.done)) / rate
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(clamping: min(max(seconds.rounded(), 0), 359_999))
        let (minutes, seconds) = (whole / 60 % 60, (whole % 60).padded(to: 2))
        return whole >= 3600 ? "\(whole / 3600):\(minutes.padded(to: 2)):\(seconds)" : "\(minutes):\(seconds)"
    }
}

/// How progress is shown.
package enum ProgressOption: String, ChoiceOption {
    case auto, bar, log, json, none

    package static let help: ArgumentHelp = """
        Progress on standard error: auto, bar (a redrawn line), log (a line with the time for each event), json (one \
        object for each event, warnings and errors included), or none: only errors.
        """

    /// The style. `auto` means a bar if standard error is a terminal and the body isn't written to it, otherwise none. A
    /// terminal that can't redraw a line (`TERM` is `dumb` or missing) gets lines.
    package func style(bodyGoesToTerminal: Bool) -> ProgressStyle? {
        switch self {
        case .auto where !Terminal.isTerminal(.standardError) || bodyGoesToTerminal: nil
        case .auto: Terminal.isDumb ? .log : .bar
        case .bar: .bar
        case .log: .log
        case .json: .json
        case .none: nil
        }
    }
}

/// A way to show progress.
package enum ProgressStyle: Sendable {
    case bar, log, json

    /// The default time between two reports.
    package var interval: Duration { self == .bar ? .milliseconds(100) : .seconds(2) }
}

/// An option whose value is one of some words.
package protocol ChoiceOption: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension ChoiceOption {
    /// The words. ArgumentParser's own way to find them is an eighth of the time that a verb needs to start.
    package static var allValueStrings: [String] { self.allCases.map { $0.rawValue } }
}
