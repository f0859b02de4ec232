#if Client
extension Duration {
    /// `1 second`, `30 seconds` or `0.5 seconds`, for errors.
    var text: String {
        let (seconds, fraction) = self.components
        guard fraction == 0 else { return "\(self / .seconds(1)) seconds" }
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }
}
#endif
