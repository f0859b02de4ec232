#if Command
import Formwork
import SystemPackage

/// Results go to standard output, and a full disk or closed pipe there is told.
enum StandardOutput {
    static func write(_ text: String) throws {
        try BodyPlan(copying: .text(text)).write(to: .standardOutput)
    }
}
#endif
