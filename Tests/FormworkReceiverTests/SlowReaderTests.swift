import FormworkHummingbirdCore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import FormworkReceiver

/// Holds written bytes until some of them are released.
private final class Outlet: ChannelOutboundHandler {
    typealias OutboundIn = HTTPResponsePart

    private(set) var held = CircularBuffer<EventLoopPromise<Void>>()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let promise { self.held.append(promise) }
    }

    func flush(context: ChannelHandlerContext) {}
    func letOut() { self.held.popFirst()?.succeed() }
}

/// An answer that is longer than what the system keeps, and its reader's pace.
@Suite(.timeLimit(.minutes(10)))
struct SlowReaderTests {
    private func connection(
        closes: Bool
    ) throws -> (EmbeddedChannel, EmbeddedEventLoop, Outlet) {
        let loop = EmbeddedEventLoop()
        let outlet = Outlet()
        var pace = ReceivingPace()
        pace.idleTime = .seconds(30)
        let channel = EmbeddedChannel(handlers: [outlet, ExchangeHandler(pace, ReadSizes())], loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/")
        try channel.writeInbound(HTTPRequestPart.head(head))
        try channel.writeInbound(HTTPRequestPart.end(nil))
        let fields: HTTPFields = closes ? [.connection: "close"] : [:]
        channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok, headerFields: fields)), promise: nil)
        channel.write(HTTPResponsePart.body(ByteBuffer(repeating: 1, count: 1 << 20)), promise: nil)
        channel.writeAndFlush(HTTPResponsePart.end(nil), promise: nil)
        return (channel, loop, outlet)
    }

    @Test(arguments: [false, true])
    func `A client that keeps reading gets the whole answer, however long it takes`(closes: Bool) throws {
        let (channel, loop, outlet) = try self.connection(closes: closes)
        while !outlet.held.isEmpty {
            loop.advanceTime(by: .seconds(20))
            #expect(channel.isActive)
            outlet.letOut()
        }
        // Then it ends without delay; an embedded channel has no half-closed connections.
        #expect(channel.isActive != closes)
        loop.advanceTime(by: .seconds(40))
        #expect(!channel.isActive)
    }

    @Test(arguments: [false, true])
    func `Who stops reading is cut`(closes: Bool) throws {
        let (channel, loop, outlet) = try self.connection(closes: closes)
        outlet.letOut()
        loop.advanceTime(by: .seconds(29))
        #expect(channel.isActive)
        loop.advanceTime(by: .seconds(10))
        #expect(!channel.isActive)
    }
}
