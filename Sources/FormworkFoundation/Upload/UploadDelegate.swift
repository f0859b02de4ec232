import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One transfer: keeps URLSession from sending anything again by itself, because it would send an empty body and
/// report success.
final class UploadDelegate: NSObject, URLSessionTaskDelegate, Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
        var challenge: (response: HTTPURLResponse, credential: URLCredential)?
    }

    /// `nil` for a request without a body.
    private let streams: BodyInputStreams?
    private let state = Mutex(State())

    init(_ streams: BodyInputStreams?) { self.streams = streams }

    /// A 401 that the session has a credential for.
    var challenge: (response: HTTPURLResponse, credential: URLCredential)? { self.state.withLock { $0.challenge } }

    func start(_ task: URLSessionTask) {
        task.delegate = self
        let isCancelled = self.state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        // Also when cancelled: only a task that was begun completes.
        task.resume()
        if isCancelled { self.cancel() }
    }

    func cancel() {
        let task = self.state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
        // A read that waits holds the session's queue, and with it the cancellation.
        if task != nil { self.streams?.last?.close() }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// Where a kept connection turns out dead, libcurl wants to begin again.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) { completionHandler(self.streams?.nextOrFailing()) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let credential = challenge.proposedCredential,
            let response = challenge.failureResponse as? HTTPURLResponse
        else { return completionHandler(.performDefaultHandling, nil) }
        self.state.withLock { $0.challenge = (response, credential) }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
}
