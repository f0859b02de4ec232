import NIOCore

/// Passes an HTTP/2 connection's frames to NIOHTTP2 in such a way that it keeps none of their bytes.
///
/// NIOHTTP2 1.46 frees what it has read only when a read ends together with a frame. Frames of unknown types aren't limited by
/// flow control, and a peer may send any number of them (RFC 9113 section 5.5), so a peer that never ends a read with a frame
/// would fill the memory. Here such frames are dropped, and others than DATA are passed on whole: at most one is held.
///
/// For a server, it also lets the connection's first settings apply at once, and not when the client has acknowledged them:
/// NIOHTTP2 decodes a head of at most 16 KiB before, and clients send their first request without waiting (section 3.4). An
/// acknowledgement is put after the client's own first settings, and the client's first one is dropped. So the first settings
/// must be such as only allow more.
package final class FrameGate: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer

    private struct Head {
        static let size = 9

        var length: Int
        var type: UInt8
        var flags: UInt8

        init?(_ buffer: ByteBuffer) {
            guard let word = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self),
                let flags = buffer.getInteger(at: buffer.readerIndex + 4, as: UInt8.self),
                buffer.readableBytes >= Self.size
            else { return nil }
            (self.length, self.type, self.flags) = (Int(word >> 8), UInt8(truncatingIfNeeded: word), flags)
        }

        var isSettings: Bool { self.type == 4 }
        var isAcknowledgement: Bool { self.isSettings && self.flags & 1 == 1 }
        /// Whether it is part of a field block: HEADERS, PUSH_PROMISE or CONTINUATION.
        var hasFields: Bool { self.type == 1 || self.type == 5 || self.type == 9 }
        /// END_HEADERS
        var endsFields: Bool { self.hasFields && self.flags & 4 == 4 }
    }

    private static let preface = 24
    /// The longest frame of a peer that doesn't know any settings (section 4.2). NIOHTTP2 refuses a longer one by its head.
    private static let longestFrame = 16_384
    private static let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]

    /// Less than a frame that isn't DATA, or less than a frame's head.
    private var held = ByteBuffer()
    /// The bytes of the current frame, or of the preface, that are still to come.
    private var rest: Int
    private var isDropped = false
    /// Whether a field block has begun. NIOHTTP2 refuses any other frame in one (section 6.10).
    private var isInFields = false
    /// Whether the client's first settings are to be acknowledged here.
    private var acknowledges: Bool
    /// Whether the client's next acknowledgement is for settings that were acknowledged here.
    private var isAcknowledged = false

    /// - Parameter isServer: Whether the peer is a client, which sends the preface first.
    package init(isServer: Bool) { (self.rest, self.acknowledges) = (isServer ? Self.preface : 0, isServer) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var input = self.unwrapInboundIn(data)
        if self.held.readableBytes > 0 {
            self.held.writeBuffer(&input)
            input = self.held
            self.held = ByteBuffer()
        }
        var passed = input
        var count = 0
        func pass() {
            if count > 0, let bytes = passed.readSlice(length: count) {
                context.fireChannelRead(self.wrapInboundOut(bytes))
            }
            count = 0
        }
        while input.readableBytes > 0 {
            if self.rest > 0 {
                let some = min(self.rest, input.readableBytes)
                input.moveReaderIndex(forwardBy: some)
                self.rest -= some
                if self.isDropped {
                    pass()
                    passed = input
                } else {
                    count += some
                }
                continue
            }
            guard let head = Head(input) else { break }
            let isStreamed = head.type == 0 || head.length > Self.longestFrame
            self.isDropped = !self.isInFields && (head.type > 9 || head.isAcknowledgement && self.isAcknowledged)
            guard isStreamed || self.isDropped || input.readableBytes >= Head.size + head.length else { break }
            self.rest = Head.size + head.length
            guard !self.isDropped else {
                if head.isAcknowledgement { self.isAcknowledged = false }
                continue
            }
            if head.hasFields { self.isInFields = !head.endsFields }
            guard self.acknowledges else { continue }
            self.acknowledges = false
            guard head.isSettings, !head.isAcknowledgement, !isStreamed else { continue }
            input.moveReaderIndex(forwardBy: self.rest)
            (count, self.rest, self.isAcknowledged) = (count + self.rest, 0, true)
            pass()
            context.fireChannelRead(self.wrapInboundOut(ByteBuffer(bytes: Self.acknowledgement)))
        }
        pass()
        // A copy: it mustn't keep what was read with it.
        if input.readableBytes > 0 { self.held.writeImmutableBuffer(input) }
    }
}

@available(*, unavailable)
extension FrameGate: Sendable {}
