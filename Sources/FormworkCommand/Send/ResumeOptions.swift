#if Transfer
import ArgumentParser
import Formwork
import FormworkHTTP
import FormworkResumable
import FormworkNIO
import FormworkClient
import SystemPackage

extension ResumableChoice: ExpressibleByArgument {}

/// The options that say how a cut upload goes on.
struct ResumeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How a cut upload continues: ietf (the IETF's draft), tus (tus 1.0), auto (an ordinary request, resumed by the "
                + "draft if the server knows it), or off (the default).",
            valueName: "protocol"))
    var resume: ResumableChoice?

    @Option(
        help: ArgumentHelp(
            "Keep the upload's state in this file, so that the same command continues it after a crash or an "
                + "interruption. Removed when the upload is complete. Implies --resume auto.", valueName: "file"))
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
            throw ValidationError("--state: there is nothing to keep with --resume off")
        }
        guard self.pieceSize.map({ $0.bytes > 0 && self.choice != .off }) ?? true else {
            throw ValidationError("--piece-size: give 1 or more, and --resume")
        }
    }

    /// A body, and how it goes on.
    struct Prepared {
        var plan: BodyPlan
        /// `nil` for a plain transfer.
        var resuming: FormSender.Resuming?
    }

    /// Reads the saved state, and takes the digest.
    /// - Parameters:
    ///   - request: Gets the digest.
    ///   - boundary: The one that was asked for; `nil` for any.
    ///   - repeatsAll: Whether a whole request that was lost may be made again, as somebody asked for it.
    ///   - warn: Says that something is not as one may expect.
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
                warn("--boundary is ignored: the upload that \(path) keeps goes on with its own boundary")
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
        // A server that is told of the upload before its bytes can be asked for it whatever happens to them.
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
        // Also when there is none yet: a body that can't be made again is refused before it is sent.
        let key: String
        do throws(FormworkError) { key = try ResumableState.key(url: url, method: method, plan: plan) } catch {
            guard error.code == .notReplayable else { throw error }
            let part = error.part.map { "\($0): " } ?? ""
            throw ExitStatus(
                65,
                "formwork: --state: \(part)a later process can't read this content again: give a file, or leave out --state"
                    .withControlCharactersEscaped)
        }
        guard let state = try Self.saved(path) else { return (plan, nil) }
        if state.isExpired() {
            warn("\(path): the server has forgotten that upload by now, and it begins anew")
            ResumableState.remove(path)
            return (plan, nil)
        }
        guard state.key == key, let link = state.link else {
            throw FormworkError(
                .sourceChanged,
                "holds another upload, to \(state.url) or of other parts: remove it to begin anew, or keep this one in another file",
                path: path.string)
        }
        do throws(FormworkError) { return (try state.plan(from: plan), link) } catch {
            var error = error
            if error.code == .sourceChanged, let file = error.path {
                error.message =
                    "\(file) is not the file any more whose upload began: remove \(path) to begin anew"
            }
            error.path = path.string
            throw error
        }
    }

    private static func saved(_ path: FilePath) throws(FormworkError) -> ResumableState? {
        do { return try ResumableState(file: path) } catch {
            var error = error
            // What a decoder says is about its types.
            if error.cause is DecodingError { error.cause = nil } else { error.message = "can't be read" }
            throw error
        }
    }
}
#endif
