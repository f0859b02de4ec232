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
        var rest = self.buffer
        // Anything else is not a header.
        let begin = rest.readSlice(length: min(rest.readableBytes, 12)) ?? ByteBuffer()
        guard begin.readableBytesView.elementsEqual(Self.signature.prefix(begin.readableBytes)) else { return true }
        guard let (version, family, length) = rest.readMultipleIntegers(as: (UInt8, UInt8, UInt16).self) else {
            return false
        }
        guard version >> 4 == 2, version & 0xF <= 1 else {
            throw Malformed(reason: "its version or command isn't known: send version 2, with LOCAL or PROXY")
        }
        guard length <= Self.limit else { throw Malformed(reason: "it has more than \(16 + Self.limit) bytes") }
        guard let content = rest.readSlice(length: Int(length)) else { return false }
        self.buffer = rest
        // Otherwise the proxy speaks for itself, for a health check, or doesn't name the client.
        guard version & 0xF == 1 else { return true }
        switch family >> 4 {
        case 1: try self.announce(content, size: 4, "IPv4")
        case 2: try self.announce(content, size: 16, "IPv6")
        default: break
        }
        return true
    }

    /// - Parameters:
    ///   - content: Both addresses and both ports: the client's come first.
    ///   - size: Bytes of an address.
    private func announce(_ content: ByteBuffer, size: Int, _ family: String) throws(Malformed) {
        var content = content
        guard content.readableBytes >= 2 * size + 4, let address = content.readSlice(length: size),
            let port = content.getInteger(at: content.readerIndex + size, as: UInt16.self)
        else { throw Malformed(reason: "it is too short for two \(family) addresses") }
        guard let socket = try? SocketAddress(packedIPAddress: address, port: Int(port)) else { return }
        self.found(ClientAddress(socket))
    }
}

@available(*, unavailable)
extension ProxyProtocolHandler: Sendable {}
