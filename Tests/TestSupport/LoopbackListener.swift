import Foundation
import Glibc
import Synchronization

/// A TCP socket on a free port of the loopback.
///
/// It is closed when its last owner lets go of it. A thread that waits in ``accept()`` is an owner, so the server that
/// started the thread calls ``stop()`` to end it.
package final class LoopbackListener: Sendable {
    /// The port that it has.
    package let port: UInt16
    private let descriptor: CInt
    private let isStopped = Atomic(false)

    /// - Parameter isListening: Whether clients can connect at once; otherwise they are refused until ``listen()``.
    /// - Throws: What the system said.
    package init(isListening: Bool = true) throws {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var (address, size) = (loopback(0), socklen_t(MemoryLayout<sockaddr_in>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw systemError() }
        if isListening { try self.listen() }
    }

    deinit { close(self.descriptor) }

    /// A port that nothing listens on.
    package static func freePort() throws -> UInt16 { try Self(isListening: false).port }

    /// Lets clients connect.
    package func listen() throws { guard Glibc.listen(self.descriptor, 64) == 0 else { throw systemError() } }

    /// Waits for a connection; `nil` once the listener was stopped.
    package func accept() -> LoopbackConnection? {
        let descriptor = Glibc.accept(self.descriptor, nil, nil)
        guard descriptor >= 0 else { return nil }
        let connection = LoopbackConnection(descriptor)
        return self.isStopped.load(ordering: .acquiring) ? nil : connection
    }

    /// Accepts one connection on a thread of its own.
    package func acceptOne(_ body: @escaping @Sendable (LoopbackConnection) -> Void) {
        Thread.detachNewThread { if let connection = self.accept() { body(connection) } }
    }

    /// Accepts until ``stop()``, and runs `body` for each connection on a thread of its own.
    package func acceptAll(_ body: @escaping @Sendable (LoopbackConnection) -> Void) {
        Thread.detachNewThread {
            while let connection = self.accept() { Thread.detachNewThread { body(connection) } }
        }
    }

    /// Refuses more connections, and ends what waits in ``accept()``.
    package func stop() {
        self.isStopped.store(true, ordering: .releasing)
        shutdown(self.descriptor, CInt(SHUT_RDWR))
    }
}

/// A connection to a port of the loopback, which the caller closes.
///
/// - Throws: What the system said, such as `ECONNREFUSED`.
func connect(toLoopback port: UInt16, at host: UInt32) throws(POSIXError) -> CInt {
    let connection = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = loopback(port, host)
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    guard result == 0 else {
        let error = systemError()
        close(connection)
        throw error
    }
    return connection
}

private func loopback(_ port: UInt16, _ host: UInt32 = 0x7F00_0001) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(host).bigEndian
    return address
}

private func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
