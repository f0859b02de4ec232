#if Command
import Formwork
import SystemPackage

/// Writes results to standard output. A full disk or closed pipe is an error.
package enum StandardOutput {
    package static func write(_ text: String) throws {
        try BodyPlan(copying: .text(text)).write(to: .standardOutput)
    }
}
#endif
