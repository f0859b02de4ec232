#if Client
import NIOCore

/// Ends the lines of an answer's head with CRLF where the server ended them with LF alone.
///
/// Recipients may read such lines (RFC 9112 §2.2), and curl does, but NIO's parser refuses them. The body is passed
/// unchanged. A connection has one final answer, so what follows its head is never a head.
final class BareLineFeedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var isInHead = true
    private var lastByte: UInt8 = 0
    /// The bytes of the current line so far, without its end.
    private var lineCount = 0
    /// The beginning of the status line, as far as the first digit of the status: `HTTP/1.1 2`.
    private var statusLine: [UInt8] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.isInHead else { return context.fireChannelRead(data) }
        var input = self.unwrapInboundIn(data)
        var output = context.channel.allocator.buffer(capacity: input.readableBytes + 64)
        while self.isInHead, let byte = input.readInteger(as: UInt8.self) { self.take(byte, &output) }
        output.writeBuffer(&input)
        context.fireChannelRead(self.wrapInboundOut(output))
    }

    private func take(_ byte: UInt8, _ output: inout ByteBuffer) {
        defer { self.lastByte = byte }
        guard byte == 0x0A else {
            if self.statusLine.count < 10 { self.statusLine.append(byte) }
            // A CR that ends no line is part of it.
            if self.lastByte == 0x0D { self.lineCount += 1 }
            if byte != 0x0D { self.lineCount += 1 }
            output.writeInteger(byte)
            return
        }
        if self.lastByte != 0x0D { output.writeInteger(0x0D as UInt8) }
        output.writeInteger(byte)
        defer { self.lineCount = 0 }
        guard self.lineCount == 0 else { return }
        if self.statusLine.count < 10 {
            // An empty line before the status line.
            self.statusLine = []
        } else if self.statusLine[9] == UInt8(ascii: "1") {
            // Another head follows an informational one.
            self.statusLine = []
        } else {
            self.isInHead = false
        }
    }
}
#endif
