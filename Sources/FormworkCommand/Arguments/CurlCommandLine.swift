#if Command
import Formwork

/// A curl command for a shell.
enum CurlCommandLine {
    static func text(for plan: BodyPlan, followedBy words: [String] = []) throws(FormworkError) -> String {
        let arguments = try plan.curlArguments() + words
        return (["curl"] + arguments).map(ShellQuote.quote).joined(separator: " ") + "\n"
    }
}
#endif
