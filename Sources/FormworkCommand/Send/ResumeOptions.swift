#if Transfer
    import ArgumentParser
    import Formwork
    import FormworkHTTP
    import FormworkNIO
    import SystemPackage

    extension ResumableChoice: ExpressibleByArgument {}

    /// The options that say how a cut upload goes on.
    struct ResumeOptions: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "Go on where a connection was cut: by the IETF's draft (ietf), by tus 1.0 (tus), as the server offers (auto: "
                    + "one ordinary request, and the draft where the server knows it), or not at all (off, the default).",
                valueName: "protocol"))
        var resume: ResumableChoice?

        @Option(
            help: ArgumentHelp(
                "Keep in this file where the upload is, so that the same command goes on after a crash or an interruption; "
                    + "removed when it is over. Implies --resume auto.", valueName: "file"))
        var state: String?

        @Option(
            help: ArgumentHelp(
                "Bytes of one request at most, where they go to a server that keeps whole requests only.",
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
            var resuming: Sender.Resuming?
        }

        /// Reads the saved state, and takes the digest.
        /// - Parameters:
        ///   - request: Gets the digest.
        ///   - repeatsAll: Whether a whole request that was lost may be made again, as somebody asked for it.
        ///   - warn: Says that something is not as one may expect.
        func prepare(
            _ plan: BodyPlan, _ request: inout HTTPRequest, _ retry: RetryPolicy, repeatsAll: Bool,
            _ warn: (String) -> Void
        ) async throws -> Prepared {
            var prepared = Prepared(plan: plan)
            var link: UploadLink?
            var save: @Sendable (UploadLink?) throws -> Void = { _ in }
            if let state {
                let (url, method) = (request.urlText, request.method)
                let path = FilePath(state)
                (prepared.plan, link) = try self.restored(plan, path, url, method, warn)
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
            prepared.resuming = Sender.Resuming(options, continuing: link, save: save)
            return prepared
        }

        private func restored(
            _ plan: BodyPlan, _ path: FilePath, _ url: String, _ method: HTTPRequest.Method, _ warn: (String) -> Void
        ) throws -> (BodyPlan, UploadLink?) {
            // Also when there is none yet: a body that can't be made again is refused before it is sent.
            let key = try ResumableState.key(url: url, method: method, plan: plan)
            guard let state = try ResumableState(file: path) else { return (plan, nil) }
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
            return (try state.plan(from: plan), link)
        }
    }
#endif
