#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypes

extension FormClient {
    /// The receiving half of one exchange.
    struct Context: Sendable {
        let ledger: ExchangeLedger
        let peer: Peer
        let notes: ErrorNote
        let isHTTP2: Bool
        let versionNote: VersionNote
        /// Whether the server is asked before the body is sent.
        let asks: Bool
        let stallTimeout: Duration?
        let hooks: ExchangeHooks

        func run<Result: Sendable>(
            _ wire: ExchangeChannel, _ answered: (ExchangeAnswer) async throws -> Result
        ) async throws -> Result {
            self.ledger.begin()
            let watch = self.stallTimeout.map { self.watch(wire.channel, $0) }
            defer { watch?.cancel() }
            do {
                return try await wire.executeThenClose { inbound, _ in
                    var iterator = inbound.makeAsyncIterator()
                    let head = try await self.head(&iterator)
                    let now = self.ledger.answered ?? .init(bytesSent: 0, isBodyComplete: false, isAllSent: false)
                    let takesBody = self.ledger.answerTakesBody
                    let state = takesBody ? await self.ledger.settled() : now
                    try Task.checkCancellation()
                    if let failure = self.ledger.failure { throw failure }
                    if takesBody, head.status.kind == .successful, !state.isBodyComplete {
                        self.hooks.answeredEarly(head, self.versionNote.version)
                        throw FormworkError(
                            .writeFailed, "the server answered \(head.status.code) before it had all of the body",
                            offset: state.bytesSent)
                    }
                    let body = AnswerBody(
                        iterator, self.ledger, self.notes, mayBeCut: head.status.kind != .successful)
                    return try await answered(
                        ExchangeAnswer(
                            head: head, body: body, bytesSent: state.bytesSent,
                            isBodyComplete: state.isBodyComplete, isAllSent: state.isAllSent,
                            version: self.versionNote.version))
                }
            }
        }

        /// How many interim answers a server may send, besides one for each KiB of the body: one a second for a day.
        private static let mostInterim: Int64 = 86_400

        /// The final answer's head; the hooks are called with informational answers before it.
        private func head(
            _ iterator: inout NIOAsyncChannelInboundStream<HTTPResponsePart>.AsyncIterator
        ) async throws -> HTTPResponse {
            var cause: (any Error)?
            var interim: Int64 = 0
            do {
                while let part = try await iterator.next(isolation: #isolation) {
                    guard case .head(let response) = part else { continue }
                    guard 100...599 ~= response.status.code else {
                        throw TransferError(
                            .receive, "the server answered \(response.status.code), which isn't an HTTP status",
                            bytesSent: self.ledger.written)
                    }
                    guard response.status.kind == .informational else { return response }
                    guard response.status != .switchingProtocols else {
                        throw TransferError(.receive, "the server switches to a protocol that wasn't requested")
                    }
                    interim += 1
                    guard interim <= Self.mostInterim + (self.ledger.written >> 10) else {
                        throw TransferError(
                            .receive, "the server sends interim answers without end", bytesSent: self.ledger.written)
                    }
                    guard await self.hooks.informed(response) else { throw ExchangeStopped() }
                }
            } catch let error as TransferError { throw error } catch let error as ExchangeStopped {
                throw error
            } catch { cause = error }
            try Task.checkCancellation()
            if let failure = self.ledger.failure { throw failure }
            let (sent, noun, prefix) = (self.ledger.written, self.peer.noun, self.peer.prefix)
            if cause is ByteToMessageDecoderError.PayloadTooLargeError { cause = HTTPParserError.headerOverflow }
            if let cause = cause as? HTTPParserError {
                // The parser's words, such as "invalid constant string", explain nothing.
                let fault =
                    switch cause {
                    case .invalidEOFState: "the connection ended inside the head of the \(noun)'s answer"
                    case .headerOverflow: "the head of the \(noun)'s answer is too long, or has too many fields"
                    case .unexpectedContentLength, .invalidContentLength:
                        "the \(noun)'s answer has an invalid Content-Length, or several"
                    default: "the \(noun)'s answer isn't HTTP"
                    }
                throw TransferError(.receive, prefix + fault, bytesSent: sent)
            }
            if cause is AnswerInTLS {
                let fix = self.peer.isProxy ? "write https:// before its name" : "write https:// and not http://"
                throw TransferError(
                    .receive, "\(prefix)the \(noun) speaks TLS on this port: \(fix)", bytesSent: sent)
            }
            var error = TransferError(unanswered: self.peer, self.notes.cause(cause), bytesSent: sent)
            error.mayExpectTLS =
                interim == 0 && !self.isHTTP2 && !self.peer.isProxy && self.ledger.offersLittle(asks: self.asks)
            throw error
        }

        /// Closes the channel of a server that neither accepts nor sends bytes.
        private func watch(_ channel: any Channel, _ timeout: Duration) -> Task<Void, any Error> {
            Task { [ledger] in
                while true {
                    let rest = timeout.asWait - ledger.stall
                    guard rest > .zero else { break }
                    try await Task.sleep(for: max(rest, .milliseconds(10)).asWait)
                }
                ledger.fail(
                    TransferError(
                        .timedOut, "the server has neither accepted nor sent anything for \(timeout.text)",
                        bytesSent: ledger.written))
                channel.close(promise: nil)
            }
        }
    }
}

extension HTTPResponse.Status {
    /// Whether it means that the server has the body: 2xx, and redirects that drop the body of a `POST`.
    var takesBody: Bool { self.kind == .successful || 301...303 ~= self.code }
}

extension HTTPRequest {
    /// Adds the fields that describe the body and this connection.
    mutating func describe(_ body: ExchangeBody?, asks: Bool, proxyAuthorization: String?, isHTTP2: Bool) {
        if let host = self.headerFields[.hostField] {
            self.authority = host
            self.headerFields[.hostField] = nil
        } else if let authority = self.authority, authority.hasPrefix("["), authority.contains("%"),
            let address = authority.split(separator: "]", maxSplits: 1).first
        {
            // A server doesn't know this computer's zones (RFC 6874 section 3).
            self.authority = "\(address.prefix { $0 != "%" })]\(authority.dropFirst(address.count + 1))"
        }
        if let body {
            if self.headerFields[.contentType] == nil { self.headerFields[.contentType] = body.plan.contentType }
            self.headerFields[.contentLength] = body.length.map { String($0) }
            if asks, self.headerFields[.expect] == nil { self.headerFields[.expect] = "100-continue" }
        } else if ![.get, .head, .delete, .options].contains(self.method) {
            // Without it, HTTP/1.1 would announce chunks.
            self.headerFields[.contentLength] = "0"
        }
        if let proxyAuthorization { self.headerFields[.proxyAuthorization] = proxyAuthorization }
        if isHTTP2 {
            // RFC 9113 section 8.2.2.
            for name in [.connection, .transferEncoding, .expect] as [HTTPField.Name] {
                self.headerFields[name] = nil
            }
        }
        // HTTP/1.1 gets no `Connection: close`, though the connection isn't used again: with it some servers, such as Node's,
        // close it as soon as they have answered, also while the body is under way.
    }
}
#endif
