import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One transfer: keeps URLSession from sending anything again by itself, because it would send an empty body and
/// report success, and cancels it when Foundation survives that.
final class UploadDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private struct State {
        var streams: BodyInputStreams?
        var task: URLSessionTask?
        var isCancelled = false
        /// Whether Foundation was told to take a redirect for the answer, and so ends the task itself.
        var isEnding = false
        /// Whom to tell; `nil` once told.
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    /// How the transfer ended; empty when it was cancelled.
    struct Outcome: Sendable {
        var data: Data?
        var response: URLResponse?
        var error: (any Error)?
    }

    /// Where tasks are made, begun and cancelled. On Linux each of these waits for the one queue on which all bodies are
    /// read: here one thread does, and none of the few that Dispatch has for everybody, nor the tasks' own pool.
    static let queue = DispatchQueue(label: "formwork.upload")

    private let state: Mutex<State>
    /// The body; `nil` for a request without one.
    private let body: BodyFeed?
    private let monitor: UploadMonitor?

    /// - Parameter streams: The last one given is the request's; `nil` for a request without a body.
    init(_ streams: BodyInputStreams?, _ monitor: UploadMonitor?) {
        self.state = Mutex(State(streams: streams))
        self.monitor = monitor
        self.body = streams?.last
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
        // Also when cancelled: only a task that was begun completes.
        task.resume()
        if isLate { self.cancel() }
    }

    private func end(_ outcome: Outcome) {
        let continuation = self.state.withLock { state in
            let continuation = state.continuation
            // The session may keep an ended task, and with it this delegate: not the body's files.
            (state.continuation, state.streams, state.task) = (nil, nil, nil)
            return continuation
        }
        continuation?.resume(returning: outcome)
    }

    /// Ends the wait at once, and the task as soon as that is safe.
    func cancel() {
        let (task, isEnding, streams) = self.state.withLock { state in
            state.isCancelled = true
            return (state.task, state.isEnding, state.streams)
        }
        // A read that waits holds the queue on which all sessions' tasks are cancelled: it ends first.
        streams?.last?.close()
        // While the task is made the session has to live on, so the caller waits.
        guard let task else { return }
        self.end(Outcome())
        guard !isEnding else { return }
        let stop = { @Sendable in Self.queue.async { task.cancel() } }
        // Before its body is opened, Foundation for Linux looks in the session's cache, and a task cancelled meanwhile
        // may end twice, at which the process ends (swift-corelibs-foundation 3296).
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
        // An answer given to a task that was cancelled ends the process on Linux; cancelling ends it without one.
        if !isCancelled { completionHandler(nil) }
    }

    /// Where a kept connection turns out dead, libcurl wants to begin again.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        let (streams, isCancelled) = self.state.withLock { ($0.streams, $0.isCancelled) }
        // A new stream could wait for what the cancellation has just let go of.
        let cancelled = BodyFeed(failing: FormworkError(.invalidArgument, "the upload is cancelled"))
        completionHandler(isCancelled ? BodyInputStream(cancelled) : streams?.nextOrFailing())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // With a credential of its storage, Foundation would send an empty body; without one the task would never end.
        self.end(Outcome(response: challenge.failureResponse))
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}
