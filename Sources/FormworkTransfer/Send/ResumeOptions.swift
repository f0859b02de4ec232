#if Transfer
import ArgumentParser
import Formwork
import FormworkCommand
import FormworkHTTP
import FormworkResumable
import FormworkNIO
import FormworkClient
import SystemPackage

extension ResumableChoice: ExpressibleByArgument {}

/// How a cut upload continues.
struct ResumeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How a cut upload continues: ietf (the IETF's draft), tus (tus 1.0), auto (an ordinary request, resumed "
                + "with the draft if the server supports it), or off (the default).",
            valueName: "protocol"))
    var resume: ResumableChoice?

    @Option(
        help: ArgumentHelp(
            "Keep the upload's state in this file, so that the same command continues it after a crash or an "
                + "interruption. Removed when the upload is complete. Implies --resume auto.", valueName: "file"),
        completion: .file())
    var state: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Send at most this many bytes in one request, for servers that keep only whole requests.",
            valueName: "size"))
    var pieceSize: ByteCount?

    @Flag(
        help:
            "Send the body's SHA-256 as Repr-Digest (RFC 9530), for the server to check; reads every source twice.")
    var reprDigest = false

    var choice: ResumableChoice { self.resume ?? (self.state == nil ? .off : .auto) }

    func validate() throws {
        guard self.state == nil || self.choice != .off else {
            throw ValidationError("--state: has no use with --resume off: leave one of them out")
        }
        guard self.pieceSize.map({ $0.bytes > 0 && self.choice != .off }) ?? true else {
            throw ValidationError("--piece-size: give 1 or more, together with --resume or --state")
        }
    }

    /// A body, and how it is resumed.
    struct Prepared {
        var plan: BodyPlan
        /// `nil` for a plain transfer.
        var resuming: FormSender.Resuming?
    }

    /// Reads the saved state and computes the digest.
    /// - Parameters:
    ///   - request: Receives the digest.
    ///   - boundary: The requested one; `nil` for any.
    ///   - repeatsAll: Whether a whole request without an answer may be repeated, because the user gave --retry.
    ///   - warn: Prints a warning.
    func prepare(
        _ plan: BodyPlan, _ request: inout HTTPRequest, _ retry: RetryPolicy, boundary: String?,
        repeatsAll: Bool, _ warn: (String) -> Void
    ) async throws -> Prepared {
        var prepared = Prepared(plan: plan)
        var link: UploadLink?
        var save: @Sendable (UploadLink?) throws -> Void = { _ in }
        if let state {
            let (url, method) = (request.urlText, request.method)
            let path = FilePath(state)
            try OutputPlace.checkState(state)
            (prepared.plan, link) = try self.restored(plan, path, url, method, warn)
            if boundary != nil, link != nil, prepared.plan.contentType != plan.contentType {
                warn("--boundary is ignored: the upload saved in \(path) continues with its own boundary")
            }
            save = { [plan = prepared.plan] link in
                guard let link else { return ResumableState.remove(path) }
                try ResumableState(link, url: url, method: method, plan: plan).write(to: path)
            }
        }
        var digest: DigestField?
        if self.reprDigest {
            digest = try await prepared.plan.reprDigest()
            request.headerFields[.reprDigest] = digest?.fieldValue
        }
        guard self.choice != .off else { return prepared }
        var options = UploadClientOptions(self.choice)
        options.reprDigest = digest
        options.maximumAppendSize = self.pieceSize?.bytes
        // If the upload is created before its bytes are sent, its offset can be queried after any failure.
        options.createsFirst = self.choice == .ietf
        options.maximumAttempts = min(retry.count, .max - 1) + 1
        options.repeatsUnanswered = repeatsAll && retry.count > 0
        options.retriesAllErrors = retry.retriesAllErrors
        if let delay = retry.delay { options.delays = [delay] }
        prepared.resuming = FormSender.Resuming(options, continuing: link, save: save)
        return prepared
    }

    private func restored(
        _ plan: BodyPlan, _ path: FilePath, _ url: String, _ method: HTTPRequest.Method, _ warn: (String) -> Void
    ) throws -> (BodyPlan, UploadLink?) {
        // Checked even without a saved state: a body that can't be made again is refused before it is sent.
        let key: String
        do throws(FormworkError) { key = try ResumableState.key(url: url, method: method, plan: plan) } catch {
            guard error.code == .notReplayable else { throw error }
            let part = error.part.map { "\($0): " } ?? ""
            throw ExitStatus(
                65,
                ("formwork: --state: \(part)a later process can't read this content again: use a file, or leave out "
                    + "--state").withControlCharactersEscaped)
        }
        guard let state = try Self.saved(path) else { return (plan, nil) }
        if state.isExpired() {
            warn("\(path): the saved upload has expired on the server: starting again")
            ResumableState.remove(path)
            return (plan, nil)
        }
        guard state.key == key, let link = state.link else {
            throw FormworkError(
                .sourceChanged,
                "holds another upload, to \(state.url) or of other parts: remove it, or give --state another file",
                path: path.string)
        }
        do throws(FormworkError) { return (try state.plan(from: plan), link) } catch {
            var error = error
            if error.code == .sourceChanged, let file = error.path {
                error.message =
                    "\(file) changed since its upload began: remove \(path) to start again"
            }
            error.path = path.string
            throw error
        }
    }

    private static func saved(_ path: FilePath) throws(FormworkError) -> ResumableState? {
        do { return try ResumableState(file: path) } catch {
            var error = error
            // A decoder's text describes Swift types, which doesn't help the user.
            if error.cause is DecodingError { error.cause = nil } else { error.message = "can't be read" }
            throw error
        }
    }
}
#endif
