#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import Synchronization

extension FormSender {
    /// How a transfer goes on after it was cut.
    package struct Resuming: Sendable {
        /// Which protocol, and how often; whether the body can be read again, and how many redirects are followed, the
        /// plan and the sender say.
        package var options: UploadClientOptions
        /// A saved upload, to go on with.
        package var link: UploadLink?
        /// Is told the upload whenever that changes, and `nil` once nothing is left to go on with.
        package var save: @Sendable (UploadLink?) throws -> Void

        package init(
            _ options: UploadClientOptions, continuing link: UploadLink? = nil,
            save: @escaping @Sendable (UploadLink?) throws -> Void = { _ in }
        ) {
            (self.options, self.link, self.save) = (options, link, save)
        }
    }

    /// As the other, going on where a connection was cut, as far as the server lets it. The tries and pauses are those of
    /// `resuming`.
    /// - Throws: `UploadFailure` too.
    package func send<Result: Sendable>(
        _ plan: BodyPlan, with request: HTTPRequest, resuming: Resuming, observer: Observer = Observer(),
        answered: @escaping @Sendable (ExchangeAnswer, Trace) async throws -> Result
    ) async throws -> Result {
        let kept = Mutex(resuming.link)
        var resuming = resuming
        let save = resuming.save
        resuming.save = { link in
            kept.withLock { $0 = link }
            try save(link)
        }
        let first = resuming
        return try await self.run(plan, request, observer, answered) { plan, request in
            var resuming = first
            resuming.link = kept.withLock { $0 }
            return try ResumableSend(plan, request, resuming, maximumRedirects: self.options.maximumRedirects)
        }
    }
}
#endif
