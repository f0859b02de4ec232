import CFormworkSystem
import FormworkCore
import FormworkLibc
import SystemPackage

// Unsafe code in this file: the C functions for messages and sockets of a service manager.

/// The service manager that started this process, such as systemd, if it expects messages about the process's state
/// (sd_notify(3)).
package struct ServiceManager: Sendable {
    /// A message to the manager.
    package enum Message: Sendable {
        /// The service has started, or has read its files again.
        case ready
        /// The service reads its files again.
        case reloading
        case stopping
        /// The process still works.
        case alive
    }

    /// A path, or an abstract name with `@` in front.
    private let address: [UInt8]
    /// How often ``Message/alive`` is expected; `nil` if it isn't.
    package let watchdog: Duration?

    /// Reads the variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`; `nil` if there is no such manager.
    package init?(environment: (String) -> String? = SystemCalls.environment) {
        guard let address = environment("NOTIFY_SOCKET"), address.hasPrefix("/") || address.hasPrefix("@") else {
            return nil
        }
        self.address = Array(address.utf8)
        let isForThis = environment("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        let limit = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        self.watchdog = isForThis && limit > 0 ? .microseconds(limit) : nil
    }

    /// Sends a message. A manager that can't be reached is ignored: it notices that by itself.
    package func notify(_ message: Message) {
        let text =
            switch message {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(fw_monotonic_microseconds())"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        let bytes = Array(text.utf8)
        let name = self.address.map { CChar(bitPattern: $0) }
        // SAFETY: the calls read only what the counts allow, while the arrays live.
        _ = unsafe fw_notify(name, name.count, bytes, bytes.count)
    }
}

/// A socket that the service manager opened, and which listens already (socket activation, sd_listen_fds(3)).
package struct PassedSocket: Sendable {
    /// Why the sockets that were passed can't be used.
    package enum Failure: Error, Hashable {
        /// One is needed.
        case count(Int)
        /// It isn't a TCP socket that listens.
        case unsuitable(Errno)
    }

    /// The first descriptor after the standard ones.
    private static let first: CInt = 3

    package let descriptor: CInt
    /// Its address, a number.
    package let host: String
    package let port: Int

    /// The socket for this process; `nil` if none was passed. Programs that this process starts don't get it: the
    /// variables name this process, and the descriptor is closed then.
    package static func find(
        environment: (String) -> String? = SystemCalls.environment
    ) throws(Failure) -> PassedSocket? {
        guard environment("LISTEN_PID") == "\(getpid())", let text = environment("LISTEN_FDS") else { return nil }
        guard let count = Int(text), count != 0 else { return nil }
        guard count == 1 else { throw .count(count) }
        var (host, port) = ([CChar](repeating: 0, count: 64), UInt16(0))
        // SAFETY: the call writes at most as many bytes as the count, and the port.
        let result = unsafe fw_listening_address(Self.first, &host, host.count, &port)
        guard result >= 0 else { throw .unsuitable(Errno(rawValue: -result)) }
        let name = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return PassedSocket(
            descriptor: Self.first, host: String(decoding: name, as: UTF8.self), port: Int(port))
    }
}
