#if NIO
import FormworkHTTP
import NIOCore
import NIOHTTP1

/// Decodes requests by NIO's decoder, one after the other: what is behind a request stays undecoded until it is answered.
///
/// - NIO's decoder takes nothing any more behind a request that offers an upgrade. Such an offer may be ignored (RFC 9110
///   section 7.8): the next request has a decoder of its own.
/// - Of a pipeline only bytes wait, no heads, which are twenty times as large.
/// - Chunk extensions that are more than the content are no body.
final class RequestDecodingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let place: RequestPlace
    private let limits: NIOHTTPDecoderLimitConfiguration
    private var decoder: HTTPRequestDecoder
    private var buffer = ByteBuffer()
    private var blankLine = BlankLineSearch()
    /// Bytes of the buffer that were looked through, and not consumed.
    private var searched = 0
    private var isDecoding = false
    /// Whether the input's end came from within.
    private var isFinishLate = false
    private var isReadHeld = false
    private var isInputClosed = false
    private var context: ChannelHandlerContext?

    init(_ place: RequestPlace, limits: NIOHTTPDecoderLimitConfiguration) {
        (self.place, self.limits) = (place, limits)
        self.decoder = HTTPRequestDecoder(limitConfiguration: limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.decoder.decoderAdded(context: context)
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.place.resume = {
            // Not from within the write of an answer's end.
            loopBound.eventLoop.execute { loopBound.value.resume() }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.decoder.decoderRemoved(context: context)
        self.place.resume = {}
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        guard self.place.phase != .over else { return }
        if self.buffer.readableBytes == 0 {
            self.buffer = bytes
        } else {
            self.buffer.writeBuffer(&bytes)
        }
        self.decode(context)
    }

    func read(context: ChannelHandlerContext) {
        guard self.place.phase == .answering, self.buffer.readableBytes > 0 else { return context.read() }
        self.isReadHeld = true
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            self.isInputClosed = true
            // Requests that are there already come first.
            if self.place.phase == .answering, self.buffer.readableBytes > 0 { return }
            self.finish(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !self.isInputClosed { self.finish(context) }
        self.end()
        context.fireChannelInactive()
    }

    private func resume() {
        guard let context = self.context else { return }
        if self.place.phase == .over { self.end() }
        let hadBytes = self.buffer.readableBytes > 0
        self.decode(context)
        if hadBytes { context.fireChannelReadComplete() }
        guard self.place.phase != .answering || self.buffer.readableBytes == 0 else { return }
        if hadBytes, self.isInputClosed {
            self.finish(context)
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        if self.isReadHeld {
            self.isReadHeld = false
            context.read()
        }
    }

    /// Takes what is there, as far as the end of a request that isn't answered yet.
    private func decode(_ context: ChannelHandlerContext) {
        // An answer may be written from within, and a read, or the connection's end, come of it.
        guard !self.isDecoding else { return }
        self.isDecoding = true
        self.decodeAll(context)
        self.isDecoding = false
        guard self.isFinishLate else { return }
        self.isFinishLate = false
        self.finish(context)
    }

    private func decodeAll(_ context: ChannelHandlerContext) {
        while self.buffer.readableBytes > 0 {
            switch self.place.phase {
            case .answering: return
            case .over: return self.end()
            case .head, .body: break
            }
            do {
                guard try self.step(context) else { return }
            } catch {
                self.place.phase = .over
                self.end()
                context.fireErrorCaught(error)
            }
        }
        self.buffer = ByteBuffer()
    }

    /// Decodes no further than a request's end can be.
    /// - Returns: Whether anything was consumed.
    private func step(_ context: ChannelHandlerContext) throws -> Bool {
        let isChunked = self.place.phase == .body(remaining: nil)
        var slice: ByteBuffer
        if case .body(let remaining?) = self.place.phase {
            let count = Int(clamping: min(max(0, remaining), Int64(self.buffer.readableBytes)))
            slice = self.buffer.getSlice(at: self.buffer.readerIndex, length: count) ?? ByteBuffer()
        } else {
            // A head, the last chunk and a trailer section end with a blank line, and nothing else does of which it
            // matters where it is cut.
            let end = self.blankLine.end(in: self.buffer.readableBytesUInt8Span, from: self.searched)
            let count = end ?? self.buffer.readableBytes
            self.searched = count
            slice = self.buffer.getSlice(at: self.buffer.readerIndex, length: count) ?? ByteBuffer()
        }
        let before = slice.readableBytes
        // Whatever it is told: of what is whole it keeps nothing back.
        _ = try self.decoder.decode(context: context, buffer: &slice)
        // Refused, or closed from within: the buffer is another.
        guard self.place.phase != .over else {
            self.end()
            return false
        }
        let consumed = before - slice.readableBytes
        self.buffer.moveReaderIndex(forwardBy: consumed)
        self.searched = max(0, self.searched - consumed)
        if isChunked, self.place.phase == .body(remaining: nil), self.place.overhead.read(consumed) {
            throw HeadRefusal(.badRequest, "The chunks have more bytes of extensions than of content.")
        }
        let isWhole = self.place.phase == .answering || self.place.phase == .head
        if self.place.offersUpgrade, isWhole {
            self.place.offersUpgrade = false
            self.decoder.decoderRemoved(context: context)
            self.decoder = HTTPRequestDecoder(limitConfiguration: self.limits)
            self.decoder.decoderAdded(context: context)
        }
        return consumed > 0
    }

    /// Tells the decoder that no more comes: it knows whether that is in the middle of something.
    private func finish(_ context: ChannelHandlerContext) {
        guard self.place.phase != .over, self.place.phase != .answering else { return }
        guard !self.isDecoding else {
            self.isFinishLate = true
            return
        }
        do {
            _ = try self.decoder.decodeLast(context: context, buffer: &self.buffer, seenEOF: true)
        } catch {
            self.place.phase = .over
            context.fireErrorCaught(error)
        }
    }

    private func end() {
        self.place.phase = .over
        self.buffer = ByteBuffer()
        self.searched = 0
    }
}

/// Looks for CR LF CR LF in bytes that come in pieces.
struct BlankLineSearch {
    /// How much of it the last bytes were, 0 to 3.
    private var matched = 0

    /// The index behind the first that ends at or behind an index; `nil` when there is none yet.
    ///
    /// Bytes before that index were looked through by the call before.
    mutating func end(in bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if self.matched == 0, index + 3 < bytes.count {
                // One that began at any of four bytes has the fourth.
                let last = bytes[index + 3]
                if last != UInt8(ascii: "\r"), last != UInt8(ascii: "\n") {
                    index += 4
                    continue
                }
            }
            self.take(bytes[index])
            index += 1
            if self.matched == 4 {
                self.matched = 0
                return index
            }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) {
        let isCR = byte == UInt8(ascii: "\r")
        switch self.matched {
        case 1, 3: self.matched = byte == UInt8(ascii: "\n") ? self.matched + 1 : (isCR ? 1 : 0)
        case 2: self.matched = isCR ? 3 : 0
        default: self.matched = isCR ? 1 : 0
        }
    }
}

@available(*, unavailable)
extension RequestDecodingHandler: Sendable {}
#endif
