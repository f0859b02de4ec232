/// How to resume an upload that was cut, and where to save its state, so that a new process can resume it too.
///
/// The saved state contains the request's and the upload's URL, the boundaries, and the path and fingerprint of each
/// file, but no content and no values of fields. Everyone who knows the upload's URL can add to it. A new process needs
/// the same form and the same URL; it uses the saved boundaries.
///
/// A tus server that doesn't read forms gets the form's one file, and the fields as metadata. A form that metadata can't
/// describe, or with several files, is ``FormworkError/Code/invalidArgument``.
public struct UploadResuming: Sendable {
    /// The protocol. A saved upload resumes with its own.
    public var choice: ResumableChoice
    /// Consecutive tries without progress before the upload fails; at least 1. Default 8.
    public var maximumAttempts = 8
    /// The pause before each try after a failure; `nil` for 0, 1, 2, 4, 8, 16 and 30 seconds. A server's `Retry-After`
    /// takes precedence. `FormSender` ends a pause when a server that couldn't be reached accepts connections again.
    public var delay: Duration?
    /// The most bytes in one request; `nil` for only the server's limit. For servers that keep only whole requests.
    public var maximumRequestSize: Int64?
    private var memory: Memory?

    private struct Memory: Sendable {
        var load: @Sendable () async throws -> ResumableState?
        var save: @Sendable (ResumableState?) throws -> Void
        /// Keeps other uploads from the same state until the result is released.
        var lock: @Sendable () throws -> FileLock? = { nil }
        /// The name for errors.
        var name = "the saved upload"
    }

    /// Saves nothing: the upload resumes after a cut, but not in a new process.
    public init(by choice: ResumableChoice = .auto) { (self.choice, self.memory) = (choice, nil) }

    /// Saves the upload's state in a file that only this user can read, and removes the file when the upload has ended.
    ///
    /// While an upload uses the file, there is a lock beside it, with the extension `lock`. Another upload with the same file,
    /// in this process or another one, is ``FormworkError/Code/invalidArgument``: it would send everything a second time.
    /// - Parameters:
    ///   - choice: The protocol.
    ///   - path: The file, for this upload only.
    public init(by choice: ResumableChoice = .auto, file path: some PathConvertible) {
        let path = AtomicFile.place(of: path.filePath)
        self.choice = choice
        self.memory = Memory {
            try ResumableState(file: path)
        } save: { state in
            if let state { try state.write(to: path) } else { ResumableState.remove(path) }
        } lock: {
            if let lock = try FileLock(FilePath("\(path).lock"), handlesSignals: false) { return lock }
            throw FormworkError(
                .invalidArgument, "another upload uses this saved state: wait for it to end", path: path.string)
        }
        self.memory?.name = "the saved upload in \(path)"
    }

    /// Saves the upload's state in the caller's store, for one upload at a time: two with one state would send everything twice.
    /// - Parameters:
    ///   - choice: The protocol.
    ///   - load: Returns the state that was saved last for this upload; `nil` for none. Called once, at the start.
    ///   - save: Saves these few hundred bytes, or deletes them for `nil`. It is called a few times while the
    ///     connection waits, so it should be quick. An error that it throws ends the upload.
    public init(
        by choice: ResumableChoice = .auto, load: @escaping @Sendable () async throws -> [UInt8]?,
        save: @escaping @Sendable ([UInt8]?) throws -> Void
    ) {
        self.choice = choice
        self.memory = Memory {
            try await load().map(ResumableState.init)
        } save: {
            try save($0?.bytes())
        }
    }

    /// The body as it was when the upload began, the upload's saved state, and its lock, which the caller releases.
    /// - Throws: ``FormworkError/Code/notReplayable`` for a body that a later process can't make again, if the state is
    ///   saved; ``FormworkError/Code/sourceChanged`` if the saved state is of another form or target, or a file has
    ///   changed; the errors of loading and saving.
    func prepare(
        _ plan: BodyPlan, _ request: HTTPRequest, _ retry: RetryPolicy
    ) async throws -> (plan: BodyPlan, resuming: ResumingOptions, lock: FileLock?) {
        var options = ResumingOptions(self.choice)
        // If the upload is created before its bytes are sent, its state can be asked for whatever happens to them.
        options.createsFirst = self.choice == .ietf
        options.maximumAppendSize = self.maximumRequestSize
        options.maximumAttempts = max(1, self.maximumAttempts)
        options.retriesAllErrors = retry.retriesAllErrors
        if let delay { options.delays = [delay] }
        options.maximumRetryAfter = retry.maximumRetryAfter
        guard let memory else { return (plan, options, nil) }
        let (url, method) = (request.urlText, request.method)
        // Even if nothing is saved yet: a body that can't be made again is refused before it is sent.
        let key = try ResumableState.key(url: url, method: method, plan: plan)
        let lock = try memory.lock()
        var begun = plan
        if let state = try await memory.load() {
            if state.isExpired() {
                try memory.save(nil)
            } else {
                guard state.key == key, let kept = state.link else {
                    throw FormworkError(
                        .sourceChanged,
                        "\(memory.name) is another one, to \(SecretText.masked(url: state.url)) or with other parts: delete it to start again, or "
                            + "save this one elsewhere")
                }
                options.link = kept
                do throws(FormworkError) { begun = try state.plan(from: plan) } catch {
                    guard error.code == .sourceChanged, error.path != nil else { throw error }
                    var error = error
                    error.message = "the file changed since the upload began: delete \(memory.name) to start again"
                    throw error
                }
            }
        }
        let body = begun
        options.save = { link in
            guard let link else { return try memory.save(nil) }
            try memory.save(ResumableState(link, url: url, method: method, plan: body))
        }
        return (body, options, lock)
    }
}

extension FormSender {
    /// Sends a body, resumes it where a connection was cut if the server supports that, and calls a closure with the
    /// answer.
    ///
    /// With `auto` it sends one ordinary request; a server that supports the draft offers to resume it with a 104. The
    /// tries and pauses are those of `resuming`; of ``options``' retry policy only `retriesAllErrors` counts.
    /// - Parameters:
    ///   - plan: The body.
    ///   - request: With scheme, authority and path.
    ///   - resuming: The protocol, and where the upload is saved for a new process.
    ///   - observer: Called during the transfer.
    ///   - answered: Called with the answer, whose body is usable only in this closure. ``Trace/upload`` contains the
    ///     upload's state.
    /// - Throws: What ``send(_:with:observer:answered:)`` throws, ``TransferError`` also for an upload that can't be
    ///   resumed; ``FormworkError/Code/sourceChanged`` if a file, the form or the target has changed since the previous
    ///   process; ``FormworkError/Code/notReplayable`` for a body that a new process couldn't make again, if it is
    ///   saved for one.
    public func send<Result: Sendable>(
        _ plan: BodyPlan, with request: HTTPRequest, resuming: UploadResuming, observer: Observer = Observer(),
        answered: @escaping @Sendable (ExchangeResponse, Trace) async throws -> Result
    ) async throws -> Result {
        guard resuming.choice != .off else {
            return try await self.send(plan, with: request, observer: observer, answered: answered)
        }
        defer { self.options.monitor?.finish() }
        let prepared = try await resuming.prepare(plan, request, self.options.retry)
        defer { prepared.lock?.release() }
        guard prepared.resuming.usesTus else {
            return try await self.send(
                prepared.plan, with: request, resuming: prepared.resuming, observer: observer, answered: answered)
        }
        // One time-out for the question and the upload.
        var sender = self
        sender.end = self.end ?? self.options.timeout.map { .after($0) }
        // Even before the question what the server supports.
        if prepared.plan.isReplayable { _ = try await prepared.plan.checkedIfEmpty() }
        let server =
            prepared.resuming.link == nil
            ? try await sender.tusServer(for: request, tries: prepared.resuming.maximumAttempts) : TusServer()
        let delivery = try await prepared.resuming.delivery(of: prepared.plan, to: server)
        return try await sender.send(
            delivery.plan, with: request, resuming: delivery.resuming, observer: observer, answered: answered)
    }
}
