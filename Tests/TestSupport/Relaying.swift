import Foundation

extension LoopbackConnection {
    /// Connects to a port of the loopback, and passes on what both ends bring; they are closed when both have ended.
    /// - Parameter pass: Moves what one end brings to the other, until the first has no more.
    package func relay(
        to port: UInt16, _ pass: @escaping @Sendable (LoopbackConnection, LoopbackConnection, _ isRequest: Bool) -> Void
    ) {
        guard let server = try? LoopbackConnection(to: port) else { return }
        let back = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass(server, self, false)
            back.signal()
        }
        pass(self, server, true)
        back.wait()
    }

    /// Moves what comes to another connection, until nothing more comes or the other takes no more.
    package func copy(to other: LoopbackConnection, changing change: (inout [UInt8]) -> Void = { _ in }) {
        while case var piece = self.read(), !piece.isEmpty {
            change(&piece)
            guard other.write(bytes: piece) else { break }
        }
        other.finish()
    }
}
