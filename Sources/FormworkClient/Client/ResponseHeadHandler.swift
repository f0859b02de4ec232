import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Makes an answer's head as NIO's parser reads it: lines that end with LF alone end with CRLF, and a header field that was
/// folded over several lines has a blank for each fold.
///
/// Recipients may read such lines (RFC 9112 §2.2), and clients have to read folded ones (§5.2), as curl does, but NIO's
/// parser refuses both. The body is passed unchanged. A connection has one final answer, so what follows its head is never
/// a head.
///
/// An answer that arrives before the request was written waits until then, or until the connection ends: NIO's parser
/// refuses it. Servers that have too many connections send one like this.
final class ResponseHeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart

    /// The first byte of an alert, and of a part of the handshake (RFC 8446 section 5.1).
    private static let (tlsAlert, tlsHandshake): (UInt8, UInt8) = (0x15, 0x16)
    /// The longest status line, with empty lines before it; the most that is held before the request is written; and the
    /// most that may arrive of a body without being part of its content. NIO's parser doesn't limit them.
    private static let longestStart = NIOHTTPDecoderLimitConfiguration().maxHeaderFieldSize

    /// What follows a proxy's head: it belongs to the tunnel, and is passed on when this handler is removed.
    private var rest = ByteBuffer()
    /// Counts the parts of the answer, and has the ledger with its version; `nil` for a proxy's answer.
    private let counter: ResponseHandler?
    private var hasRequest = false
    /// What arrived before the request was written.
    private var early = ByteBuffer()
    /// Whether the request that is written isn't the real one.
    private var isStandIn = false
    private var isInHead = true
    /// Whether the last byte was a CR, which isn't written yet.
    private var hasReturn = false
    /// Whether a header field's line end isn't written yet: the next line may continue the field.
    private var hasHeldEnd = false
    /// The bytes of the current head up to the end of its status line.
    private var startCount = 0
    /// The bytes of the current line so far, without its end.
    private var lineCount = 0
    private var isAfterStatusLine = false
    /// The beginning of the status line, as far as the first digit of the status: `HTTP/1.1 2`.
    private var statusLine: [UInt8] = []
    /// The bytes after the head, or after the last part, that gave no part: sizes of chunks, and their extensions.
    private var framingCount = 0

    init(_ counter: ResponseHandler?) { self.counter = counter }

    /// Whether what followed a proxy's head, if anything did, begins as TLS does.
    var mayBeginTLS: Bool {
        self.rest.readableBytesView.first.map { [Self.tlsAlert, Self.tlsHandshake].contains($0) } ?? true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.hasRequest else {
            var input = self.unwrapInboundIn(data)
            guard self.early.readableBytes + input.readableBytes <= Self.longestStart else {
                return context.fireErrorCaught(HTTPParserError.headerOverflow)
            }
            self.early.writeBuffer(&input)
            return
        }
        guard self.isInHead else { return self.passBody(context, data) }
        var input = self.unwrapInboundIn(data)
        if self.statusLine.isEmpty, input.readableBytesView.first == Self.tlsAlert {
            return context.fireErrorCaught(ConnectionFault.answerInTLS)
        }
        var output = context.channel.allocator.buffer(capacity: input.readableBytes + 64)
        while self.isInHead, let byte = input.readInteger(as: UInt8.self) {
            if !self.isAfterStatusLine { self.startCount += 1 }
            guard self.startCount <= Self.longestStart else {
                return context.fireErrorCaught(HTTPParserError.headerOverflow)
            }
            self.take(byte, &output)
        }
        if self.counter == nil { self.rest.writeBuffer(&input) } else { output.writeBuffer(&input) }
        context.fireChannelRead(self.wrapInboundOut(output))
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        // TLS doesn't begin on a connection that has ended.
        if self.rest.readableBytes > 0, context.channel.isActive {
            context.fireChannelRead(self.wrapInboundOut(self.rest))
            context.fireChannelReadComplete()
        }
        context.leavePipeline(removalToken: removalToken)
    }

    private func passBody(_ context: ChannelHandlerContext, _ data: NIOAny) {
        guard self.counter != nil else {
            var input = self.unwrapInboundIn(data)
            return _ = self.rest.writeBuffer(&input)
        }
        let (count, partCount) = (self.unwrapInboundIn(data).readableBytes, self.counter?.partCount)
        context.fireChannelRead(data)
        guard partCount == self.counter?.partCount else { return self.framingCount = 0 }
        self.framingCount += count
        if self.framingCount > Self.longestStart { context.fireErrorCaught(HTTPParserError.invalidChunkSize) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if !self.isStandIn { context.write(data, promise: promise) }
        guard !self.hasRequest else { return }
        self.hasRequest = true
        guard self.early.readableBytes > 0 else { return }
        self.channelRead(context: context, data: self.wrapInboundOut(self.early))
        self.early = ByteBuffer()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.endEarly(context)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.endEarly(context)
        context.fireChannelInactive()
    }

    /// The connection ends before the request was written. The parser reads only the answer to a request that it saw, so it
    /// sees another one, which isn't written.
    private func endEarly(_ context: ChannelHandlerContext) {
        guard !self.hasRequest, self.early.readableBytes > 0 else { return }
        self.isStandIn = true
        let request = HTTPRequest(method: .post, scheme: "http", authority: "localhost", path: "/")
        context.channel.write(HTTPRequestPart.head(request), promise: nil)
        self.isStandIn = false
    }

    private func take(_ byte: UInt8, _ output: inout ByteBuffer) {
        if self.hasHeldEnd {
            self.hasHeldEnd = false
            if byte == 0x20 || byte == 0x09 {
                output.writeInteger(0x20 as UInt8)
            } else {
                output.writeString("\r\n")
            }
        }
        guard byte != 0x0A else {
            self.hasReturn = false
            return self.endLine(&output)
        }
        if self.hasReturn {
            // A CR that ends no line is part of it.
            output.writeInteger(0x0D as UInt8)
            self.lineCount += 1
        }
        self.hasReturn = byte == 0x0D
        guard !self.hasReturn else { return }
        if !self.isAfterStatusLine, self.statusLine.count < 10 { self.statusLine.append(byte) }
        self.lineCount += 1
        output.writeInteger(byte)
    }

    private func endLine(_ output: inout ByteBuffer) {
        let isEmpty = self.lineCount == 0
        self.lineCount = 0
        guard isEmpty else {
            if self.isAfterStatusLine { self.hasHeldEnd = true } else { output.writeString("\r\n") }
            return self.isAfterStatusLine = true
        }
        output.writeString("\r\n")
        // An empty line before the status line ends no head.
        guard self.isAfterStatusLine else { return }
        // Another head follows an informational one.
        self.isInHead = self.statusLine.count < 10 || self.statusLine[9] == UInt8(ascii: "1")
        if !self.isInHead, self.statusLine.starts(with: "HTTP/1.0".utf8) { self.counter?.ledger.version = .http10 }
        (self.isAfterStatusLine, self.statusLine, self.startCount) = (false, [], 0)
    }
}
