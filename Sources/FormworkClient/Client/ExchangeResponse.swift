import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// A server's final answer, and how much of the body had been sent when it arrived.
public struct ExchangeResponse {
    /// The answer's status and fields.
    public var head: HTTPResponse
    /// The answer's body; usable only in the closure that is called with the answer.
    public var body: ExchangeResponseBody
    /// Bytes of this request's body that the system had accepted when the answer arrived. The server may have fewer of them.
    public var bytesSent: Int64
    /// Whether the body counts as delivered: all of it was sent, or a 2xx came early for a body of at most 4 MiB.
    /// `false` for another early answer; `true` for a request without a body, such as a `GET` after a redirect, which is
    /// followed only if the body was delivered.
    public var isBodyComplete: Bool
    /// Whether ``bytesSent`` is all of this request's body; also `true` without one.
    package var isAllSent: Bool
    /// The version of HTTP.
    package var version: ResponseVersion
    /// AsyncHTTPClient's own response.
    var given: GivenResponse?
    /// The request that AsyncHTTPClient made of a redirect, and whether it has the body; `nil` if it followed none.
    var followed: (request: HTTPRequest, hasBody: Bool)?
}

/// A response of AsyncHTTPClient, which can be read after the exchange.
final class GivenResponse {
    private let response: HTTPClientResponse
    private(set) var isTaken = false

    init(_ response: HTTPClientResponse) { self.response = response }

    func take() -> HTTPClientResponse {
        self.isTaken = true
        return self.response
    }
}

/// The version of HTTP that an answer has, as it is written.
package enum ResponseVersion: String, Sendable {
    case http10 = "1.0"
    case http11 = "1.1"
    case http2 = "2"
}

/// The body of an answer, as it arrives: the server has to wait until the caller asks for the next bytes.
public final class ExchangeResponseBody {
    private var iterator: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator?
    private let ledger: ExchangeLedger?
    /// Why the connection ended.
    private let notes: ErrorNote?
    /// Whether the end may be missing: the status of a refusal says enough, and a server that refuses a body unread often
    /// closes the connection inside its answer. Whether the body was sent by then is chance, and doesn't count.
    private let mayBeCut: Bool
    private var isOver = false
    /// Whether the connection ended before the answer did.
    public private(set) var isCut = false
    /// How it ended before the answer did, if that wasn't thrown.
    package private(set) var cutError: TransferError?
    /// The trailer fields, after the end was read; `nil` for none.
    public private(set) var trailerFields: HTTPFields?

    init(
        _ iterator: NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator, _ ledger: ExchangeLedger,
        _ notes: ErrorNote, mayBeCut: Bool
    ) {
        (self.iterator, self.ledger, self.notes, self.mayBeCut) = (iterator, ledger, notes, mayBeCut)
    }

    /// Creates an empty body.
    init() { (self.iterator, self.ledger, self.notes, self.mayBeCut, self.isOver) = (nil, nil, nil, false, true) }

    /// The next bytes; `nil` at the end.
    /// - Throws: ``TransferError`` with ``TransferError/Code/receive``; `CancellationError`.
    public func next() async throws -> ByteBuffer? {
        var failure: (any Error)?
        while !self.isOver {
            do {
                switch try await self.iterator?.next(isolation: #isolation) {
                case .body(let buffer): return buffer
                case .end(let fields):
                    self.trailerFields = fields
                    self.isOver = true
                    return nil
                case .head: continue
                case nil: self.isOver = true
                }
            } catch {
                self.isOver = true
                failure = error
            }
            try Task.checkCancellation()
            self.isCut = true
            if let given = self.ledger?.failure { throw given }
            switch failure {
            case let parsing as HTTPParserError where parsing != .invalidEOFState: throw Self.malformed
            case is ByteToMessageDecoderError.PayloadTooLargeError: throw Self.malformed
            // Its words, "stream ended at an unexpected time", say no more.
            case is HTTPParserError: failure = nil
            default: break
            }
            failure = self.notes?.cause(failure) ?? failure
            let end = TransferError.end(failure, of: "server")
            let cut = TransferError(.receive, "\(end) inside the answer", cause: failure)
            guard self.mayBeCut else { throw cut }
            self.cutError = cut
        }
        return nil
    }

    private static var malformed: TransferError {
        TransferError(.receive, "the server's answer isn't HTTP: its body is malformed")
    }

    /// The next bytes, for callers without NIO; `nil` at the end.
    package func nextBytes() async throws -> [UInt8]? { try await self.next().map { Array($0.readableBytesView) } }

    /// The bytes up to a limit, and whether there are more.
    public func collect(upTo limit: Int) async throws -> (bytes: ByteBuffer, isTruncated: Bool) {
        var bytes = ByteBuffer()
        while var buffer = try await self.next() {
            let room = max(0, limit) - bytes.readableBytes
            if buffer.readableBytes > room {
                if var head = buffer.readSlice(length: room) { bytes.writeBuffer(&head) }
                return (bytes, true)
            }
            bytes.writeBuffer(&buffer)
        }
        return (bytes, self.isCut)
    }
}
