import AsyncHTTPClient
import FormworkClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Why a server that the receiver asks gave no answer, without the names of a library's types.
struct MissingResponse: Error, CustomStringConvertible {
    var description: String

    /// - Parameters:
    ///   - limit: How long the answer may take; `nil` if that depends on its progress.
    ///   - longestAnswer: The most bytes of an answer.
    init(_ error: any Error, limit: Duration?, longestAnswer: Int) {
        self.description =
            switch error {
            case is TimeLimit.Passed: "\(error)"
            case is CancellationError: Self.stopping
            case let error as HTTPClientError: Self.words(error, limit)
            case HTTPParserError.invalidEOFState: "it closed the connection in the middle of its answer"
            case is NIOTooManyBytesError: "its answer has more than \(longestAnswer, "byte")"
            case is HTTPParserError: "its answer isn't HTTP"
            case _ where Self.isUntrusted(error): "its certificate isn't trusted, or has expired"
            case let error as NIOSSLExtraError where error == .failedToValidateHostname:
                "its \(TransferError.otherHost)"
            case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: "TLS failed"
            case let error as NIOConnectionError where error.connectionErrors.isEmpty:
                "\(error.host): the name can't be resolved"
            case let error as NIOConnectionError:
                "no connection (\(error.connectionErrors.last.map { TransferError.text($0.error) } ?? ""))"
            case is IOError: "no connection (\(TransferError.text(error)))"
            default: "\(error)"
            }
    }

    /// Whether the server's certificate isn't accepted, which trying again doesn't change.
    static func isUntrusted(_ error: any Error) -> Bool { "\(error)".contains("CERTIFICATE_VERIFY_FAILED") }

    private static let stopping = "the receiver is stopping"

    private static func words(_ error: HTTPClientError, _ limit: Duration?) -> String {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout:
            limit.map { "\(TimeLimit.Passed(limit: $0))" } ?? "it made no progress in time"
        case .connectTimeout, .getConnectionFromPoolTimeout:
            "there was no connection \(limit.map { "within \($0.text)" } ?? "in time")"
        case .remoteConnectionClosed: "it closed the connection without an answer"
        case .cancelled, .alreadyShutdown: self.stopping
        default: "\(error)"
        }
    }
}

/// Refuses answers with a status below 100, which AsyncHTTPClient takes for interim ones: at their end it stops the process.
private final class StatusCheck: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isRefused else { return }
        if case .head(let head) = self.unwrapInboundIn(data), head.status.code < 100 {
            self.isRefused = true
            return context.fireErrorCaught(HTTPParserError.invalidStatus)
        }
        context.fireChannelRead(data)
    }
}

extension HTTPClient.Configuration {
    /// One that follows nothing, tries nothing again by itself, where no try is counted or logged, and refuses answers with
    /// a status below 100.
    /// - Parameters:
    ///   - connections: How many there may be at once.
    ///   - trusted: The certificates that a server's must come from; `nil` for the system's.
    init(_ timeout: Timeout, connections: Int, trusted: [NIOSSLCertificate]? = nil) {
        self.init(redirectConfiguration: .disallow, timeout: timeout, decompression: .disabled)
        self.connectionPool.retryConnectionEstablishment = false
        self.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        self.httpVersion = .http1Only
        // RFC 8996 forbids older versions.
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let trusted { tls.trustRoots = .certificates(trusted) }
        self.tlsConfiguration = tls
        self.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                let pipeline = channel.pipeline.syncOperations
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(StatusCheck(), position: .after(decoder))
            }
        }
    }
}
