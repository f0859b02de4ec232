#if Command
import ArgumentParser
import Formwork
import FormworkSystem
import SystemPackage

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
#endif
