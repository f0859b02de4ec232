#if Command
import Formwork
import SystemPackage

/// Writes results to standard output. A full disk or closed pipe is an error.
package enum StandardOutput {
    package static func write(_ text: String) throws { try self.write(.text(text)) }

    /// - Throws: `writeFailed`, with the system's error.
    static func write(_ source: BodySource) throws {
        do { try BodyPlan(copying: source).write(to: .standardOutput) } catch {
            guard error.code == .writeFailed else { throw error }
            throw FormworkError(.writeFailed, "standard output can't be written", cause: error.cause)
        }
    }
}
#endif
