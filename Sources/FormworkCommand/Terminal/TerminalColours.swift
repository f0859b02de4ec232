#if Command
import FormworkSystem
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Whether output may have colours.
package enum TerminalColours {
    /// Whether standard output is a terminal with colours, and NO_COLOR is unset or empty.
    package static var areWanted: Bool {
        let environment = ProcessInfo.processInfo.environment
        return Terminal.isTerminal(.standardOutput) && environment["NO_COLOR"] ?? "" == ""
            && environment["TERM"] != "dumb"
    }
}
#endif
