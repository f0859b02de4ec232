import NIOCore
import NIOHTTP1
import NIOHTTPTypes

// The receiving half of an exchange.
extension Connection {
    /// Receives the answer.
    func receive<Result: Sendable>(
        _ wire: ExchangeChannel, _ answered: (ExchangeResponse) async throws -> Result
    ) async throws -> Result {
        self.ledger.begin()
        let watch = self.options.stallTimeout.map { self.watch(wire.channel, $0) }
        defer { watch?.cancel() }
        do {
            return try await wire.executeThenClose { inbound, _ in
                var iterator = inbound.makeAsyncIterator()
                let head = try await self.head(&iterator)
                let takesBody = self.ledger.answerTakesBody
                let state = takesBody ? await self.ledger.settled() : self.ledger.atAnswer
                try Task.checkCancellation()
                if let failure = self.ledger.failure { throw failure }
                if takesBody, head.status.kind == .successful, !state.isBodyComplete {
                    self.hooks.answeredEarly(head, self.ledger.version)
                    throw FormworkError(
                        .writeFailed, "the server answered \(head.status.code) before it had all of the body",
                        offset: state.bytesSent)
                }
                let body = ExchangeResponseBody(
                    iterator, self.ledger, self.notes, mayBeCut: head.status.kind != .successful)
                return try await answered(
                    ExchangeResponse(
                        head: head, body: body, bytesSent: state.bytesSent,
                        isBodyComplete: state.isBodyComplete, isAllSent: state.isAllSent,
                        version: self.ledger.version))
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
                guard response.status.code >= 100 else {
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
            throw TransferError(.receive, prefix + fault, bytesSent: sent).about(self.peer)
        }
        if case ConnectionFault.answerInTLS? = cause {
            let fix = self.peer.isProxy ? "write https:// before its name" : "write https:// and not http://"
            throw TransferError(
                .receive, "\(prefix)the \(noun) speaks TLS on this port: \(fix)", bytesSent: sent
            ).about(self.peer)
        }
        var error = TransferError(unanswered: self.peer, self.notes.cause(cause), bytesSent: sent)
        error.mayExpectTLS =
            interim == 0 && self.ledger.version != .http2 && !self.peer.isProxy
            && self.ledger.offersLittle(asks: self.asks)
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

extension HTTPRequest {
    /// Adds the fields that describe the body and this connection.
    mutating func describe(_ body: ExchangeBody?, asks: Bool, through proxy: Proxy?, isHTTP2: Bool) {
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
        // A tunnel has them in its own request.
        if let authorization = proxy?.authorization, self.scheme?.lowercased() != "https" {
            self.headerFields[.proxyAuthorization] = authorization
        }
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

/// A body, or the part of it that a request carries: resuming sends the rest.
struct ExchangeBody: Sendable {
    /// The whole body.
    var plan: BodyPlan
    /// Bytes to skip without reading them.
    var offset: Int64
    /// The most bytes to send; `nil` sends all up to the end.
    var count: Int64?
    /// Whether the length isn't sent to the server, even if it is known.
    var isChunked = false

    /// Creates a body; by default the whole one.
    init(_ plan: BodyPlan, from offset: Int64 = 0, count: Int64? = nil) {
        (self.plan, self.offset, self.count) = (plan, offset, count)
    }

    /// Bytes that the request carries; `nil` if unknown.
    var length: Int64? {
        guard !self.isChunked, let rest = self.plan.contentLength.map({ max(0, $0 - self.offset) }) else { return nil }
        return self.count.map { min($0, rest) } ?? rest
    }

    /// A pipe of these bytes.
    func makePipe(_ options: ReaderOptions) throws -> BufferPipe {
        let reader = try self.plan.makeReader(from: self.offset, count: self.count, options: options)
        return BufferPipe(reader, length: self.length, size: 512 << 10)
    }
}

/// Callbacks that observe and control an exchange while it runs.
struct ExchangeHooks: Sendable {
    /// Called with each informational answer when it arrives; `false` ends the exchange with ``ExchangeStopped``.
    var informed: @Sendable (HTTPResponse) async -> Bool = { _ in true }
    /// Called before a request is sent, with all its fields, and with whether it is one of HTTP/2.
    var requesting: @Sendable (HTTPRequest, Bool) -> Void = { _, _ in }
    /// Called before the body's source is asked for its first bytes: from then on one that can be read only once is used
    /// up, whatever of it is sent.
    var reading: @Sendable () -> Void = {}
    /// Called before bytes are sent, with the offset of their end in the whole body.
    var sending: @Sendable (Int64) -> Void = { _ in }
    /// Called with the length of the whole body after its end was read, before the end is sent.
    var ended: @Sendable (Int64) -> Void = { _ in }
    /// Called with the head of a 2xx that came before the whole body, which makes the exchange fail.
    var answeredEarly: @Sendable (HTTPResponse, ResponseVersion) -> Void = { _, _ in }
    /// Whether the caller judges a 2xx, or a redirect to a page, before the whole body was sent. Otherwise the rest of the
    /// body is sent, and a 2xx to a part of it is a failure. Called on the event loop when the answer's head arrives.
    /// It gets the answer, and the last 104 before it.
    var judgesEarly: @Sendable (_ answer: HTTPResponse, _ offer: HTTPResponse?) -> Bool = { _, _ in false }
}

/// A hook stopped the exchange after an informational answer.
struct ExchangeStopped: Error {}
