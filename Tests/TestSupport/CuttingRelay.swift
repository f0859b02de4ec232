import Foundation
import Glibc

/// Hands bytes on to a server on the loopback, and breaks connections on their way.
package final class CuttingRelay: @unchecked Sendable {
    /// Where clients connect to.
    package let port: Int
    private let target: Int
    private let listener: CInt
    private let lock = NSLock()
    private var cuts: [Int]
    private var broken = 0

    /// - Parameters:
    ///   - target: The server's port.
    ///   - cuts: How many bytes of a client's the first connection that brings so many may bring, and then the next such.
    package init(to target: Int, cuts: [Int]) {
        (self.target, self.cuts) = (target, cuts)
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(Glibc.bind(listener, pointer, size) == 0 && Glibc.listen(listener, 64) == 0)
                getsockname(listener, pointer, &size)
            }
        }
        self.port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.relay(client)
            }
        }
    }

    deinit {
        shutdown(self.listener, CInt(SHUT_RDWR))
        close(self.listener)
    }

    /// Connections that were broken.
    package var brokenCount: Int { self.lock.withLock { self.broken } }

    private func relay(_ client: CInt) {
        let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(self.target)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(client)
            close(server)
            return
        }
        let ends = DispatchGroup()
        for (from, to, isRequest) in [(client, server, true), (server, client, false)] {
            ends.enter()
            Thread.detachNewThread {
                self.pump(from, to, isRequest)
                ends.leave()
            }
        }
        ends.notify(queue: .global()) {
            close(client)
            close(server)
        }
    }

    private func pump(_ from: CInt, _ to: CInt, _ isRequest: Bool) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var total = 0
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            total += count
            let isCut =
                isRequest
                && self.lock.withLock {
                    guard let cut = self.cuts.first, total >= cut else { return false }
                    self.cuts.removeFirst()
                    self.broken += 1
                    return true
                }
            guard send(to, buffer, count, CInt(MSG_NOSIGNAL)) == count, !isCut else { break }
        }
        // Both ways: neither side gets more.
        shutdown(to, CInt(SHUT_RDWR))
        shutdown(from, CInt(SHUT_RDWR))
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
