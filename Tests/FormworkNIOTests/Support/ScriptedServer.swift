#if NIO
import Foundation
import Glibc
import Synchronization

/// A TCP server on the loopback that does with each connection what a script says, on a thread of its own.
final class ScriptedServer: Sendable {
    /// One accepted connection, in blocking calls.
    struct Connection {
        let descriptor: Int32

        /// The bytes received by then; empty at the end.
        func read(upTo count: Int = 65_536) -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: count)
            let got = recv(self.descriptor, &buffer, count, 0)
            return Array(buffer.prefix(max(0, got)))
        }

        /// The header section, and what came of the body with it.
        func readHead() -> (head: String, body: [UInt8]) {
            var bytes: [UInt8] = []
            while true {
                if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                    return (
                        String(decoding: bytes[..<end.lowerBound], as: UTF8.self), Array(bytes[end.upperBound...])
                    )
                }
                let more = self.read()
                if more.isEmpty { return (String(decoding: bytes, as: UTF8.self), []) }
                bytes += more
            }
        }

        /// A whole request with a `Content-Length`.
        func readRequest() -> (head: String, body: [UInt8]) {
            var (head, body) = self.readHead()
            let line = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
            let length = line.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
            while body.count < length {
                let more = self.read()
                if more.isEmpty { break }
                body += more
            }
            return (head, body)
        }

        func write(_ text: String) {
            let bytes = Array(text.utf8)
            _ = send(self.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// Has the close destroy the connection at once.
        func resetOnClose() {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                self.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }

        func waitForEnd() { while !self.read().isEmpty {} }
    }

    let port: UInt16
    private let listener: Int32
    private let heads = Mutex<[String]>([])
    private let notes = Mutex<[Int]>([])

    /// The header sections that scripts noted.
    var requests: [String] { self.heads.withLock { $0 } }
    /// Numbers that scripts noted.
    var counts: [Int] { self.notes.withLock { $0 } }
    func note(_ head: String) { self.heads.withLock { $0.append(head) } }
    func note(_ count: Int) { self.notes.withLock { $0.append(count) } }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(self.port)\(path)" }

    /// - Parameter scripts: One a connection, in order; more connections are refused.
    init(_ scripts: [@Sendable (ScriptedServer, Connection) -> Void]) throws {
        self.listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(listener, raw, size) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, raw, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        self.port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            for script in scripts {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                script(self, Connection(descriptor: connection))
                close(connection)
            }
            close(listener)
        }
    }
}
#endif
