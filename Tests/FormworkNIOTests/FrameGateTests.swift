import FormworkClient
import NIOCore
import NIOEmbedded
import Testing

/// What reaches NIOHTTP2 of a connection's bytes.
@Suite(.timeLimit(.minutes(10))) struct FrameGateTests {
    /// The client's preface, and empty settings.
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]
    private static let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
    /// HEADERS with END_HEADERS, and the field `:method: GET`.
    private static let head: [UInt8] = [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x82]
    private static let data: [UInt8] = [0, 0, 5, 0, 0, 0, 0, 0, 1] + Array("hello".utf8)
    private static let end: [UInt8] = [0, 0, 0, 0, 1, 0, 0, 0, 1]

    /// Checks what a server gets of these bytes, wherever they are cut.
    private func check(_ sent: [UInt8], passes kept: [UInt8]) throws {
        for cut in 0...sent.count {
            let channel = EmbeddedChannel(handler: FrameGate(isServer: true))
            for piece in [sent[..<cut], sent[cut...]] { try channel.writeInbound(ByteBuffer(bytes: piece)) }
            var passed: [UInt8] = []
            while let buffer = try channel.readInbound(as: ByteBuffer.self) { passed += buffer.readableBytesView }
            #expect(passed == kept, "cut at \(cut)")
            _ = try channel.finish()
        }
    }

    @Test func `The first settings count as acknowledged at once, wherever the bytes are cut`() throws {
        let (before, between) = (Self.preface, Self.head + Self.data)
        let after = Self.acknowledgement + Self.end
        let sent = before + between + Self.acknowledgement + after
        try self.check(sent, passes: before + Self.acknowledgement + between + after)
    }

    /// NIOHTTP2 would keep all that it gets until a read ends together with a frame.
    @Test func `Frames of unknown types are dropped, wherever the bytes are cut`() throws {
        let unknown: [UInt8] = [0, 0, 3, 0x77, 0xFF, 0, 0, 0, 1, 1, 2, 3]
        let parts = [
            Self.preface, unknown, unknown, Self.head, unknown, Self.data, unknown,
        ]
        let sent = parts.flatMap { $0 }
        let kept =
            Self.preface + Self.acknowledgement + Self.head + Self.data
        try self.check(sent, passes: kept)
    }

    @Test func `A frame is passed on whole, and an unknown one in a field block too, which is an error there`() throws {
        let channel = EmbeddedChannel(handler: FrameGate(isServer: false))
        func passed() throws -> [UInt8] {
            try channel.readInbound(as: ByteBuffer.self).map { Array($0.readableBytesView) } ?? []
        }
        let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        try channel.writeInbound(ByteBuffer(bytes: ping.dropLast()))
        #expect(try passed() == [])
        try channel.writeInbound(ByteBuffer(bytes: [8]))
        #expect(try passed() == ping)
        // HEADERS without END_HEADERS, and a frame of type 0x77.
        let (fields, unknown): ([UInt8], [UInt8]) = (
            [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x88], [0, 0, 0, 0x77, 0, 0, 0, 0, 1]
        )
        try channel.writeInbound(ByteBuffer(bytes: fields + unknown))
        #expect(try passed() == fields + unknown)
        _ = try channel.finish()
    }

    @Test func `Settings that are too long aren't collected`() throws {
        let channel = EmbeddedChannel(handler: FrameGate(isServer: true))
        // 16,385 bytes are announced.
        let sent = Self.preface.prefix(24) + [0, 0x40, 1, 4, 0, 0, 0, 0, 0]
        try channel.writeInbound(ByteBuffer(bytes: sent))
        #expect(try channel.readInbound(as: ByteBuffer.self) == ByteBuffer(bytes: sent))
        _ = try channel.finish()
    }
}
