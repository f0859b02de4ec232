import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer. It keeps URLSession from sending anything again by itself, because that would send an empty body and
/// report success, and cancels the task only when Foundation doesn't crash from that.
final class UploadDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private struct State {
        var streams: BodyInputStreams?
        var task: URLSessionTask?
        var isCancelled = false
        /// Whether Foundation has to treat a redirect as the answer, and so ends the task itself.
        var isEnding = false
        /// Waits for the outcome; `nil` after it was resumed.
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    /// How the transfer ended; empty if it was cancelled.
    struct Outcome: Sendable {
        var data: Data?
        var response: URLResponse?
        var error: (any Error)?
    }

    /// The queue on which tasks are created, started and cancelled. On Linux each of these waits for the one queue that
    /// reads all bodies: so only this thread waits, and not Dispatch's few shared threads or the tasks' pool.
    static let queue = DispatchQueue(label: "formwork.upload")

    private let state: Mutex<State>
    /// The body; `nil` for a request without one.
    private let body: BodyFeed?
    private let monitor: UploadMonitor?

    /// - Parameter streams: Its last stream is the request's; `nil` for a request without a body.
    init(_ streams: BodyInputStreams?, _ monitor: UploadMonitor?) {
        self.state = Mutex(State(streams: streams))
        self.monitor = monitor
        self.body = streams?.last
        super.init()
        self.watch(self.body)
    }

    /// Cancels the task when its body fails. URLSession on Apple's systems doesn't learn that from a stream.
    private func watch(_ feed: BodyFeed?) {
        #if canImport(Darwin)
        feed?.whenFailed { [weak self] in self?.cancel() }
        #endif
    }

    func start(_ request: URLRequest, in session: URLSession, _ continuation: CheckedContinuation<Outcome, Never>) {
        let isCancelled = self.state.withLock { state in
            state.continuation = continuation
            return state.isCancelled
        }
        guard !isCancelled else { return self.end(Outcome()) }
        let task = session.dataTask(with: request) { self.end(Outcome(data: $0, response: $1, error: $2)) }
        task.delegate = self
        let isLate = self.state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        // Even if it was cancelled: only a started task completes.
        task.resume()
        if isLate { self.cancel() }
    }

    private func end(_ outcome: Outcome) {
        let continuation = self.state.withLock { state in
            let continuation = state.continuation
            // The session may keep an ended task and with it this delegate, which must not keep the body's files open.
            (state.continuation, state.streams, state.task) = (nil, nil, nil)
            return continuation
        }
        continuation?.resume(returning: outcome)
    }

    /// Ends the wait at once, and cancels the task as soon as that is safe.
    func cancel() {
        let (task, isEnding, streams) = self.state.withLock { state in
            state.isCancelled = true
            return (state.task, state.isEnding, state.streams)
        }
        // A waiting read blocks the queue on which the tasks of all sessions are cancelled, so it has to end first.
        streams?.last?.close()
        // While the task is being created the session has to stay alive, so the caller waits.
        guard let task else { return }
        self.end(Outcome())
        guard !isEnding else { return }
        let stop = { @Sendable in Self.queue.async { task.cancel() } }
        // Before it opens the body, Foundation on Linux checks the session's cache, and a task that is cancelled during
        // that may end twice, which crashes the process (swift-corelibs-foundation 3296).
        if let body = self.body { body.whenOpened(stop) } else { stop() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        self.monitor?.update { $0.acknowledged = totalBytesSent }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        let isCancelled = self.state.withLock { state in
            state.isEnding = !state.isCancelled
            return state.isCancelled
        }
        // Calling the handler of a cancelled task crashes the process on Linux; the cancelled task ends without it.
        if !isCancelled { completionHandler(nil) }
    }

    /// libcurl starts again if a kept connection turns out to be dead.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        let (streams, isCancelled) = self.state.withLock { ($0.streams, $0.isCancelled) }
        // A new stream could wait for a source that the cancellation has just released.
        let cancelled = BodyFeed(failing: FormworkError(.invalidArgument, "the upload is cancelled"))
        let stream = isCancelled ? BodyInputStream(cancelled) : streams?.nextOrFailing()
        self.watch(stream?.feed)
        completionHandler(stream?.forSession())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(Darwin)
        // These are about the connection, and come before the request. The task gets them if the session has no delegate.
        let ofConnection = [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate]
        guard !ofConnection.contains(challenge.protectionSpace.authenticationMethod) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        #endif
        // With a stored credential Foundation would send an empty body; without one the task would never end.
        self.end(Outcome(response: challenge.failureResponse))
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}
