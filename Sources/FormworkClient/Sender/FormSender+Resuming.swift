#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import Synchronization

extension FormSender {
    /// How to resume a transfer that was cut.
    package struct Resuming: Sendable {
        /// The protocol and the number of tries. `isReplayable` comes from the plan, and the rules for redirects
        /// from the sender.
        package var options: UploadClientOptions
        /// A saved upload to resume.
        package var link: UploadLink?
        /// Called with the upload whenever it changes, and with `nil` when nothing is left to resume.
        package var save: @Sendable (UploadLink?) throws -> Void

        package init(
            _ options: UploadClientOptions, continuing link: UploadLink? = nil,
            save: @escaping @Sendable (UploadLink?) throws -> Void = { _ in }
        ) {
            (self.options, self.link, self.save) = (options, link, save)
        }

        /// Whether the upload uses tus, now or since it began.
        package var usesTus: Bool { self.link.map { $0.uploadProtocol == .tus } ?? (self.options.choice == .tus) }
    }

    /// Like the other, but resumes where a connection was cut, if the server supports it. The tries and pauses are
    /// those of `resuming`.
    /// - Throws: Also `UploadFailure`.
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
            return try ResumableSend(plan, request, resuming, self.options)
        }
    }
}
#endif
