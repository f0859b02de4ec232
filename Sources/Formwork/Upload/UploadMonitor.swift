import Synchronization

/// How far an upload is, at one moment. Bytes are counted from the start of the whole body.
public struct UploadProgress: Hashable, Sendable {
    /// What is being done.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Phase: Hashable, Sendable {
        /// Nothing yet, or between two tries.
        case idle
        /// Waiting for a connection.
        case connecting
        /// Waiting for `100 Continue`.
        case asking
        /// The body is on its way.
        case sending
        /// All of the body has been taken, and the server has yet to answer.
        case waiting
        /// The answer comes.
        case receiving
    }

    package init() {}

    /// What is being done. `FormSender` tells all of them; other clients `idle` and `sending` alone.
    public var phase = Phase.idle
    /// Where the request on its way begins: bytes that an earlier one has brought; 0 for a whole body.
    public var start: Int64 = 0
    /// Bytes given to the connection, of which a few hundred KiB may still wait in this process.
    public var sent: Int64 = 0
    /// Bytes that the system has taken, or that the server said it has, when it says so. `HTTPClient`, and
    /// `URLSession` on Linux, don't say: with them these are 0 until the server has answered.
    public var acknowledged: Int64 = 0
    /// Whether ``acknowledged`` is what the server said on this connection, and not what the system has taken.
    public var isToldByServer = false
    /// Bytes of the whole body; `nil` when unknown.
    public var total: Int64?
    /// The try, from 1; 0 before the first.
    public var attempt = 0
    /// When anything was taken or came last.
    public var lastActivity = ContinuousClock.now
    /// When the next try begins; `nil` unless one is waited for.
    public var nextTry: ContinuousClock.Instant?

    /// ``sent`` as a part of ``total``, 0 to 1; `nil` when the total is unknown. An empty body is 1.
    public var fractionCompleted: Double? {
        self.total.map { $0 > 0 ? min(1, max(0, Double(self.sent) / Double($0))) : 1 }
    }
}

/// Shows how far an upload is: asked at any time, from any thread, or followed.
///
/// ```
/// let upload = UploadMonitor()
/// async let answer = client.upload(plan, with: request, options: UploadOptions(monitor: upload))
/// for await progress in upload.progress {
///     bar.value = progress.fractionCompleted ?? 0
/// }
/// let response = try await answer
/// ```
public final class UploadMonitor: Sendable {
    private struct State {
        var progress = UploadProgress()
        var isOver = false
        var followers: [Int: Follower] = [:]
        var count = 0
    }

    private struct Follower {
        var interval: Duration
        var told: ContinuousClock.Instant?
        var continuation: AsyncStream<UploadProgress>.Continuation
    }

    private let state = Mutex(State())

    /// A monitor for one upload.
    public init() {}

    /// This moment.
    public var current: UploadProgress { self.state.withLock(\.progress) }

    /// The moments from now on, ten a second at most, until the upload is over; the last one is always among them. A
    /// follower that is slow misses those in between, and holds up nothing.
    public var progress: AsyncStream<UploadProgress> { self.progress(every: .milliseconds(100)) }

    /// The moments from now on, until the upload is over; the last one is always among them.
    /// - Parameter interval: The least time between two.
    public func progress(every interval: Duration) -> AsyncStream<UploadProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            self.state.withLock { state in
                continuation.yield(state.progress)
                guard !state.isOver else { return continuation.finish() }
                let number = state.count
                state.count += 1
                state.followers[number] = Follower(interval: interval, told: .now, continuation: continuation)
                continuation.onTermination = { [weak self] _ in
                    _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
                }
            }
        }
    }

    /// The server said how much of the whole body it has.
    package func acknowledge(_ offset: Int64) {
        self.update { progress in
            (progress.acknowledged, progress.isToldByServer) = (offset, true)
            progress.lastActivity = .now
        }
    }

    /// The body's reader gave bytes to a client that tells no more.
    func read(_ position: Int64, of total: Int64?) {
        self.update { progress in
            (progress.sent, progress.total, progress.phase) = (position, total, .sending)
            progress.lastActivity = .now
        }
    }

    /// Another request begins.
    package func begin(attempt: Int) {
        self.update { progress in
            progress.attempt = attempt
            progress.nextTry = nil
            progress.phase = .idle
        }
    }

    /// The upload is over: followers get the last moment, and their end.
    package func finish() {
        let (followers, last) = self.state.withLock { state in
            state.isOver = true
            state.progress.phase = .idle
            defer { state.followers = [:] }
            return (state.followers.values, state.progress)
        }
        // Outside the lock: an end calls back.
        for follower in followers {
            follower.continuation.yield(last)
            follower.continuation.finish()
        }
    }

    package func update(_ change: (inout UploadProgress) -> Void) {
        self.state.withLock { state in
            change(&state.progress)
            guard !state.followers.isEmpty else { return }
            let now = ContinuousClock.now
            for (number, follower) in state.followers {
                if let told = follower.told, told.duration(to: now) < follower.interval { continue }
                state.followers[number]?.told = now
                follower.continuation.yield(state.progress)
            }
        }
    }
}
