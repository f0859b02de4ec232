import Foundation
import Synchronization
import TestSupport

/// What a server does with a connection.
typealias Script = @Sendable (ScriptedServer, LoopbackConnection) -> Void

/// A TCP server on the loopback that does with each connection what a script says, on a thread of its own.
final class ScriptedServer: Sendable {
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
    init(_ scripts: [Script]) throws {
        self.listener = try LoopbackListener()
        Thread.detachNewThread { [self] in
            for script in scripts {
                guard let connection = self.listener.accept() else { break }
                script(self, connection)
            }
            self.listener.stop()
        }
    }
}

extension LoopbackConnection {
    /// The header section, or what came of it, and what came of the body with it.
    func readHead() -> (head: String, body: [UInt8]) {
        guard let head = self.nextHead() else { return (self.readText(), []) }
        return (head.text, self.isAhead ? self.read(upTo: .max) : [])
    }

    /// A whole request with a `Content-Length`.
    func readRequest() -> (head: String, body: [UInt8]) {
        guard let head = self.nextHead() else { return (self.readText(), []) }
        var body: [UInt8] = []
        _ = self.readBody(of: head) { piece in
            body += piece
            return true
        }
        return (head.text, body)
    }
}

/// Reads a whole request, notes its head, and answers.
func replying(_ answer: String) -> Script {
    { server, connection in
        server.note(connection.readRequest().head)
        connection.write(answer)
    }
}

/// The same as soon as the head has come.
func replyingEarly(_ answer: String) -> Script {
    { server, connection in
        server.note(connection.readHead().head)
        connection.write(answer)
    }
}
