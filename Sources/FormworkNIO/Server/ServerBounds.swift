#if NIO
import NIOCore

/// How long a server without a framework waits for a client, and how much it reads for nothing.
///
/// Who is too slow loses the connection. A time above 10⁹ seconds (31 years) counts as that, and one below a millisecond as
/// a millisecond.
public struct ServerBounds: Sendable, Hashable {
    /// From the connection's begin, or the answer before, to the end of a request's head. Default 30 s: ours.
    public var headTime: Duration = .seconds(30)
    /// How long nothing may come of a body that is read, and nothing go of an answer. Default 60 s, as nginx's.
    public var idleTime: Duration = .seconds(60)
    /// Bytes that are read and dropped of a body that was answered before its end. Default 1 MiB: ours.
    public var drainBytes = 1 << 20
    /// How long such a body, and the peer's end of a connection that ends, are waited for. Default 2 s: ours.
    public var drainTime: Duration = .seconds(2)

    /// The defaults.
    public init() {}
}

extension TimeAmount {
    /// A time that a timer can have.
    init(bounding duration: Duration) {
        self = TimeAmount(min(max(duration, .milliseconds(1)), .seconds(1_000_000_000)))
    }
}
#endif
