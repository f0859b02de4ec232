#if Client
import Formwork

extension Duration {
    /// `1 second`, `30 seconds` or `0.5 seconds`, for errors.
    package var text: String {
        let seconds = self / .seconds(1)
        // The components of a longer duration may not fit.
        guard seconds == seconds.rounded(), abs(seconds) < 1e15 else { return "\(seconds) seconds" }
        return "\(self.components.seconds, "second")"
    }
}
#endif
