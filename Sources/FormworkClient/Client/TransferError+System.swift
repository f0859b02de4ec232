import FormworkEssentials
import NIOCore
import NIOExtras
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

extension ErrorNote {
    /// Why the connection ended, if that was TLS, or a server that doesn't speak HTTP/2. TLS may end it after the
    /// handshake, when a server refuses the client's certificate (RFC 8446 section 4.4.2.4), or in the TLS connection to a
    /// proxy.
    func failure(bytesSent: Int64?) -> TransferError? {
        guard let (error, peer) = self.first else { return nil }
        switch error {
        case ConnectionFault.noHTTP2: return TransferError(noHTTP2: peer)
        case ConnectionFault.invalidHTTP2:
            return TransferError(
                .receive, "\(peer.prefix)the \(peer.noun)'s answer isn't valid HTTP/2, or its head is too long",
                bytesSent: bytesSent
            ).about(peer)
        // Closed without TLS's closing message, which is common.
        case NIOSSLError.uncleanShutdown: return nil
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            var failure = TransferError(opening: peer, through: nil, error)
            failure.bytesSent = bytesSent
            return failure
        default: return nil
        }
    }
}

extension TransferError {
    /// Why no connection was made.
    /// - Parameter isProxy: Whether the place is a proxy's.
    init(connecting place: String, isProxy: Bool = false, _ error: any Error) {
        let way = isProxy ? " to the proxy" : ""
        switch error {
        case let error as TransferError: self = error
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            // The system's message only says that the name isn't known.
            self.init(.resolve, "\(error.host): the \(isProxy ? "proxy's " : "")name can't be resolved")
        case let error as NIOConnectionError:
            let last = error.connectionErrors.last.map { Self.text($0.error) } ?? ""
            let isLate = error.connectionErrors.allSatisfy {
                if case .connectTimeout = $0.error as? ChannelError { true } else { false }
            }
            self.init(isLate ? .timedOut : .connect, "\(place): no connection\(way) (\(last))")
        case ChannelError.connectTimeout: self.init(.timedOut, "\(place): no connection\(way) in time")
        case SocketAddressError.unixDomainSocketPathTooLong:
            self.init(.connect, "\(place): the path is too long for a Unix socket")
        default: self.init(.connect, "\(place): no connection\(way) (\(Self.text(error)))")
        }
        if isProxy { self.isAboutProxy = true }
    }

    /// The same error, with what it is about.
    func about(_ peer: Peer) -> Self {
        var error = self
        error.isAboutProxy = peer.isProxy || self.code == .proxy
        return error
    }

    /// The connection ended before `SETTINGS`. How many bytes it took depends on the time.
    init(noHTTP2 peer: Peer) {
        self.init(.receive, "\(peer.name): the \(peer.noun) doesn't speak HTTP/2")
        self.isAboutProxy = peer.isProxy
    }

    /// The connection, or in HTTP/2 only its stream, ended before the answer. That has one code however much was sent: the
    /// system may have buffered all of it, or nothing.
    init(unanswered peer: Peer, _ cause: (any Error)?, bytesSent: Int64) {
        let it = cause is NIOHTTP2Errors.StreamClosed ? "it" : "the \(peer.noun)"
        self.init(
            .receive,
            "\(peer.prefix)\(Self.end(cause, of: peer.noun)) before \(it) answered\(Self.said(cause))",
            bytesSent: bytesSent)
        self.isAboutProxy = peer.isProxy
        self.isUnprocessed =
            (cause as? GoAway)?.dropsRequest ?? ((cause as? NIOHTTP2Errors.StreamClosed)?.errorCode == .refusedStream)
    }

    /// Whether the connection was made, and reset or closed.
    static func isReset(_ error: any Error) -> Bool {
        let last = (error as? NIOConnectionError)?.connectionErrors.last?.error ?? error
        return (last as? IOError).map { [.connectionReset, .brokenPipe].contains(Errno(rawValue: $0.errnoCode)) }
            ?? false
    }

    /// The end of the message for a certificate without the host's name.
    package static let otherHost = "certificate is another host's"

    /// The certificate has another host's name.
    init(otherHost peer: Peer) { self.init(.certificate, "\(peer.name): the \(peer.noun)'s \(Self.otherHost)") }

    /// The certificate isn't valid now; `nil` for another error, or a certificate that isn't trusted for another reason.
    init?(untimely certificate: NIOSSLCertificate?, of peer: Peer, _ error: any Error) {
        guard let certificate, Self.isUntrusted(error) else { return nil }
        let now = Int64(exactly: Date().timeIntervalSince1970.rounded(.down)) ?? 0
        let (first, last) = (Int64(certificate.notValidBefore), Int64(certificate.notValidAfter))
        guard now < first || now > last else { return nil }
        let what = now > last ? "expired on \(HTTPDate.text(last))" : "isn't valid before \(HTTPDate.text(first))"
        self.init(.certificate, "\(peer.name): the \(peer.noun)'s certificate \(what)")
    }

    private static func isUntrusted(_ error: any Error) -> Bool {
        let text = error is NIOSSLError ? "\(error)" : ""
        return text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate")
    }

    /// Why a connection that was made couldn't be used.
    /// - Parameters:
    ///   - peer: The one that the error is about.
    ///   - proxy: Host and port of the proxy that was to make a tunnel. What went wrong with the tunnel is about it, even if
    ///     that is known before the error was recorded with a peer, or after the tunnel's handlers were removed.
    init(opening peer: Peer, through proxy: String?, _ error: any Error) {
        switch error {
        case let error as TransferError: self = error
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init(otherHost: peer)
        case _ where Self.isUntrusted(error):
            self.init(.certificate, "\(peer.name): the \(peer.noun)'s certificate is not trusted")
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: self.init(tls: peer, through: proxy, error)
        case ConnectionFault.tunnelEnded: self.init(handshake: peer, through: proxy)
        // BoringSSL's words for bytes that come later.
        case ConnectionFault.tunnelWithoutTLS: self.init(.tls, "\(peer.name): doesn't use TLS (wrong version number)")
        case is IOError where proxy != nil && !peer.isProxy:
            self.init(handshake: peer, through: proxy, cause: error)
        case is CancellationError: self.init(.timedOut, "\(peer.name): no connection in time")
        case ConnectionFault.answerInTLS:
            self.init(
                .proxy, "\(proxy ?? peer.name): the proxy speaks TLS on this port: write https:// before its name")
        default:
            if let proxy {
                self.init(tunnel: proxy, error)
            } else {
                self.init(handshake: peer, through: nil, cause: error)
            }
        }
        self = self.about(peer)
    }

    /// The connection ended before TLS was set up. If that was through a proxy, either of the two may have ended it. After a
    /// reset it is chance whether the proxy's answer is seen, so the code is that of a tunnel that wasn't made.
    private init(handshake peer: Peer, through proxy: String?, cause: (any Error)? = nil) {
        let way = peer.isProxy ? "" : proxy.map { " through \($0)" } ?? ""
        self.init(
            peer.isProxy || proxy != nil ? .proxy : .tls,
            "\(peer.name): the connection\(way) ended during the TLS handshake",
            cause: cause)
        self.isSetupCut = true
    }

    /// Why a proxy made no tunnel.
    private init(tunnel proxy: String, _ error: any Error) {
        switch error {
        case HTTPParserError.invalidEOFState:
            self.init(.proxy, "\(proxy): the proxy closed the connection inside its answer")
            self.isSetupCut = true
        case is HTTPParserError, is ByteToMessageDecoderError.PayloadTooLargeError:
            self.init(.proxy, "\(proxy): the proxy's answer isn't HTTP")
        case _ where Self.isClosure(error) || Self.isReset(error):
            self.init(.proxy, "\(proxy): the proxy closed the connection while the tunnel was made")
            self.isSetupCut = true
        default:
            self.init(.proxy, "\(proxy): the connection ended while the tunnel was made", cause: error)
        }
    }

    /// Whether the proxy closed its connection: the channel is used for the tunnel when it is closed already.
    private static func isClosure(_ error: any Error) -> Bool {
        guard let error = error as? NIOHTTP1ProxyConnectHandler.Error else { return error is ChannelError }
        return [.remoteConnectionClosed(), .channelUnexpectedlyInactive(), .noResult(), .droppedWrites()].contains(
            error)
    }

    /// A failure of TLS, in the words of its alert or of BoringSSL.
    private init(tls peer: Peer, through proxy: String?, _ error: any Error) {
        // The words are surrounded by numbers and source locations.
        let words = "\(error)".split(separator: "OPENSSL_internal:", maxSplits: 1).dropFirst().first?
            .prefix { $0 == "_" || $0.isASCII && ($0.isUppercase || $0.isNumber) }
        guard let words, !words.isEmpty else {
            guard !"\(error)".contains("EOF during handshake") else {
                self.init(handshake: peer, through: proxy)
                return
            }
            self.init(.tls, "\(peer.name): TLS failed", cause: error)
            return
        }
        let what =
            switch words {
            case _ where words.hasSuffix("WRONG_VERSION_NUMBER") || words.hasSuffix("HTTP_REQUEST"):
                "doesn't use TLS"
            case _ where words.contains("ALERT") && (words.contains("CERT") || words.hasSuffix("UNKNOWN_CA")):
                "the \(peer.noun) accepts only clients with a certificate that it trusts"
            default: "TLS failed"
            }
        self.init(.tls, "\(peer.name): \(what) (\(words.lowercased().replacing("_", with: " ")))")
    }

    /// The names of HTTP/2's error codes, from 0 (RFC 9113 section 7).
    private static let streamErrors = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    private static func name(of code: Int) -> String {
        self.streamErrors.indices.contains(code) ? self.streamErrors[code] : "HTTP/2 error \(code)"
    }

    /// How an exchange ended: the connection, or in HTTP/2 only its stream.
    static func end(_ error: (any Error)?, of noun: String) -> String {
        error is NIOHTTP2Errors.StreamClosed ? "the \(noun) reset the stream" : "the connection ended"
    }

    /// The cause as a message ends with it; empty without one. That a connection was reset, or TLS not ended first, isn't
    /// shown: whether the system reports that or an ordinary end is chance.
    static func said(_ cause: (any Error)?) -> String {
        switch cause {
        case nil, NIOSSLError.uncleanShutdown?: ""
        case let cause?: self.isReset(cause) ? "" : " (\(self.text(cause)))"
        }
    }

    /// The text of an error from NIO, without its type's name.
    package static func text(_ error: any Error) -> String {
        if let error = error as? NIOHTTP2Errors.StreamClosed { return self.name(of: error.errorCode.networkCode) }
        if let error = error as? GoAway { return "GOAWAY: \(self.name(of: error.code))" }
        guard let error = error as? IOError else { return "\(error)" }
        // Its own text also contains the call and the number.
        return Errno(rawValue: error.errnoCode).description
    }
}

/// A server announced that it ends the connection (RFC 9113 section 6.8).
struct GoAway: Error {
    /// The last stream that it serves.
    var last: HTTP2StreamID
    /// Why (section 7).
    var code: Int

    /// Whether it doesn't serve the first stream of the connection, which has no other.
    var dropsRequest: Bool { self.last == .rootStream }
}

/// Notes why a server ends an HTTP/2 connection. After something that HTTP/2 doesn't allow it closes the connection, which NIO
/// leaves open then: the server may not close it either.
final class HTTP2Watch: PeerWatch, ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // NIO says of each stream that the frame drops that it was cancelled.
        if case .goAway(let last, let code, _) = self.unwrapInboundIn(data).payload {
            self.notes.note(GoAway(last: last, code: code.networkCode))
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is any NIOHTTP2Error else { return context.fireErrorCaught(error) }
        self.notes.note(ConnectionFault.invalidHTTP2, of: self.peer)
        context.close(promise: nil)
    }
}
