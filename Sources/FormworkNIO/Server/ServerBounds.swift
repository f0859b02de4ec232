#if NIO
import NIOCore

/// How long a server without a framework waits for a client, and how much of an unread body it discards.
///
/// The connection of a client that is too slow is closed. A time above 10⁹ seconds (31 years) counts as that, and one
/// below a millisecond as a millisecond.
public struct ServerBounds: Sendable, Hashable {
    /// The time from the connection's start, or the previous answer, to the end of a request's head. Default 30 s.
    public var headTime: Duration = .seconds(30)
    /// The longest time without a byte of a body that is being read, or of an answer that is being sent. Default 60 s, as
    /// in nginx.
    public var idleTime: Duration = .seconds(60)
    /// How many bytes are read and discarded of a body that was answered before its end. After that nothing more is
    /// read, and the connection is closed after ``drainTime``. Default 1 MiB.
    public var drainBytes = 1 << 20
    /// How long to wait for the end of such a body, and for the client to close a connection that ends. A client that
    /// is still sending has this time to read the answer: closing a connection with unread bytes destroys it. Default
    /// 2 s.
    public var drainTime: Duration = .seconds(2)

    /// The defaults.
    public init() {}
}

extension TimeAmount {
    /// A time that a timer can use.
    init(bounding duration: Duration) {
        self = TimeAmount(min(max(duration, .milliseconds(1)), .seconds(1_000_000_000)))
    }
}
#endif
