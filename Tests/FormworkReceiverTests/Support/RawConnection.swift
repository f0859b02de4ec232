import Foundation
import NIOCore

/// A TCP connection to loopback, byte by byte; calls that block do so on a thread of its own.
final class RawConnection: Sendable {
    struct Failed: Error {}

    private let socket: Int32

    /// - Parameter address: One of this machine's own, by default 127.0.0.1.
    init(port: Int, address host: UInt32 = 0x7F00_0001) throws {
        self.socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(self.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let socket = self.socket
        // NIO's, as Glibc's structure may be another module's here, depending on what the files beside this one import.
        let bytes = withUnsafeBytes(of: host.bigEndian) { $0.map { "\($0)" } }
        let address = try SocketAddress(ipAddress: bytes.joined(separator: "."), port: port)
        let result = address.withSockAddr { pointer, size in connect(socket, pointer, socklen_t(size)) }
        guard result == 0 else { throw Failed() }
    }

    deinit { Glibc.close(self.socket) }

    /// Sends a whole text; a peer that is gone is ignored.
    func send(_ text: String) async { await self.send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async {
        await self.blocking { [socket] in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Everything up to, and with, a text, or up to the connection's end.
    func receive(until end: String) async -> String {
        await self.blocking { [socket] in
            var bytes: [UInt8] = []
            var byte = [UInt8](repeating: 0, count: 1)
            while recv(socket, &byte, 1, 0) > 0 {
                bytes.append(byte[0])
                if bytes.suffix(end.utf8.count).elementsEqual(end.utf8) { break }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Everything until the peer closes.
    func receiveAll() async -> String {
        await self.blocking { [socket] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(socket, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                bytes += buffer.prefix(count)
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The bytes that have already arrived; `nil` once the peer has closed.
    func receiveAvailable() async -> String? {
        await self.blocking { [socket] in
            var buffer = [UInt8](repeating: 0, count: 4_096)
            let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return String(decoding: buffer.prefix(count), as: UTF8.self) }
            return count < 0 && errno == EAGAIN ? "" : nil
        }
    }

    /// Sends no more, and still receives.
    func finishSending() async { await self.blocking { [socket] in _ = shutdown(socket, Int32(SHUT_WR)) } }

    /// Goes away without a word.
    func cut() async {
        await self.blocking { [socket] in
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
            shutdown(socket, Int32(SHUT_RDWR))
        }
    }

    private func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            // Not on a queue: those share their threads with the tasks that this one waits for.
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
