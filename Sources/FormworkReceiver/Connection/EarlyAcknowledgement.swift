import NIOCore

/// Lets an HTTP/2 connection's first settings apply at once, and not when the client has acknowledged them: NIO decodes a head
/// of at most 16 KiB before, and clients send their first request without waiting (RFC 9113 section 3.4).
///
/// An acknowledgement is put after the client's own first settings. Its first one is dropped. So the first settings must be such
/// as only allow more.
final class EarlyAcknowledgement: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let preface = 24
    private static let frameHead = 9
    private static let settings: UInt8 = 4
    /// The longest frame of a client that doesn't know the server's settings (RFC 9113 section 4.2).
    private static let longestFrame = 16_384

    /// What isn't passed on yet: less than the preface with the client's settings, or less than a frame's head.
    private var held = ByteBuffer()
    private var isBegun = false
    private var isOver = false
    /// The bytes of the current frame that are still to come.
    private var rest = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isOver else { return context.fireChannelRead(data) }
        var input = self.unwrapInboundIn(data)
        self.held.writeBuffer(&input)
        var output = context.channel.allocator.buffer(capacity: self.held.readableBytes + Self.frameHead)
        if !self.isBegun { self.begin(&output) }
        while self.isBegun, !self.isOver, self.step(&output) {}
        if self.isOver {
            output.writeBuffer(&self.held)
            self.held = ByteBuffer()
        }
        if output.readableBytes > 0 { context.fireChannelRead(self.wrapInboundOut(output)) }
    }

    /// Passes the preface and the client's settings on, with an acknowledgement.
    private func begin(_ output: inout ByteBuffer) {
        let start = self.held.readerIndex + Self.preface
        guard self.held.readableBytes >= Self.preface + Self.frameHead, let head = self.head(at: start) else { return }
        // NIO refuses what isn't HTTP/2.
        guard head.type == Self.settings, !head.isAcknowledgement, head.length <= Self.longestFrame else {
            return self.isOver = true
        }
        guard var bytes = self.held.readSlice(length: Self.preface + Self.frameHead + head.length) else { return }
        output.writeBuffer(&bytes)
        output.writeBytes([0, 0, 0, Self.settings, 1, 0, 0, 0, 0])
        self.isBegun = true
    }

    /// Passes some of a frame on.
    /// - Returns: Whether there may be more.
    private func step(_ output: inout ByteBuffer) -> Bool {
        if self.rest > 0 {
            guard var bytes = self.held.readSlice(length: min(self.rest, self.held.readableBytes)) else { return false }
            self.rest -= bytes.readableBytes
            output.writeBuffer(&bytes)
            return self.rest == 0
        }
        guard self.held.readableBytes >= Self.frameHead, let head = self.head(at: self.held.readerIndex),
            var bytes = self.held.readSlice(length: Self.frameHead)
        else { return false }
        if head.type == Self.settings, head.isAcknowledgement {
            self.isOver = true
        } else {
            output.writeBuffer(&bytes)
            self.rest = head.length
        }
        return true
    }

    private func head(at index: Int) -> (length: Int, type: UInt8, isAcknowledgement: Bool)? {
        guard let word = self.held.getInteger(at: index, as: UInt32.self),
            let flags = self.held.getInteger(at: index + 4, as: UInt8.self)
        else { return nil }
        return (Int(word >> 8), UInt8(truncatingIfNeeded: word), flags & 1 == 1)
    }
}
