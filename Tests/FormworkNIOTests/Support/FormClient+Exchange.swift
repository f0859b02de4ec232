@testable import FormworkClient

extension FormClient {
    /// An exchange without hooks, except for informational answers.
    func exchange<Result: Sendable>(
        _ request: HTTPRequest, body: ExchangeBody? = nil, monitor: UploadMonitor? = nil,
        informed: @escaping @Sendable (HTTPResponse) async -> Void = { _ in },
        answered: (ExchangeResponse) async throws -> Result
    ) async throws -> Result {
        var hooks = ExchangeHooks()
        hooks.informed = { response in
            await informed(response)
            return true
        }
        return try await self.exchange(
            request, body: body, expectsContinue: nil, reading: ReaderOptions(), monitor: monitor, hooks: hooks,
            answered: answered)
    }
}
