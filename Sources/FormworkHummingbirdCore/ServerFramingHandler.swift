import FormworkHTTP
import NIOCore
import NIOHTTP1

/// Checks each request's head (``RequestHeadCheck``), and frames each answer in a way that its request allows (RFC 9112
/// section 6), which handlers after the codec no longer know. An answer to `HEAD` has no content, whatever its header
/// section says. A client with HTTP/1.0 supports neither chunks nor expectations nor informational answers (RFC 9110
/// section 15.2).
///
/// A refused head is an error of the pipeline, ``HeadRefusal``; nothing comes after it. If a body is invalid or cut after its
/// request was answered, a second answer to it, which Hummingbird writes then, is dropped.
final class ServerFramingHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Asker {
        var isHeadOnly: Bool
        var isOld: Bool
        var keepsAlive: Bool
    }

    /// The requests that wait for an answer, in order.
    private var askers = CircularBuffer<Asker>()
    private var hasContent = true
    private var endsConnection = false
    private let place: RequestPosition
    private var isRefused = false
    private var isInBody = false
    private var isBodyInvalid = false
    /// Whether the answer that is being written is a second one.
    private var isDropping = false

    init(_ place: RequestPosition = RequestPosition()) { self.place = place }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isRefused else { return }
        switch self.unwrapInboundIn(data) {
        case .head(var head):
            do throws(HeadRefusal) { try self.begin(&head) } catch {
                self.isRefused = true
                self.place.phase = .over
                context.fireErrorCaught(error)
                return
            }
            self.isInBody = true
            context.fireChannelRead(self.wrapInboundOut(.head(head)))
        case .body(let bytes):
            self.place.took(bytes.readableBytes)
            context.fireChannelRead(data)
        case .end:
            // Set first, so that an answer to this part is one to a complete request.
            self.place.requestEnded()
            self.isInBody = false
            context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // NIO's decoder reports a wrong version twice, and may fail on a head that was just refused.
        if error is HTTPParserError {
            guard !self.isRefused else { return }
            self.isRefused = true
            self.place.phase = .over
        }
        if error is HTTPParserError || error is HeadRefusal { self.isBodyInvalid = self.isInBody }
        context.fireErrorCaught(error)
    }

    private func begin(_ head: inout HTTPRequestHead) throws(HeadRefusal) {
        // NIO leaves the blanks after this value, and removes those of others (RFC 9110 section 5.5).
        if let host = head.headers["Host"].first, host.utf8.last?.isBlank == true, head.headers["Host"].count == 1 {
            head.headers.replaceOrAdd(name: "Host", value: String(Substring(host.utf8.trimmingBlanks)))
        }
        try RequestHeadCheck.check(head)
        let isOld = (head.version.major, head.version.minor) < (1, 1)
        let connection = RequestHeadCheck.tokens(head.headers["Connection"])
        let keepsAlive = !connection.contains("close") && (!isOld || connection.contains("keep-alive"))
        self.askers.append(Asker(isHeadOnly: head.method == .HEAD, isOld: isOld, keepsAlive: keepsAlive))
        let isChunked = head.headers.contains(name: "Transfer-Encoding")
        let length = head.headers.first(name: "Content-Length").flatMap { Int64($0) } ?? 0
        self.place.began(
            remaining: isChunked ? nil : length,
            offersUpgrade: head.headers.contains(name: "Upgrade") || head.method == .CONNECT, isLast: !keepsAlive)
        // RFC 9110 section 10.1.1.
        if isOld { head.headers.remove(name: "Expect") }
        // RFC 9112 section 9.3, in one spelling for all handlers that follow.
        if !keepsAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = self.unwrapOutboundIn(data)
        if case .head = part, self.isBodyInvalid, self.askers.isEmpty { self.isDropping = true }
        guard !self.isDropping else {
            promise?.succeed()
            return
        }
        switch part {
        case .head(let head) where head.status.code < 200 && self.askers.first?.isOld == true: promise?.succeed()
        case .head(var head):
            self.frame(&head)
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .body where !self.hasContent: promise?.succeed()
        case .body: context.write(data, promise: promise)
        case .end:
            defer { self.place.answered() }
            guard self.endsConnection else { return context.write(data, promise: promise) }
            context.writeAndFlush(data, promise: promise)
            context.close(mode: .output, promise: nil)
        }
    }

    private func frame(_ head: inout HTTPResponseHead) {
        head.headers.remove(name: "Transfer-Encoding")
        guard head.status.code >= 200 else { return head.headers.remove(name: "Content-Length") }
        // An invalid request has no asker.
        let asker = self.askers.popFirst() ?? Asker(isHeadOnly: false, isOld: false, keepsAlive: false)
        self.hasContent = !asker.isHeadOnly && head.status.mayHaveResponseBody
        if !head.status.mayHaveResponseBody { head.headers.remove(name: "Content-Length") }
        let isEndless = self.hasContent && !head.headers.contains(name: "Content-Length")
        self.endsConnection = isEndless && asker.isOld
        if self.endsConnection || RequestHeadCheck.tokens(head.headers["Connection"]).contains("close") {
            self.place.isLast = true
        }
        if self.endsConnection {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        } else if isEndless {
            head.headers.add(name: "Transfer-Encoding", value: "chunked")
        } else if asker.isOld, asker.keepsAlive, !head.headers.contains(name: "Connection") {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
    }
}

@available(*, unavailable)
extension ServerFramingHandler: Sendable {}
