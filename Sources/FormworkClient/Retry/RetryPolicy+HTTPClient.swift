import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix

extension RetryPolicy {
    func covers(_ error: any Error) -> Bool {
        if let failure = error as? ClientFailure { return failure.mayPass }
        return (error as? TransferError).map { self.retriesAllErrors || $0.mayPass } ?? false
    }

    /// Whether another try may help after this error of AsyncHTTPClient or of its connection.
    func covers(client error: any Error) -> Bool {
        if self.retriesAllErrors { return true }
        switch error {
        case let error as HTTPClientError: return Self.passing.contains(error)
        case is NIOConnectionError, is ChannelError, is IOError: return true
        // The errors for a connection that ends within an answer, in HTTP/1.1 and HTTP/2.
        case HTTPParserError.invalidEOFState, is NIOHTTP2Errors.StreamClosed: return true
        default: return false
        }
    }

    private static let passing: [HTTPClientError] = [
        .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout,
        .socksHandshakeTimeout, .getConnectionFromPoolTimeout, .remoteConnectionClosed, .requestStreamCancelled,
    ]
}
