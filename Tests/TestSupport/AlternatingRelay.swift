import Foundation
import Glibc

/// Passes each connection on to the next of several ports of the loopback, in turn, as a balancer does.
package final class AlternatingRelay: @unchecked Sendable {
    // SAFETY: the lock guards it.
    private let lock = NSLock()
    private var count = 0
    private let listener: LoopbackListener
    /// Free ports, for the servers.
    package let targets: [UInt16]

    /// - Parameter servers: How many servers there are.
    package init(servers: Int) throws {
        self.targets = try (0..<servers).map { _ in try LoopbackListener.freePort() }
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] client in
            guard let self, let server = try? connect(toLoopback: self.next()) else {
                close(client)
                return
            }
            let ends = DispatchGroup()
            for (from, to) in [(client, server), (server, client)] {
                ends.enter()
                Thread.detachNewThread {
                    Self.copy(from, to)
                    ends.leave()
                }
            }
            ends.notify(queue: .global()) {
                close(client)
                close(server)
            }
        }
    }

    deinit { self.listener.stop() }

    package var port: UInt16 { self.listener.port }

    private func next() -> UInt16 {
        self.lock.withLock {
            defer { self.count += 1 }
            return self.targets[self.count % self.targets.count]
        }
    }

    private static func copy(_ from: CInt, _ to: CInt) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0, send(to, buffer, count, CInt(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(to, CInt(SHUT_WR))
    }
}
