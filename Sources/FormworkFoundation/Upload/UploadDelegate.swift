import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One transfer: keeps URLSession from sending anything again by itself, because it would send an empty body and
/// report success.
final class UploadDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private struct State {
        var streams: BodyInputStreams?
        var task: URLSessionTask?
        var isCancelled = false
        /// Whom to tell; `nil` once told.
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    /// How the transfer ended.
    struct Outcome: Sendable {
        var data: Data?
        var response: URLResponse?
        var error: (any Error)?
    }

    private let state: Mutex<State>

    /// - Parameter streams: `nil` for a request without a body.
    init(_ streams: BodyInputStreams?) { self.state = Mutex(State(streams: streams)) }

    func start(_ request: URLRequest, in session: URLSession, _ continuation: CheckedContinuation<Outcome, Never>) {
        let task = session.dataTask(with: request) { self.end(Outcome(data: $0, response: $1, error: $2)) }
        task.delegate = self
        let isCancelled = self.state.withLock { state in
            (state.task, state.continuation) = (task, continuation)
            return state.isCancelled
        }
        // Also when cancelled: only a task that was begun completes.
        task.resume()
        if isCancelled { self.cancel() }
    }

    private func end(_ outcome: Outcome) {
        let continuation = self.state.withLock { state in
            let continuation = state.continuation
            // The session may keep an ended task, and with it this delegate: not the body's files.
            (state.continuation, state.streams) = (nil, nil)
            return continuation
        }
        continuation?.resume(returning: outcome)
    }

    func cancel() {
        let (task, streams) = self.state.withLock { state in
            state.isCancelled = true
            return (state.task, state.streams)
        }
        guard let task else { return }
        // A read that waits holds the queue on which all sessions' tasks are cancelled: it ends first. Another upload's
        // read may hold it too, until the tasks' own pool gives its bytes: so nothing waits for that queue here.
        streams?.last?.close()
        DispatchQueue(label: "formwork.cancel").async { task.cancel() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }

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
