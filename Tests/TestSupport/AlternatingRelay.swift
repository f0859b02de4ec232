import Synchronization

/// Passes each connection on to the next of several ports of the loopback, in turn, as a balancer does.
package final class AlternatingRelay: Sendable {
    private let count = Mutex(0)
    private let listener: LoopbackListener
    /// Free ports, for the servers.
    package let targets: [UInt16]

    /// - Parameter servers: How many servers there are.
    package init(servers: Int) throws {
        self.targets = try (0..<servers).map { _ in try LoopbackListener.freePort() }
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] client in
            if let port = self?.next() { client.relay(to: port) { from, to, _ in from.copy(to: to) } }
        }
    }

    deinit { self.listener.stop() }

    package var port: UInt16 { self.listener.port }

    private func next() -> UInt16 {
        self.count.withLock { count in
            defer { count += 1 }
            return self.targets[count % self.targets.count]
        }
    }
}
