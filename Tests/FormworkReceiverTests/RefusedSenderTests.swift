import FormworkHummingbirdCore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import FormworkReceiver

/// Counts how often the connection is asked for more bytes.
private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Never

    var count = 0
    var isOutputClosed = false

    func read(context: ChannelHandlerContext) {
        self.count += 1
        context.read()
    }

    /// The embedded channel would close completely.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        self.isOutputClosed = true
        promise?.succeed()
    }
}

/// A client whose body was refused before its end, and that sends on.
@Suite(.timeLimit(.minutes(10)))
struct RefusedSenderTests {
    /// A connection whose answer is out, and whose body is still coming.
    private func refused(_ reads: ReadCounter = ReadCounter()) throws -> (EmbeddedChannel, EmbeddedEventLoop) {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handlers: [reads, ExchangeHandler(ReceivingPace(), ReadSizes())], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 1000)))
        let answer = HTTPResponse(status: .contentTooLarge, headerFields: [.connection: "close"])
        channel.write(HTTPResponsePart.head(answer), promise: nil)
        channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        return (channel, loop)
    }

    @Test func `A mebibyte is read and discarded, and then nothing more is read`() throws {
        let reads = ReadCounter()
        let (channel, loop) = try self.refused(reads)
        for _ in 0..<16 {
            let before = reads.count
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 64 << 10)))
            #expect(reads.count > before)
        }
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 1)))
        let before = reads.count
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 1)))
        channel.read()
        #expect(reads.count == before)
        #expect(reads.isOutputClosed)
        // Closing now would destroy the answer of a client, or a proxy, that is still sending.
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(2))
        #expect(!channel.isActive)
    }

    @Test func `Two seconds are waited for its end, and no longer`() throws {
        let (channel, loop) = try self.refused()
        loop.advanceTime(by: .milliseconds(1900))
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(200))
        #expect(!channel.isActive)
    }
}
