#if Command
import ArgumentParser
import Formwork
import Glibc
import SystemPackage

/// How progress is shown.
enum ProgressOption: String, ExpressibleByArgument, CaseIterable {
    case auto, bar, log, json, none

    static let help: ArgumentHelp = """
        Progress on standard error: auto, bar (one redrawn line), log (a line now and then), json (one object a line), or \
        none.
        """

    /// The style: on its own a bar on a terminal that the body itself doesn't go to, and else nothing.
    func style(bodyGoesToTerminal: Bool) -> ProgressStyle? {
        switch self {
        case .auto: isatty(FileDescriptor.standardError.rawValue) == 1 && !bodyGoesToTerminal ? .bar : nil
        case .bar: .bar
        case .log: .log
        case .json: .json
        case .none: nil
        }
    }
}

/// A way to show progress.
enum ProgressStyle: Sendable {
    case bar, log, json

    /// The time between two reports, unless somebody says otherwise.
    var interval: Duration { self == .bar ? .milliseconds(100) : .seconds(2) }
}
#endif
