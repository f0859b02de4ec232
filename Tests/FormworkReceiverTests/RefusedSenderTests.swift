#if Transfer
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import FormworkReceiver

/// A client whose body was refused before its end, and that sends on.
@Suite(.timeLimit(.minutes(10)))
struct RefusedSenderTests {
    /// A connection whose answer is out, and whose body is still coming.
    private func refused() throws -> (EmbeddedChannel, EmbeddedEventLoop) {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(handler: ExchangeHandler(ReceivingPace(), ReadSizes()), loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .post, scheme: "http", authority: "a", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 1000)))
        let answer = HTTPResponse(status: .contentTooLarge, headerFields: [.connection: "close"])
        channel.write(HTTPResponsePart.head(answer), promise: nil)
        channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        return (channel, loop)
    }

    @Test func `A mebibyte is read and discarded, and the next byte ends the connection`() throws {
        let (channel, _) = try self.refused()
        for _ in 0..<16 {
            try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 64 << 10)))
            #expect(channel.isActive)
        }
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(repeating: 1, count: 1)))
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
#endif
