#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import SystemPackage

/// How an upload goes on after it was cut, and where it is kept, so that a new process can go on too.
///
/// What is kept is the upload's URL, boundaries, and the size and time of each file: no content, and no value of a field. The
/// URL lets whoever knows it add to the upload. A new process needs the same form, to the same URL; boundaries are those
/// of before.
public struct UploadResuming: Sendable {
    /// By which protocol. A kept upload goes on by its own.
    public var choice: ResumableChoice
    /// Tries one after another that bring the upload no further, before it fails; 1 or more. Default 8.
    public var maximumAttempts = 8
    /// The pause before each try after a failure; `nil` for 0, 1, 2, 4, 8, 16 and 30 seconds. A server's `Retry-After` has
    /// precedence.
    public var delay: Duration?
    /// Bytes of one request at most; `nil` for no limit but the server's. For a server that keeps whole requests only.
    public var maximumRequestSize: Int64?
    private let memory: Memory?

    private struct Memory: Sendable {
        var load: @Sendable () async throws -> [UInt8]?
        var save: @Sendable ([UInt8]?) throws -> Void
    }

    /// Keeps nothing: the upload goes on after a cut, and not in a new process.
    public init(by choice: ResumableChoice = .auto) { (self.choice, self.memory) = (choice, nil) }

    /// Keeps where the upload is in a file, which only this user may read, and which is removed when the upload is over.
    /// - Parameters:
    ///   - choice: By which protocol.
    ///   - path: The file, for this upload alone.
    public init(by choice: ResumableChoice = .auto, file path: some PathConvertible) {
        let path = path.filePath
        self.init(by: choice) {
            try ResumableState(file: path)?.bytes()
        } save: { bytes in
            guard let bytes else { return PrivateFile.remove(path) }
            try PrivateFile.write(bytes, to: path)
        }
    }

    /// Keeps where the upload is in a store of the caller's.
    /// - Parameters:
    ///   - choice: By which protocol.
    ///   - load: Gives what was saved last for this upload; `nil` for nothing. Called once, at the start.
    ///   - save: Keeps these few hundred bytes, or forgets them by `nil`. Called a few times, on the connection's way: it
    ///     should be quick. What it throws ends the upload.
    public init(
        by choice: ResumableChoice = .auto, load: @escaping @Sendable () async throws -> [UInt8]?,
        save: @escaping @Sendable ([UInt8]?) throws -> Void
    ) {
        (self.choice, self.memory) = (choice, Memory(load: load, save: save))
    }

    /// The body as it was when the upload began, and what is known of the upload.
    /// - Throws: ``FormworkError/Code/notReplayable`` for a body that a later process can't make again, where one is to;
    ///   ``FormworkError/Code/sourceChanged`` when what is kept is of another form or target, or a file has changed; what
    ///   loading and saving throw.
    func prepare(
        _ plan: BodyPlan, _ request: HTTPRequest, _ retry: RetryPolicy
    ) async throws -> (plan: BodyPlan, resuming: FormSender.Resuming) {
        var options = UploadClientOptions(self.choice)
        // A server that is told of the upload before its bytes can be asked for it whatever happens to them.
        options.createsFirst = self.choice == .ietf
        options.maximumAppendSize = self.maximumRequestSize
        options.maximumAttempts = max(1, self.maximumAttempts)
        options.retriesAllErrors = retry.retriesAllErrors
        if let delay { options.delays = [delay] }
        guard let memory else { return (plan, FormSender.Resuming(options)) }
        let (url, method) = (request.urlText, request.method)
        // Also where nothing is kept yet: a body that can't be made again is refused before it is sent.
        let key = try ResumableState.key(url: url, method: method, plan: plan)
        var begun = plan
        var link: UploadLink?
        if let bytes = try await memory.load() {
            let state = try ResumableState(bytes)
            if state.isExpired() {
                try memory.save(nil)
            } else {
                guard state.key == key, let kept = state.link else {
                    throw FormworkError(
                        .sourceChanged,
                        "what is kept is another upload, to \(state.url) or of other parts: forget it to begin anew, or keep this one elsewhere"
                    )
                }
                (begun, link) = (try state.plan(from: plan), kept)
            }
        }
        let body = begun
        return (
            body,
            FormSender.Resuming(options, continuing: link) { link in
                guard let link else { return try memory.save(nil) }
                try memory.save(ResumableState(link, url: url, method: method, plan: body).bytes())
            }
        )
    }
}

extension FormSender {
    /// Sends a body that goes on where a connection was cut, as far as the server lets it, and gives the answer to a closure.
    ///
    /// By `auto` it is one ordinary request, which a server that knows the draft offers to resume by a 104. The tries and
    /// pauses are those of `resuming`; of ``options``' retry counts alone whether any error is tried again.
    /// - Parameters:
    ///   - plan: The body.
    ///   - request: With scheme, authority and path.
    ///   - resuming: By which protocol, and where the upload is kept for a new process.
    ///   - observer: Who is told what happens meanwhile.
    ///   - answered: Called with the answer, whose body is usable in there. What became of the upload is in
    ///     ``Trace/upload``.
    /// - Throws: What ``send(_:with:observer:answered:)`` throws; ``UploadFailure`` for an upload that can't go on;
    ///   ``FormworkError/Code/sourceChanged`` when a file, the form or the target isn't what it was in the process before;
    ///   ``FormworkError/Code/notReplayable`` for a body that a new process couldn't make again, where it is kept for one.
    public func send<Result: Sendable>(
        _ plan: BodyPlan, with request: HTTPRequest, resuming: UploadResuming, observer: Observer = Observer(),
        answered: @escaping @Sendable (ExchangeAnswer, Trace) async throws -> Result
    ) async throws -> Result {
        guard resuming.choice != .off else {
            return try await self.send(plan, with: request, observer: observer, answered: answered)
        }
        let prepared: (plan: BodyPlan, resuming: Resuming)
        do { prepared = try await resuming.prepare(plan, request, self.options.retry) } catch {
            self.options.monitor?.finish()
            throw error
        }
        return try await self.send(
            prepared.plan, with: request, resuming: prepared.resuming, observer: observer, answered: answered)
    }
}
#endif
