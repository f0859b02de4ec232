#if Command
import Foundation

/// Passes connections on to a port of the loopback, and flips one bit of what the first long one brings.
final class FlippingRelay: @unchecked Sendable {
    // SAFETY: the lock guards it.
    private let lock = NSLock()
    private var flips = 0
    private let listener: Int32
    private let offset: Int
    let port: UInt16
    /// A free port, for the server.
    let target: UInt16

    /// - Parameter offset: The byte to change, counted in one connection.
    init(flippingAt offset: Int) throws {
        self.offset = offset
        let target = try Self.freePort()
        self.target = target
        self.listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var (address, size) = (Self.loopback(0), socklen_t(MemoryLayout<sockaddr_in>.size))
        let listener = self.listener
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(listener, raw, size) == 0 && listen(listener, 16) == 0 && getsockname(listener, raw, &size) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRINUSE) }
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let relay = self else { return }
                Thread.detachNewThread { relay.relay(client, to: target) }
            }
        }
    }

    deinit { shutdown(self.listener, Int32(SHUT_RDWR)) }

    /// A port that nothing listens on.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var (address, size) = (Self.loopback(0), socklen_t(MemoryLayout<sockaddr_in>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, size) == 0 && getsockname(descriptor, raw, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
    }

    /// How many bits were flipped.
    var count: Int { self.lock.withLock { self.flips } }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private func relay(_ client: Int32, to target: UInt16) {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(target)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        let back = DispatchSemaphore(value: 0)
        if isConnected {
            Thread.detachNewThread {
                self.copy(server, client, flips: false)
                back.signal()
            }
            self.copy(client, server, flips: true)
            back.wait()
        }
        close(server)
        close(client)
    }

    private func copy(_ source: Int32, _ sink: Int32, flips: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var position = 0
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            if count <= 0 { break }
            if flips, (position..<position + count).contains(self.offset), self.isFirst() {
                buffer[self.offset - position] ^= 1
            }
            position += count
            var sent = 0
            while sent < count {
                let more = buffer[sent..<count].withUnsafeBytes {
                    send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if more <= 0 { return }
                sent += more
            }
        }
        shutdown(sink, Int32(SHUT_WR))
    }

    private func isFirst() -> Bool {
        self.lock.withLock {
            self.flips += 1
            return self.flips == 1
        }
    }
}
#endif
