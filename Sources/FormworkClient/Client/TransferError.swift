/// Why an exchange with a server failed: decide on ``code``, show ``description``.
///
/// Failures of the body's own sources are `FormworkError`s.
public struct TransferError: Error, Sendable, CustomStringConvertible {
    /// What failed. Later versions may add codes, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, fit for a metrics label.
        public let description: String

        /// The request can't be made: its URL or the proxy's is invalid.
        public static var invalidRequest: Self { .init(description: "invalidRequest") }
        /// The host's name has no address.
        public static var resolve: Self { .init(description: "resolve") }
        /// No address of the host accepts a connection.
        public static var connect: Self { .init(description: "connect") }
        /// The proxy refused the tunnel.
        public static var proxy: Self { .init(description: "proxy") }
        /// The TLS handshake failed.
        public static var tls: Self { .init(description: "tls") }
        /// The server's certificate is not trusted, or is another host's.
        public static var certificate: Self { .init(description: "certificate") }
        /// The client's own certificate or key can't be used.
        public static var localCertificate: Self { .init(description: "localCertificate") }
        /// The certificates to trust can't be read.
        public static var trustAnchors: Self { .init(description: "trustAnchors") }
        /// A time-out expired.
        public static var timedOut: Self { .init(description: "timedOut") }
        /// The connection failed before the whole answer arrived, or the answer is malformed. How much of the body was sent
        /// by then is chance.
        public static var receive: Self { .init(description: "receive") }
        /// More redirects than allowed, a redirect from https to http, one to something other than an http or https
        /// URL, or one where a resumable upload can't continue.
        public static var redirects: Self { .init(description: "redirects") }
        /// The connection broke, and the upload can't be resumed, or this happened too often.
        public static var interrupted: Self { .init(description: "interrupted") }
        /// The upload no longer exists on the server, and can't be started again.
        public static var gone: Self { .init(description: "gone") }
        /// The body can't be read again from the offset that the server needs.
        public static var notReplayable: Self { .init(description: "notReplayable") }
        /// The body is longer than the server accepts.
        public static var tooLarge: Self { .init(description: "tooLarge") }
        /// The server has no resumable uploads of the chosen kind.
        public static var unsupported: Self { .init(description: "unsupported") }
        /// The server violated the protocol for resuming.
        public static var protocolBroken: Self { .init(description: "protocolBroken") }
    }

    /// What to decide on.
    public var code: Code
    /// One sentence: what is wrong, and what to do if something can be done.
    public var message: String
    /// Bytes of the body that the socket had accepted by then; `nil` if none were to be sent.
    public var bytesSent: Int64?
    /// The error of the system or another library, unchanged.
    public var cause: (any Error)?
    /// Whether the server ended the connection without a word, and had little to read: it may expect TLS.
    package var mayExpectTLS = false
    /// Whether the proxy is at fault, or the way to it.
    package var isAboutProxy = false
    /// Whether the connection ended while TLS or a proxy's tunnel was set up.
    var isSetupCut = false
    /// Whether the server said that it didn't process the request, so that it may be repeated (RFC 9113 section 8.7).
    var isUnprocessed = false

    /// Creates an error.
    package init(_ code: Code, _ message: String, bytesSent: Int64? = nil, cause: (any Error)? = nil) {
        (self.code, self.message, self.bytesSent, self.cause) = (code, message, bytesSent, cause)
    }

    /// The error for a body of more bytes than the server accepts; `nil` for others.
    init?(_ length: Int64, beyond limit: Int64?) {
        guard let limit, length > limit else { return nil }
        self.init(.tooLarge, "the body has \(length, "byte"), but the server accepts at most \(limit)")
    }

    /// Whether another try may succeed.
    var mayPass: Bool {
        [.resolve, .connect, .timedOut, .receive].contains(self.code) || self.isSetupCut
    }

    /// One line. Control characters are shown escaped.
    public var description: String {
        let sent = self.bytesSent.map { " [\($0, "byte") sent]" } ?? ""
        return "\(self.message)\(Self.said(self.cause))\(sent)".withControlCharactersEscaped
    }
}

extension TransferError.Code {
    /// Lets a caller write `catch TransferError.Code.timedOut`.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? TransferError)?.code == code }
}

extension Duration {
    /// `1 second`, `30 seconds` or `0.5 seconds`, for errors.
    package var text: String {
        let seconds = self / .seconds(1)
        // The components of a longer duration may not fit.
        guard seconds == seconds.rounded(), abs(seconds) < 1e15 else { return "\(seconds) seconds" }
        return "\(self.components.seconds, "second")"
    }
}
