import Foundation
import Logging
import Synchronization
import TestSupport

@testable import FormworkReceiver

/// A program that is asked about uploads, with scripted answers.
final class HookServer: Sendable {
    struct Message: Sendable {
        var head: RequestHead
        var body: [UInt8]

        var text: String { String(decoding: self.body, as: UTF8.self) }
        var object: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(self.body))) as? [String: Any] ?? [:]
        }
        var type: String { self.object["type"] as? String ?? "" }
        var data: [String: Any] { self.object["data"] as? [String: Any] ?? [:] }
    }

    enum Reply: Sendable {
        case answer(Int, String = "", type: String = "application/json")
        /// Closes the connection.
        case close
        /// Says nothing.
        case hold
        /// Says this, and then nothing.
        case stall(String)
        /// Says this, and closes the connection.
        case cut(String)
    }

    private let listener: LoopbackListener
    private let all = Mutex([Message]())
    private let reply: @Sendable (_ type: String, _ count: Int) -> Reply

    /// - Parameter reply: The answer to the nth message of a type, from 1.
    init(_ reply: @escaping @Sendable (_ type: String, _ count: Int) -> Reply = { _, _ in .answer(204) }) throws {
        self.reply = reply
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [self] connection in self.serve(connection) }
    }

    var url: String { "http://127.0.0.1:\(self.listener.port)/hook" }
    var messages: [Message] { self.all.withLock { $0 } }
    func messages(_ type: String) -> [Message] { self.messages.filter { $0.type == type } }
    func close() { self.listener.stop() }

    private func serve(_ connection: LoopbackConnection) {
        while let head = connection.nextHead() {
            guard let body = connection.readBody(of: head) else { return }
            let message = Message(head: head, body: body)
            let count = self.all.withLock { all in
                all.append(message)
                return all.count { $0.type == message.type }
            }
            switch self.reply(message.type, count) {
            case .answer(let status, let body, let type):
                let fields = body.isEmpty ? "" : "Content-Type: \(type)\r\n"
                let text = "HTTP/1.1 \(status) X\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                guard connection.write(text) else { return }
            case .close: return
            case .hold: connection.waitForEnd()
            case .cut(let text):
                connection.write(text)
                return
            case .stall(let text):
                connection.write(text)
                connection.waitForEnd()
            }
        }
    }
}

extension Hooks {
    static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

    /// Runs a test with hooks that send their messages to a server, which is closed then.
    /// - Parameter sweeps: Whether they look for messages of others.
    static func with(
        _ server: HookServer, box: any RecordBox, log: LogLines = LogLines(), sweeps: Bool = true,
        _ change: (inout Options) -> Void = { _ in }, _ test: (Hooks) async throws -> Void
    ) async throws {
        var options = Options(server.url, try HookSecret(Self.secret))
        (options.firstDelay, options.sweepPause) = (.milliseconds(20), .milliseconds(50))
        change(&options)
        let hooks = Hooks(options, box: box, logger: Logger(label: "test") { _ in log.handler })
        let running = Task { if sweeps { try await hooks.run() } }
        try await test(hooks)
        running.cancel()
        _ = await running.result
        await hooks.close()
        server.close()
    }
}

extension HookEvent.Upload {
    static func test(_ id: String = "u") -> Self {
        Self(upload: id, protocol: "http", method: "PUT", path: "/", peer: "p")
    }
}
