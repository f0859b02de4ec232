import Formwork
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP/1.1 server on the loopback that keeps what it was sent, and answers by script.
final class LoopbackServer: Sendable {
    /// The outcome of a request.
    enum Answer: Sendable {
        /// Read it whole, then answer.
        case status(Int, _ fields: [(String, String)] = [])
        /// Read at this pace, then answer 200.
        case slow(bytesPerSecond: Int)
        /// Read the header section and no more.
        case stall
        /// Answer without having read the body, and close a little later.
        case early(Int, _ fields: [(String, String)] = [])
        /// Close after this many bytes of the body.
        case cut(after: Int)
    }

    /// A request as it came.
    struct Request: Sendable {
        var method = ""
        var uri = ""
        var fields: [(String, String)] = []
        /// The body, where bodies are kept.
        var body: [UInt8] = []
        var count = 0
        var isWhole = false
        /// Whether every byte was the one that ``Expectation`` says.
        var isAsExpected = true

        /// The values of every field with this name.
        func fields(_ name: String) -> [String] {
            self.fields.filter { $0.0.lowercased() == name.lowercased() }.map(\.1)
        }

        var crc: UInt32 {
            var crc = CRC32C()
            crc.update(self.body.span.bytes)
            return crc.finalized().reduce(0) { $0 << 8 | UInt32($1) }
        }
    }

    /// The expected content of a body too large to keep: a repeated block between a head and a tail.
    struct Expectation: Sendable {
        var head: Int
        var block: [UInt8]
        var count: Int
    }

    fileprivate struct State {
        var requests: [Request] = []
        var answers: [String: [Answer]]
    }

    let channel: any Channel
    fileprivate let state: Mutex<State>
    fileprivate let expectation: Expectation?

    var port: Int { self.channel.localAddress!.port! }
    var requests: [Request] { self.state.withLock { $0.requests } }

    func url(_ path: String) -> String { "http://127.0.0.1:\(self.port)\(path)" }

    fileprivate init(_ channel: any Channel, _ state: [String: [Answer]], _ expectation: Expectation?) {
        self.channel = channel
        self.state = Mutex(State(answers: state))
        self.expectation = expectation
    }

    /// Runs a server as long as `body` runs.
    /// - Parameters:
    ///   - answers: By path, one request after the other; the last one stays.
    ///   - expectation: What bodies are compared with, instead of being kept.
    static func with<Result: Sendable>(
        _ answers: [String: [Answer]], expecting expectation: Expectation? = nil,
        _ body: (LoopbackServer) async throws -> Result
    ) async throws -> Result {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let box = Mutex<LoopbackServer?>(nil)
        let made = Box(box)
        let channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withPipeliningAssistance: false)
                    try channel.pipeline.syncOperations.addHandler(Handler(made.server))
                }
            }
            // Small, so that what is on its way is seen to be little.
            .childChannelOption(.socketOption(.so_rcvbuf), value: 256 << 10)
            .bind(host: "127.0.0.1", port: 0).get()
        let server = LoopbackServer(channel, answers, expectation)
        made.set(server)
        do {
            let result = try await body(server)
            try await group.shutdownGracefully()
            return result
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
    }

    /// The server, which is made after its channel.
    private final class Box: Sendable {
        private let value: Mutex<LoopbackServer?>
        init(_ value: consuming Mutex<LoopbackServer?>) { self.value = value }
        func set(_ server: LoopbackServer) { self.value.withLock { $0 = server } }
        var server: LoopbackServer { self.value.withLock { $0! } }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let server: LoopbackServer
        private var request = Request()
        private var answer = Answer.status(404)
        private var isAnswered = false
        private var number = 0
        /// Bytes that a slow server has waited for.
        private var paid = 0

        init(_ server: LoopbackServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch self.unwrapInboundIn(data) {
            case .head(let head): self.begin(head, context)
            case .body(let buffer): self.take(buffer, context)
            case .end:
                self.request.isWhole = true
                self.save()
                switch self.answer {
                case .status(let status, let fields): self.respond(status, fields, context)
                case .slow: self.respond(200, [], context)
                default: break
                }
            }
        }

        private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
            self.isAnswered = false
            self.request = Request(
                method: head.method.rawValue, uri: head.uri, fields: head.headers.map { ($0, $1) })
            self.answer = self.server.state.withLock { state in
                state.requests.append(self.request)
                self.number = state.requests.count - 1
                guard let first = state.answers[head.uri]?.first else { return .status(404) }
                if state.answers[head.uri]!.count > 1 { state.answers[head.uri]!.removeFirst() }
                return first
            }
            let channel = context.channel
            switch self.answer {
            case .early(let status, let fields):
                self.respond(status, fields + [("Connection", "close")], context)
                channel.setOption(.autoRead, value: false).whenComplete { _ in }
                context.eventLoop.scheduleTask(in: .milliseconds(500)) { channel.close(promise: nil) }
            case .stall: channel.setOption(.autoRead, value: false).whenComplete { _ in }
            case .slow: channel.setOption(.autoRead, value: false).whenComplete { _ in }
            default: break
            }
        }

        private func take(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
            let start = self.request.count
            self.request.count += buffer.readableBytes
            if let expectation = self.server.expectation {
                if !expectation.matches(buffer, at: start) { self.request.isAsExpected = false }
            } else {
                self.request.body.append(contentsOf: buffer.readableBytesView)
            }
            self.save()
            switch self.answer {
            case .cut(let count) where self.request.count >= count: context.close(promise: nil)
            default: break
            }
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            guard case .slow(let rate) = self.answer else { return }
            let channel = context.channel
            let pause = TimeAmount.nanoseconds(Int64(self.request.count - self.paid) * 1_000_000_000 / Int64(rate))
            self.paid = self.request.count
            context.eventLoop.scheduleTask(in: pause) { channel.read() }
        }

        private func save() {
            let (request, number) = (self.request, self.number)
            self.server.state.withLock { state in
                var saved = request
                // Copying a body for every chunk would take for ever.
                if !request.isWhole { saved.body = [] }
                state.requests[number] = saved
            }
        }

        private func respond(_ status: Int, _ fields: [(String, String)], _ context: ChannelHandlerContext) {
            guard !self.isAnswered else { return }
            self.isAnswered = true
            let text = "answer \(status)"
            let head = HTTPResponseHead(
                version: .http1_1, status: .init(statusCode: status),
                headers: HTTPHeaders([("Content-Length", "\(text.utf8.count)")] + fields))
            context.write(self.wrapOutboundOut(.head(head)), promise: nil)
            context.write(self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
            context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension LoopbackServer.Expectation {
    /// Whether the part of the buffer that lies in the repeated block is what it should be.
    func matches(_ buffer: ByteBuffer, at start: Int) -> Bool {
        buffer.withUnsafeReadableBytes { bytes in
            self.block.withUnsafeBytes { block in
                var index = max(0, self.head - start)
                while index < bytes.count {
                    let place = start + index - self.head
                    guard place < self.count else { return true }
                    let offset = place % block.count
                    let length = min(block.count - offset, bytes.count - index, self.count - place)
                    if memcmp(bytes.baseAddress! + index, block.baseAddress! + offset, length) != 0 { return false }
                    index += length
                }
                return true
            }
        }
    }
}
