import Synchronization

/// The progress of an upload, or of a body's reader, at one moment. Bytes are counted from the start of the whole body, with
/// framing.
public struct UploadProgress: Hashable, Sendable {
    /// The phase of an upload.
    package enum Phase: Hashable, Sendable {
        /// Not started, or between two tries.
        case idle
        /// Waiting for a connection.
        case connecting
        /// Waiting for `100 Continue`.
        case asking
        /// Sending the body.
        case sending
        /// The whole body was sent; waiting for the answer.
        case waiting
        /// Receiving the answer.
        case receiving
    }

    init() {}

    /// The current phase. `FormSender` reports all phases, other clients only `idle` and `sending`.
    package var phase = Phase.idle
    /// The offset at which the current request begins, because earlier requests sent the bytes before it; 0 for a whole
    /// body.
    public var start: Int64 = 0
    /// The bytes that were read, and passed to the connection. A few hundred KiB of them may still be buffered in this process.
    public var sent: Int64 = 0
    /// The bytes that the system at the connection's other end has acknowledged, ten times a second, or that the server
    /// reported, if it does. Over a Unix socket, and with `URLSession` on Apple's systems, they are those that this system
    /// accepted. `HTTPClient`, and `URLSession` on Linux, don't report them: with these it is 0 until the server has answered.
    public var acknowledged: Int64 = 0
    /// Whether ``acknowledged`` was reported by the server on this connection, not by a system.
    public var isReportedByServer = false
    /// The bytes of the whole body; `nil` if unknown.
    public var total: Int64?
    /// The part that is being read; `nil` before the first and after the last, and if only an ``UploadMonitor`` follows.
    public var part: PartReference?
    /// The bytes of this part's content that were read, without framing.
    public var partPosition: Int64 = 0
    /// The bytes of this part's content; `nil` if unknown.
    public var partLength: Int64?
    /// The number of the try, from 1; 0 before the first.
    public var attempt = 0
    /// When bytes were last sent or received.
    public var lastActivity = ContinuousClock.now
    /// When the next try begins; `nil` unless the upload waits for one.
    public var nextTry: ContinuousClock.Instant?

    /// ``sent`` as a fraction of ``total``, 0 to 1; `nil` if the total is unknown. It is 1 for an empty body.
    public var fractionCompleted: Double? {
        self.total.map { $0 > 0 ? min(1, max(0, Double(self.sent) / Double($0))) : 1 }
    }
}

/// Reports the progress of an upload, at any time and on any thread, or as a sequence.
///
/// ```swift
/// import FormworkFoundation
/// import Foundation
///
/// let upload = UploadMonitor()
/// async let answer = URLSession.shared.upload(plan, with: request, options: UploadOptions(monitor: upload))
/// for await progress in upload.progress {
///     print(progress.sent, progress.fractionCompleted ?? 0)
/// }
/// let (data, response) = try await answer
/// ```
///
/// Make a monitor for each upload. The sequence ends with the upload, also after an error, so the loop above needs no
/// other end. If no upload has the monitor in its options, the loop waits for one. Any number of tasks may follow it; a
/// slow one misses reports, and never delays the upload. For a bar that is drawn by a timer, read ``current`` instead.
public final class UploadMonitor: Sendable {
    private struct State {
        var progress = UploadProgress()
        var isOver = false
        var followers: [Int: Follower] = [:]
        var count = 0
    }

    private struct Follower {
        var meter: ProgressMeter
        var continuation: AsyncStream<UploadProgress>.Continuation
    }

    private let state = Mutex(State())

    /// A monitor for one upload.
    public init() {}

    /// The current progress.
    public var current: UploadProgress { self.state.withLock(\.progress) }

    /// The progress from now on, at most ten times per second, until the upload ends. The last report is always
    /// included. A slow consumer misses some reports, and doesn't slow down the upload.
    public var progress: AsyncStream<UploadProgress> { self.progress(every: .milliseconds(100)) }

    /// The progress from now on, until the upload ends. The last report is always included.
    /// - Parameter interval: The least time between two reports.
    public func progress(every interval: Duration) -> AsyncStream<UploadProgress> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            self.state.withLock { state in
                continuation.yield(state.progress)
                guard !state.isOver else { return continuation.finish() }
                let number = state.count
                state.count += 1
                state.followers[number] = Follower(
                    meter: ProgressMeter(every: interval, after: .now), continuation: continuation)
                continuation.onTermination = { [weak self] _ in
                    _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
                }
            }
        }
    }

    /// Records how much of the whole body the server has, as it reported.
    package func acknowledge(_ offset: Int64) {
        self.update { progress in
            (progress.acknowledged, progress.isReportedByServer) = (offset, true)
            progress.lastActivity = .now
        }
    }

    /// Records the position of the body's reader, for clients that report nothing else.
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

    /// Nothing is sent until then.
    package func pause(until instant: ContinuousClock.Instant) {
        self.update { progress in
            progress.nextTry = instant
            progress.phase = .idle
        }
    }

    /// Ends the upload: consumers receive the last report, and their sequences end.
    package func finish() {
        let (followers, last) = self.state.withLock { state in
            state.isOver = true
            state.progress.phase = .idle
            defer { state.followers = [:] }
            return (state.followers.values, state.progress)
        }
        // Outside the lock, because finishing calls back.
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
            for number in state.followers.keys where state.followers[number]?.meter.isDue(at: now) ?? false {
                state.followers[number]?.continuation.yield(state.progress)
            }
        }
    }
}
