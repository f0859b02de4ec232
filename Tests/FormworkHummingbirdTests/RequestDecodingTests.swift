import FormworkHTTP
@testable import FormworkHummingbirdCore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import TestSupport
import Testing

/// Requests that are written here, cut anywhere, and answered at any time.
@Suite("Decoding requests", .timeLimit(.minutes(10)))
struct RequestDecodingTests {
    @Test("Each request is read as it was sent, however it is cut and whenever it is answered")
    func whole() throws {
        var dice = SampleGenerator(seed: 7)
        for round in 0..<4_000 {
            let requests = (0..<(1 + dice.roll(4))).map { SentRequest(number: $0, &dice) }
            let handler = Answering(times: requests.map { _ in Answering.Time.allCases[dice.roll(3)] })
            try self.feed(requests.flatMap(\.bytes), to: handler, &dice)
            #expect(handler.requests.map(\.path) == requests.map(\.path), "round \(round)")
            #expect(handler.requests.map(\.content) == requests.map(\.content), "round \(round)")
            #expect(handler.requests.allSatisfy(\.isWhole) && handler.errors == 0, "round \(round)")
            #expect(!handler.cameUnasked, "round \(round): a request before the one before it was answered")
        }
    }

    @Test("Damaged requests end in an error or a request, and nothing comes after an error")
    func damaged() throws {
        var dice = SampleGenerator(seed: 11)
        var refused = 0
        for round in 0..<4_000 {
            var bytes = (0..<(1 + dice.roll(3))).flatMap { SentRequest(number: $0, &dice).bytes }
            for _ in 0...dice.roll(3) {
                let place = dice.roll(bytes.count)
                switch dice.roll(4) {
                case 0: bytes[place] = UInt8(dice.roll(256))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: "\r\n\r\n".utf8.prefix(1 + dice.roll(4)), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + dice.roll(40)))
                }
                if bytes.isEmpty { bytes = [0] }
            }
            let handler = Answering(times: (0..<9).map { _ in Answering.Time.allCases[dice.roll(3)] })
            try self.feed(bytes, to: handler, &dice)
            #expect(handler.errors <= 1 && !handler.cameAfterError, "round \(round)")
            refused += handler.errors
        }
        #expect((1_000..<4_000).contains(refused))
    }

    @Test(
        "Blanks without end in a head or a trailer section are refused",
        arguments: [
            "GET / ", "GET / HTTP/1.1\r\nHost: a\r\nX: ",
            "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ",
        ])
    func blanks(start: String) throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addRequestFraming()
        try channel.writeInbound(ByteBuffer(string: start))
        var pieces = 0
        let refusal = #expect(throws: HeadRefusal.self) {
            while pieces < 100 {
                try channel.writeInbound(ByteBuffer(repeating: 0x20, count: 4_096))
                pieces += 1
            }
        }
        #expect(refusal?.problem.status == 431)
        // 80 KiB and a little.
        #expect(pieces == 20)
        _ = try? channel.finish()
    }

    @Test("A blank line is found wherever it is cut")
    func blankLines() {
        let text = "ab\r\n\rcd\r\r\n\r\nefgh\r\n\r\n\r\n\r\nij"
        let bytes = Array(text.utf8)
        // After the first, the second and the third, which begins where the second ended.
        let expected = [12, 20, 24]
        for size in 1...bytes.count {
            var search = BlankLineSearch()
            var found: [Int] = []
            var begin = 0
            while begin < bytes.count {
                let piece = Array(bytes[begin..<min(begin + size, bytes.count)])
                var from = 0
                while let end = search.end(in: piece.span, from: from) {
                    found.append(begin + end)
                    from = end
                }
                begin += size
            }
            #expect(found == expected, "pieces of \(size)")
        }
    }

    /// Lends the bytes in random pieces, lets answers that wait be written in between, and ends the connection.
    private func feed(_ bytes: [UInt8], to handler: Answering, _ dice: inout SampleGenerator) throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addRequestFraming()
        try channel.pipeline.syncOperations.addHandler(handler)
        let most = [3, 40, 400, 4_000][dice.roll(4)]
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + dice.roll(most))
            rest = rest.dropFirst(piece.count)
            try channel.writeInbound(ByteBuffer(bytes: piece))
            if dice.roll(3) == 0 { handler.answerOne() }
            channel.embeddedEventLoop.run()
        }
        for _ in 0..<10 {
            handler.answerOne()
            channel.embeddedEventLoop.run()
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}

extension SampleGenerator {
    /// 0 to `count` - 1.
    fileprivate mutating func roll(_ count: Int) -> Int { Int(self.next() % UInt64(count)) }
}

private struct SentRequest {
    let path: String
    let content: [UInt8]
    let bytes: [UInt8]

    init(number: Int, _ dice: inout SampleGenerator) {
        self.path = "/\(number)"
        // Pieces that look like the end of a head, a chunk or a request.
        let pieces = ["x", "\r\n\r\n", "\r\n", "\r", "0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"]
        var content: [UInt8] = []
        for _ in 0..<dice.roll(12) { content += pieces[dice.roll(pieces.count)].utf8 }
        var head = "PUT \(self.path) HTTP/1.1\r\nHost: a\r\n"
        if dice.roll(4) == 0 { head += "Connection: Upgrade\r\nUpgrade: h2c\r\n" }
        var body: [UInt8] = []
        switch dice.roll(3) {
        case 0: content = []
        case 1:
            head += "Content-Length: \(content.count)\r\n"
            body = content
        default:
            head += "Transfer-Encoding: chunked\r\n"
            var rest = content[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(1 + dice.roll(30))
                rest = rest.dropFirst(chunk.count)
                body += "\(String(chunk.count, radix: 16))\(dice.roll(3) == 0 ? ";a=b" : "")\r\n".utf8
                body += chunk + "\r\n".utf8
            }
            body += "0\r\n\(dice.roll(3) == 0 ? "Trailer-Field: 1\r\n" : "")\r\n".utf8
        }
        self.content = content
        self.bytes = Array((head + "\r\n").utf8) + body
    }
}

/// Records requests, and answers each at its head, at its end, or when it is asked to.
private final class Answering: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    enum Time: CaseIterable { case head, end, later }

    struct Received {
        var path: String?
        var content: [UInt8] = []
        var isWhole = false
    }

    private(set) var requests: [Received] = []
    private(set) var errors = 0
    private(set) var cameAfterError = false
    private(set) var cameUnasked = false
    private let times: [Time]
    private var waiting = 0
    private var unanswered = 0
    private var context: ChannelHandlerContext?

    init(times: [Time]) { self.times = times }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.errors > 0 { self.cameAfterError = true }
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            if self.unanswered > 0 { self.cameUnasked = true }
            self.unanswered += 1
            self.requests.append(Received(path: head.path))
            if self.time == .head { self.answer() }
        case .body(let bytes): self.requests[self.requests.count - 1].content += bytes.readableBytesView
        case .end:
            self.requests[self.requests.count - 1].isWhole = true
            switch self.time {
            case .head: break
            case .end: self.answer()
            case .later: self.waiting += 1
            }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.errors += 1 }

    private var time: Time { self.requests.count <= self.times.count ? self.times[self.requests.count - 1] : .end }

    /// Answers the request that waits, if one does.
    func answerOne() {
        guard self.waiting > 0 else { return }
        self.waiting -= 1
        self.answer()
    }

    private func answer() {
        guard let context = self.context else { return }
        self.unanswered -= 1
        let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}

@available(*, unavailable)
extension Answering: Sendable {}
