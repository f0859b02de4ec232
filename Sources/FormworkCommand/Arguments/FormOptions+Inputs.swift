#if Command
import Formwork

extension FormOptions {
    /// The files that a plan reads, and the description that it was made from.
    package func inputs(of plan: BodyPlan) -> [String] {
        let sources = plan.layout.compactMap { entry in
            switch entry.kind {
            case .file(let path, _): path
            // A stream's name may be a path, too.
            case .stream(let name): name
            default: nil
            }
        }
        return sources + [self.description].compactMap(\.self)
    }
}
#endif
