#if Command
import FormworkSystem
import SystemPackage

/// Whether output may have colours.
package enum TerminalColours {
    /// Whether standard output is a terminal with colours, and NO_COLOR is unset or empty.
    package static var areWanted: Bool {
        Terminal.isTerminal(.standardOutput) && !Terminal.isDumb && SystemCalls.environment("NO_COLOR") ?? "" == ""
    }
}
#endif
