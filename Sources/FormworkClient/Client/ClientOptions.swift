#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import SystemPackage

extension FormClient {
    /// How a client connects, and what it waits for: 0 to 10⁹ seconds (31 years), as which what is beyond counts.
    public struct Options: Sendable {
        /// Which HTTP is spoken.
        public enum Version: Sendable {
            /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
            case negotiated
            /// HTTP/1.1 and nothing else.
            case http1
            /// HTTP/2 and nothing else: in TLS it alone is offered, and without TLS it begins at once.
            case http2
        }

        /// Which HTTP is spoken.
        public var version: Version
        /// Whom to trust, and as whom to be known.
        public var tls: TLS
        /// By way of whom; `nil` connects directly.
        public var proxies: ProxySettings?
        /// A Unix socket to connect to, instead of the URL's host and instead of any proxy.
        public var unixSocket: FilePath?
        /// How long a connection may take, TLS and a proxy's tunnel included. Default 5 minutes, as curl has it.
        public var connectTimeout: Duration
        /// How long a server may neither take nor give anything while it is its turn; `nil` for as long as it likes.
        public var stallTimeout: Duration?
        /// Bodies of more bytes than this, or of an unknown number, are announced by `Expect: 100-continue` (RFC 9110
        /// section 10.1.1); `nil` announces none. Default 1 MiB, as curl has it. HTTP/2 doesn't need it: a server refuses
        /// one stream there, and the answer can't be lost with the connection.
        public var expectationThreshold: Int64?
        /// How long to wait for `100 Continue` before the body is sent all the same. Default 1 second.
        public var expectationTimeout: Duration

        /// What most want: HTTP/2 or HTTP/1.1, the system's trust, no proxy.
        public init(
            version: Version = .negotiated, tls: TLS = TLS(), proxies: ProxySettings? = nil,
            unixSocket: FilePath? = nil, connectTimeout: Duration = .seconds(300), stallTimeout: Duration? = nil,
            expectationThreshold: Int64? = 1 << 20, expectationTimeout: Duration = .seconds(1)
        ) {
            self.version = version
            self.tls = tls
            self.proxies = proxies
            self.unixSocket = unixSocket
            self.connectTimeout = connectTimeout
            self.stallTimeout = stallTimeout
            self.expectationThreshold = expectationThreshold
            self.expectationTimeout = expectationTimeout
        }

        /// Whether a body is announced, and the server asked, before it is sent.
        func expects(_ body: ExchangeBody?) -> Bool {
            guard let body, let threshold = self.expectationThreshold else { return false }
            return body.length.map { $0 > threshold } ?? true
        }
    }
}
#endif
