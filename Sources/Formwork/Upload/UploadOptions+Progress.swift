extension UploadOptions {
    /// Runs an upload, and reports its progress on the caller's actor.
    /// - Parameter report: Called as often as ``UploadMonitor/progress`` has a value; `nil` for no reports.
    package func reporting<Answer: Sendable>(
        _ report: ((UploadProgress) -> Void)?, isolation: isolated (any Actor)? = #isolation,
        _ upload: @escaping @Sendable (UploadOptions) async throws -> Answer
    ) async throws -> Answer {
        guard let report else { return try await upload(self) }
        let monitor = self.monitor ?? UploadMonitor()
        var options = self
        options.monitor = monitor
        async let answer = upload(options)
        for await progress in monitor.progress { report(progress) }
        return try await answer
    }
}
