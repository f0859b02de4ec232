#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import SystemPackage

extension FormClient {
    /// How a client connects, and how long it waits: 0 to 10⁹ seconds (31 years); other values are clamped.
    public struct Options: Sendable {
        /// The versions of HTTP to use.
        public enum Version: Sendable {
            /// HTTP/2 if TLS negotiates it, otherwise HTTP/1.1.
            case negotiated
            /// Only HTTP/1.1.
            case http1
            /// Only HTTP/2: with TLS nothing else is offered, and without TLS the connection starts with it.
            case http2
        }

        /// The versions of HTTP to use.
        public var version: Version
        /// Which certificates to trust, and the client's own.
        public var tls: TLS
        /// The proxies to use; `nil` connects directly.
        public var proxies: ProxySettings?
        /// A Unix socket to connect to, instead of the URL's host and instead of any proxy.
        public var unixSocket: FilePath?
        /// Addresses to connect to instead of resolving a name, by `host:port` in lower case; the host `*` is any.
        package var addresses: [String: String] = [:]
        /// How long connecting may take, including TLS and a proxy's tunnel. Default 5 minutes, like curl.
        public var connectTimeout: Duration
        /// How long a server may neither accept nor send anything while the client waits for it; `nil` for no limit.
        public var stallTimeout: Duration?
        /// Bodies of more bytes than this, or of unknown length, are announced with `Expect: 100-continue` (RFC 9110
        /// section 10.1.1); `nil` announces none. Default 1 MiB, like curl. HTTP/2 doesn't need it: there a server
        /// refuses a single stream, and the answer can't be lost with the connection.
        public var expectationThreshold: Int64?
        /// How long to wait for `100 Continue` before sending the body without it. Default 1 second.
        public var expectationTimeout: Duration

        /// Creates options; by default HTTP/2 or HTTP/1.1, the system's trusted certificates, and no proxy.
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

        /// What to connect to for a host: its name, or the address that replaces it.
        func address(of endpoint: Origin) -> String {
            self.addresses["\(endpoint.host):\(endpoint.port)"] ?? self.addresses["*:\(endpoint.port)"]
                ?? endpoint.address
        }

        /// Whether the server is asked before this body is sent.
        func expects(_ body: ExchangeBody?) -> Bool {
            guard let body, let threshold = self.expectationThreshold else { return false }
            return body.length.map { $0 > threshold } ?? true
        }
    }
}
#endif
