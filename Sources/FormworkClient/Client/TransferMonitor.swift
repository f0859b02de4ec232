#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import Synchronization

/// What a transfer is at, for whoever wants to show it: asked at any time, from any thread.
public final class TransferMonitor: Sendable {
    /// What is being done.
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

    /// One moment. Bytes are counted from the start of the whole body.
    public struct Progress: Hashable, Sendable {
        /// What is being done.
        public var phase = Phase.idle
        /// Where the request on its way begins: bytes that an earlier one has brought; 0 for a whole body.
        public var start: Int64 = 0
        /// Bytes given to the connection, of which a few hundred KiB may still wait in this process.
        public var sent: Int64 = 0
        /// Bytes that the system has taken, or that the server said it has, when it says so.
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
    }

    private let state = Mutex(Progress())

    /// A monitor for one transfer.
    public init() {}

    /// This moment.
    public var progress: Progress { self.state.withLock { $0 } }

    /// The server said how much of the whole body it has.
    func acknowledge(_ offset: Int64) {
        self.update { progress in
            (progress.acknowledged, progress.isToldByServer) = (offset, true)
            progress.lastActivity = .now
        }
    }

    func update(_ change: (inout Progress) -> Void) { self.state.withLock { change(&$0) } }
}
#endif
