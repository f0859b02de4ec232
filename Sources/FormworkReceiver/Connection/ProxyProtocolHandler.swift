import NIOCore

/// Reads the header of version 2 of the PROXY protocol if a trusted proxy sends one, and then removes itself.
///
/// <https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt>, section 2.2.
final class ProxyProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// A header that can't be read, so the connection's client is unknown.
    struct Malformed: Error { var reason: String }

    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    /// The most bytes of addresses and of the data after them.
    private static let limit = 4 << 10

    private let found: (ClientAddress) -> Void
    private let failed: (Malformed) -> Void
    private var buffer = ByteBuffer()

    /// - Parameters:
    ///   - found: Called with the client.
    ///   - failed: Called before the connection is closed because of its header.
    init(found: @escaping (ClientAddress) -> Void, failed: @escaping (Malformed) -> Void) {
        (self.found, self.failed) = (found, failed)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        self.buffer.writeBuffer(&bytes)
        do throws(Malformed) {
            guard try self.take() else { return }
        } catch {
            self.failed(error)
            context.close(promise: nil)
            return
        }
        let rest = self.buffer
        self.buffer = ByteBuffer()
        if rest.readableBytes > 0 { context.fireChannelRead(self.wrapInboundOut(rest)) }
        _ = context.pipeline.syncOperations.removeHandler(context: context)
    }

    /// - Returns: Whether the beginning has been recognized, and a header removed; `false` if more bytes are needed.
    private func take() throws(Malformed) -> Bool {
        let view = self.buffer.readableBytesView
        // Anything else is not a header.
        guard view.prefix(12).elementsEqual(Self.signature.prefix(view.count)) else { return true }
        guard view.count >= 16 else { return false }
        let start = view.startIndex
        let (version, family) = (view[start + 12], view[start + 13])
        let length = Int(view[start + 14]) << 8 | Int(view[start + 15])
        guard version >> 4 == 2, version & 0xF <= 1 else {
            throw Malformed(reason: "its version or command isn't known: send version 2, with LOCAL or PROXY")
        }
        guard length <= Self.limit else { throw Malformed(reason: "it has more than \(16 + Self.limit) bytes") }
        guard view.count >= 16 + length else { return false }
        // Otherwise the proxy speaks for itself, for a health check, or doesn't name the client.
        if version & 0xF == 1 {
            let content = Array(view[(start + 16)..<(start + 16 + length)])
            switch family >> 4 {
            case 1:
                guard length >= 12 else { throw Malformed(reason: "it is too short for two IPv4 addresses") }
                self.announce(content[0..<4], port: content[8..<10])
            case 2:
                guard length >= 36 else { throw Malformed(reason: "it is too short for two IPv6 addresses") }
                self.announce(content[0..<16], port: content[32..<34])
            default: break
            }
        }
        self.buffer.moveReaderIndex(forwardBy: 16 + length)
        return true
    }

    private func announce(_ bytes: ArraySlice<UInt8>, port: ArraySlice<UInt8>) {
        let number = port.reduce(0) { $0 << 8 | Int($1) }
        var packed = ByteBuffer(bytes: bytes)
        guard let address = IPAddress(bytes: Array(bytes)),
            let socket = try? SocketAddress(
                packedIPAddress: packed.readSlice(length: bytes.count) ?? ByteBuffer(), port: number)
        else { return }
        var client = ClientAddress(socket)
        client.address = address
        self.found(client)
    }
}

@available(*, unavailable)
extension ProxyProtocolHandler: Sendable {}
