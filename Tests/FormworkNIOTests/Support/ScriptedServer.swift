import Foundation
import Glibc
import Synchronization
import TestSupport

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

        func write(_ text: String) { self.write(bytes: Array(text.utf8)) }

        func write(bytes: [UInt8]) {
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

    private let listener: LoopbackListener
    private let heads = Mutex<[String]>([])
    private let notes = Mutex<[Int]>([])

    /// The header sections that scripts noted.
    var requests: [String] { self.heads.withLock { $0 } }
    /// Numbers that scripts noted.
    var counts: [Int] { self.notes.withLock { $0 } }
    func note(_ head: String) { self.heads.withLock { $0.append(head) } }
    func note(_ count: Int) { self.notes.withLock { $0.append(count) } }

    var port: UInt16 { self.listener.port }
    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(self.port)\(path)" }

    /// - Parameter scripts: One a connection, in order; more connections are refused.
    init(_ scripts: [@Sendable (ScriptedServer, Connection) -> Void]) throws {
        self.listener = try LoopbackListener()
        Thread.detachNewThread { [self] in
            for script in scripts {
                guard let connection = self.listener.accept() else { break }
                script(self, Connection(descriptor: connection))
                close(connection)
            }
            self.listener.stop()
        }
    }
}
