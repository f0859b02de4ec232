import FormworkHTTP
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Decodes requests with NIO's decoder, one after another: the bytes after a request stay undecoded until it is
/// answered.
///
/// - NIO's decoder accepts nothing more after a request that offers an upgrade. A server may ignore such an offer (RFC
///   9110 section 7.8), so the next request gets a new decoder.
/// - Pipelined requests wait as bytes, not as heads, which are twenty times as large.
/// - A body with more bytes of chunk extensions than of content is refused.
/// - NIO's decoder keeps blanks in a head or a trailer section, and doesn't count them for its limits: more than its limit
///   of a field is refused.
final class RequestDecodingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// What the decoder may keep besides a field of the longest length: what is around it on its line.
    private static let keptBesidesField = 1 << 10

    private let place: RequestPosition
    private let limits: NIOHTTPDecoderLimitConfiguration
    private var decoder: HTTPRequestDecoder
    private var buffer = ByteBuffer()
    private var blankLine = BlankLineSearch()
    /// How many bytes of the buffer were searched, but not consumed.
    private var searched = 0
    private var isDecoding = false
    /// Whether the end of input arrived during decoding.
    private var isFinishLate = false
    private var isReadHeld = false
    private var isInputClosed = false
    private var context: ChannelHandlerContext?

    init(_ place: RequestPosition, limits: NIOHTTPDecoderLimitConfiguration) {
        (self.place, self.limits) = (place, limits)
        self.decoder = HTTPRequestDecoder(limitConfiguration: limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        self.decoder.decoderAdded(context: context)
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        self.place.resume = {
            // Not during the write of an answer's end.
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
            // Requests that have already arrived come first.
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

    /// Decodes the buffered bytes, up to the end of a request that isn't answered yet.
    private func decode(_ context: ChannelHandlerContext) {
        // An answer may be written during decoding, and cause a read or close the connection.
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

    /// Decodes up to the earliest position at which a request can end.
    /// - Returns: Whether any bytes were consumed.
    private func step(_ context: ChannelHandlerContext) throws -> Bool {
        let isChunked = self.place.phase == .body(remaining: nil)
        var slice: ByteBuffer
        if case .body(let remaining?) = self.place.phase {
            let count = Int(clamping: min(max(0, remaining), Int64(self.buffer.readableBytes)))
            slice = self.buffer.getSlice(at: self.buffer.readerIndex, length: count) ?? ByteBuffer()
        } else {
            // A head, the last chunk and a trailer section end with a blank line. Elsewhere it doesn't matter where the
            // bytes are cut.
            let end = self.blankLine.end(in: self.buffer.readableBytesUInt8Span, from: self.searched)
            let count = end ?? self.buffer.readableBytes
            self.searched = count
            slice = self.buffer.getSlice(at: self.buffer.readerIndex, length: count) ?? ByteBuffer()
        }
        let before = slice.readableBytes
        // The result doesn't matter: the decoder consumes everything that is complete.
        _ = try self.decoder.decode(context: context, buffer: &slice)
        // The request was refused, or the connection closed, during decoding: the buffer has been replaced.
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
        if slice.readableBytes - Self.keptBesidesField > self.limits.maxHeaderFieldSize {
            throw HeadRefusal(HTTPParserError.headerOverflow)
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

    /// Tells the decoder that the input has ended, so that it can report an incomplete request.
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

/// Searches for CR LF CR LF in bytes that arrive in pieces.
struct BlankLineSearch {
    /// How many of its bytes the last bytes matched, 0 to 3.
    private var matched = 0

    /// The index after the first blank line that ends at or after `start`; `nil` if there is none yet.
    ///
    /// The bytes before `start` were searched by the previous call.
    mutating func end(in bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if self.matched == 0, index + 3 < bytes.count {
                // A blank line that starts within these four bytes would contain the fourth.
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

extension ChannelPipeline.SynchronousOperations {
    /// Adds the HTTP/1 codec with ``RequestDecodingHandler`` and ``ServerFramingHandler``, in place of NIO's
    /// `configureHTTPServerPipeline`.
    /// - Throws: NIO's error for a pipeline that is gone.
    func addRequestFraming(
        limits: NIOHTTPDecoderLimitConfiguration = NIOHTTPDecoderLimitConfiguration()
    ) throws {
        let place = RequestPosition()
        // Each answer is framed once, by the handler that knows its request.
        var encoding = HTTPResponseEncoder.Configuration()
        encoding.automaticallySetFramingHeaders = false
        try self.addHandler(HTTPResponseEncoder(configuration: encoding))
        try self.addHandler(RequestDecodingHandler(place, limits: limits))
        try self.addHandler(ServerFramingHandler(place))
        try self.addHandler(HTTP1ToHTTPServerCodec(secure: false))
    }
}
