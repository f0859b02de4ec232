import Dispatch
import FormworkCore
import Synchronization
import SystemPackage

import FormworkEssentials

/// An HTTP/1.1 server on this machine for tests: real sockets, bodies of any size in constant memory, scripted answers.
///
/// ```swift
/// import Testing
///
/// let receiver = try LoopbackReceiver(answers: [.status(503, fields: ["Retry-After": "0"]), .redirect(to: "/new")])
/// #expect(try await send(album, to: receiver.url) == 200)
/// #expect(receiver.requests.map(\.target) == ["/", "/", "/new"])
/// for request in receiver.requests { try await expectForm(request, equals: album) }
/// ```
///
/// A request is listed before its answer is sent, so a client that has its answer finds it there. Requests on one
/// connection are handled in order, connections in parallel. It listens only on 127.0.0.1, without TLS, and is closed
/// when it is released.
public final class LoopbackReceiver: Sendable {
    /// The address it listens on, `http://127.0.0.1:PORT/`. Every path and method is accepted.
    public let url: URL
    private let shared: Shared

    /// Listens on a free port.
    /// - Parameters:
    ///   - answers: The reactions to the first request, the second, and so on, in the order in which their heads
    ///     arrive. Later requests are answered with 200.
    ///   - keeping: The most bytes of a body, and of each part's content, that are kept; by default 1 MiB. Longer
    ///     content has only lengths and checksums.
    ///   - digests: Digests to compute of every body; by default none.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for an answer with a status, field or body that can't be sent, or a
    ///   negative count; ``FormworkError/Code/sourceUnavailable`` if no socket can be opened.
    public init(
        answers: [Response] = [], keeping: Int = 1 << 20, digests: [any BodyDigest] = []
    ) throws(FormworkError) {
        for answer in answers { try answer.check() }
        do {
            let stop = try StopSignal()
            let shared = Shared(answers, keeping: max(0, keeping), digests, stop)
            let listener = try LoopbackSocket.listening(until: stop)
            guard let url = URL(string: "http://127.0.0.1:\(listener.port)/") else { throw Errno.invalidArgument }
            (self.url, self.shared) = (url, shared)
            shared.serve(listener)
        } catch {
            throw FormworkError(.sourceUnavailable, "can't listen on a socket of this machine", cause: error)
        }
    }

    deinit { self.shared.close() }

    /// All requests so far, in the order in which they ended.
    public var requests: [Request] { self.shared.state.withLock { $0.requests } }

    /// The next request that this function hasn't returned yet, after it has ended.
    /// - Parameter limit: How long to wait for it; by default a minute.
    /// - Throws: ``FormworkError/Code/timedOut`` after that time; `CancellationError` if the task is cancelled;
    ///   ``FormworkError/Code/sourceUnavailable`` if the receiver is closed and no request is left.
    public func nextRequest(within limit: Duration = .seconds(60)) async throws -> Request {
        let ticket = self.shared.state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        let alarm = Task { [shared] in
            try await Task.sleep(for: limit.asWait)
            shared.cancel(ticket, FormworkError(.timedOut, "no further request ended within \(limit)"))
        }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { self.shared.wait(ticket, $0) }
        } onCancel: {
            self.shared.cancel(ticket, CancellationError())
        }
    }

    /// Stops listening and closes every connection.
    public func close() { self.shared.close() }
}

/// The state shared by a receiver's threads. They don't hold the receiver, whose release ends them.
private final class Shared: Sendable {
    typealias Request = LoopbackReceiver.Request

    struct State {
        var answers: ArraySlice<LoopbackReceiver.Response>
        var requests: [Request] = []
        /// How many of them ``LoopbackReceiver/nextRequest(within:)`` has returned.
        var given = 0
        var tickets = 0
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Request, any Error>)] = []
        /// Tickets that were cancelled before they waited.
        var cancelled: [Int: any Error] = [:]
        var isClosed = false
    }

    let state: Mutex<State>
    private let keeping: Int
    private let digests: [any BodyDigest]
    private let stop: StopSignal

    init(
        _ answers: [LoopbackReceiver.Response], keeping: Int, _ digests: [any BodyDigest], _ stop: StopSignal
    ) {
        self.state = Mutex(State(answers: answers[...]))
        (self.keeping, self.digests, self.stop) = (keeping, digests, stop)
    }

    deinit {
        self.close()
        try? self.stop.waiting.close()
    }

    func serve(_ listener: consuming LoopbackSocket) {
        // Each waiting call has its own queue, and blocks no thread of the pool that tasks share.
        let listener = Handover(listener)
        DispatchQueue(label: "formwork.loopback").async {
            guard let listener = listener.take() else { return }
            while true {
                let socket: Handover
                do {
                    guard let next = try listener.accept() else { return }
                    socket = Handover(next)
                } catch {
                    // Too many open files, for example, pass: the client waits in the meantime.
                    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(10))
                    continue
                }
                DispatchQueue(label: "formwork.loopback.connection").async {
                    guard let socket = socket.take() else { return }
                    self.exchange(on: LoopbackConnection(socket))
                }
            }
        }
    }

    /// Handles one request after another.
    private func exchange(on connection: consuming LoopbackConnection) {
        do {
            while let head = try connection.head() {
                let answer = self.nextAnswer()
                if head.waitsForContinue, answer.bytesRead > 0 {
                    try connection.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
                }
                let contentType = head.fields.first { $0.isNamed("Content-Type") }?.value
                var body = BodyObserver(contentType: contentType, keeping: self.keeping, digests: self.digests)
                var isWhole = false
                do {
                    isWhole = try connection.body(head.framing, upTo: answer.bytesRead) { body.take($0) }
                } catch {
                    self.list(Request(head, body, isWhole: false, failure: Self.failure(error, body.content.count)))
                    throw error
                }
                self.list(Request(head, body, isWhole: isWhole, failure: nil))
                switch answer.ending {
                case .close: return
                case .reset: return connection.resetOnClose()
                case .stall: return connection.stall()
                case .answer: break
                }
                try connection.send(
                    answer.bytes(closing: !isWhole || head.closesAfterwards, isHeadOnly: head.method == "HEAD"))
                if !isWhole || head.closesAfterwards { return connection.linger() }
            }
        } catch let error as FormworkError {
            // Invalid HTTP is answered as by any server.
            let answer = LoopbackReceiver.Response.status(400, body: error.description)
            try? connection.send(answer.bytes(closing: true))
            connection.linger()
        } catch {}
    }

    private static func failure(_ error: any Error, _ count: Int64) -> FormworkError {
        switch error {
        case let error as FormworkError: error
        case ConnectionEnd.receiver:
            FormworkError(.truncatedBody, "the receiver was closed", offset: count)
        default: FormworkError(.truncatedBody, "the client closed the connection within the body", offset: count)
        }
    }

    private func nextAnswer() -> LoopbackReceiver.Response {
        self.state.withLock { $0.answers.popFirst() } ?? .status(200)
    }

    private func list(_ request: Request) {
        let waiting = self.state.withLock { state -> CheckedContinuation<Request, any Error>? in
            state.requests.append(request)
            guard !state.waiting.isEmpty else { return nil }
            state.given += 1
            return state.waiting.removeFirst().continuation
        }
        waiting?.resume(returning: request)
    }

    func wait(_ ticket: Int, _ continuation: CheckedContinuation<Request, any Error>) {
        let result = self.state.withLock { state -> Result<Request, any Error>? in
            if let error = state.cancelled.removeValue(forKey: ticket) { return .failure(error) }
            if state.given < state.requests.count {
                state.given += 1
                return .success(state.requests[state.given - 1])
            }
            if state.isClosed { return .failure(Self.closed) }
            state.waiting.append((ticket, continuation))
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    func cancel(_ ticket: Int, _ error: any Error) {
        let waiting = self.state.withLock { state -> CheckedContinuation<Request, any Error>? in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                state.cancelled[ticket] = error
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        waiting?.resume(throwing: error)
    }

    func close() {
        let waiting = self.state.withLock { state -> [CheckedContinuation<Request, any Error>]? in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting.map(\.continuation)
        }
        guard let waiting else { return }
        try? self.stop.closing.close()
        for continuation in waiting { continuation.resume(throwing: Self.closed) }
    }

    private static var closed: FormworkError { FormworkError(.sourceUnavailable, "the receiver is closed") }
}

/// Moves a socket into a closure once.
private final class Handover: Sendable {
    private let socket: Mutex<LoopbackSocket?>

    init(_ socket: consuming LoopbackSocket) { self.socket = Mutex(socket) }

    func take() -> LoopbackSocket? { self.socket.withLock { $0.take() } }
}
