#if Client
extension Duration {
    /// `1 second`, `30 seconds` or `0.5 seconds`, for errors.
    var text: String {
        let seconds = self / .seconds(1)
        if seconds == 1 { return "1 second" }
        return seconds == seconds.rounded() && abs(seconds) < 1e15 ? "\(Int64(seconds)) seconds" : "\(seconds) seconds"
    }
}
#endif
