#if Command
import Formwork

extension BodyPlan.Blocker {
    /// The option with which a form gets a length, as the end of an error; empty if no option helps.
    package var lengthRemedy: String {
        if self.reason.hasPrefix("standard input") { return ": --spool finds it" }
        return self.reason.hasPrefix("quoted-printable") ? ": --prescan finds it" : ""
    }
}
#endif
