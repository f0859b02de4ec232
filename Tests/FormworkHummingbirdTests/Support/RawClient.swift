import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import Synchronization

/// A client that sends given bytes, and keeps the answer.
final class RawClient: Sendable {
    private struct State {
        var text = ""
        var isAtEnd = false
    }

    private final class Handler: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        let client: RawClient
        init(_ client: RawClient) { self.client = client }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = String(buffer: self.unwrapInboundIn(data))
            self.client.state.withLock { $0.text += text }
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { self.client.state.withLock { $0.isAtEnd = true } }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.client.state.withLock { $0.isAtEnd = true }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    private let state = Mutex(State())

    var text: String { self.state.withLock { $0.text } }
    var isAtEnd: Bool { self.state.withLock { $0.isAtEnd } }

    /// Runs with a connection, which is closed afterwards.
    static func with<Result: Sendable>(
        port: Int, _ body: (RawClient, any Channel) async throws -> Result
    ) async throws -> Result {
        let client = RawClient()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.socketOption(.so_sndbuf), value: 64 << 10)
            .channelInitializer { channel in channel.pipeline.addHandler(Handler(client)) }
            .connect(host: "localhost", port: port).get()
        defer { channel.close(promise: nil) }
        return try await body(client, channel)
    }

    /// The bytes received, once they end as given or the connection ends.
    func answer(endingWith end: String) async throws -> String {
        while !self.text.hasSuffix(end), !self.isAtEnd { try await Task.sleep(for: .milliseconds(2)) }
        return self.text
    }

    /// The bytes received, once the server has closed the connection.
    func lastAnswer() async throws -> String {
        while !self.isAtEnd { try await Task.sleep(for: .milliseconds(2)) }
        return self.text
    }
}

extension Channel {
    func send(_ text: String) async throws { try await self.writeAndFlush(ByteBuffer(string: text)).get() }
}

/// A block that is sent repeatedly, as fast as the other side reads it.
struct Flood {
    private let sent = Counter()
    private let count: Int
    private let task: Task<Void, any Error>

    init(_ block: ByteBuffer, times count: Int, into channel: any Channel) {
        let sent = self.sent
        self.count = count
        self.task = Task {
            for _ in 0..<count {
                try await channel.writeAndFlush(block).get()
                sent.add(1)
            }
        }
    }

    /// Blocks that had left when nothing had moved for a while, or when all had.
    func stall() async throws -> Int {
        var before = -1
        while self.sent.value < self.count, self.sent.value != before {
            before = self.sent.value
            try await Task.sleep(for: .milliseconds(500))
        }
        return self.sent.value
    }

    func end() async throws { try await self.task.value }
}

/// A number that tasks share.
final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { self.number.withLock { $0 } }
    func add(_ count: Int) { self.number.withLock { $0 += count } }
}

/// A gate at which tasks wait until it is opened.
final class Gate: Sendable {
    private let isOpen = Mutex(false)
    func open() { self.isOpen.withLock { $0 = true } }
    func pass() async throws {
        while !self.isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// A multipart body with the boundary `x`.
/// - Parameter parts: A part's name, what follows it in its header section, and its content.
func multipart(_ parts: String...) -> String {
    parts.map { part in
        let name = part.prefix { $0 != "\r\n" && $0 != ";" }
        return "--x\r\nContent-Disposition: form-data; name=\"\(name)\"\(part.dropFirst(name.count))\r\n"
    }.joined() + "--x--\r\n"
}

let multipartType = "multipart/form-data; boundary=x"

/// Runs a program, and gives what it printed.
func run(_ program: String, _ arguments: [String]) async throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in continuation.resume() }
        do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
}
