import NIOCore
import NIOHTTP2

/// Measures how much of a request the system has accepted, and how much of that the peer has acknowledged: ten times a
/// second, and when something arrives.
///
/// It is a connection's first handler, so it counts what goes to the socket, with the framing of HTTP and TLS.
final class WireMeter: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = IOData

    private static let interval = TimeAmount.milliseconds(100)

    private let ledger: ExchangeLedger
    private var passed: Int64 = 0
    private var isClosing = false
    private var ticks: RepeatedTask?

    init(_ ledger: ExchangeLedger) { self.ledger = ledger }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { _ in
            let (meter, context) = bound.value
            if let buffered = meter.measure(context) { meter.askSystem(context.channel, buffered) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.ticks?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // An answer or a reset counts what was sent until now.
        _ = self.measure(context)
        context.fireChannelRead(data)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        self.isClosing = true
        context.close(mode: mode, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        // The system doesn't say any more what a peer acknowledged that ended the connection.
        if !self.isClosing { self.ledger.takeAllAccepted() }
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.passed += Int64(self.unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    /// - Returns: Bytes that wait in this process; `nil` if the connection isn't open.
    private func measure(_ context: ChannelHandlerContext) -> Int64? {
        guard context.channel.isActive,
            let buffered = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        else { return nil }
        self.ledger.measure(buffered: Int64(buffered))
        return Int64(buffered)
    }

    private func askSystem(_ channel: any Channel, _ buffered: Int64) {
        let accepted = self.passed - buffered
        guard accepted > 0, let socket = channel as? any SocketOptionProvider else { return }
        #if canImport(Darwin)
        // SO_NWRITE
        let queued: EventLoopFuture<CInt> = socket.unsafeGetSocketOption(level: .socket, name: .init(rawValue: 0x1024))
        let unacknowledged = queued.map { Int64($0) }
        #else
        // TCP_INFO
        let info: EventLoopFuture<TCPInfo> = socket.unsafeGetSocketOption(level: .tcp, name: .init(rawValue: 11))
        let unacknowledged = info.map { $0.unacknowledged(of: accepted) }
        #endif
        unacknowledged.whenSuccess { [ledger] in ledger.measure(buffered: buffered, unacknowledged: $0) }
        // A Unix socket has no queue that can be asked for.
        unacknowledged.whenFailure { [ledger] _ in ledger.measure(buffered: buffered, unacknowledged: 0) }
    }
}

#if !canImport(Darwin)
/// The first part of Linux' `struct tcp_info`, whose last member in glibc's headers comes before the needed one.
private struct TCPInfo: Sendable {
    private typealias Words = (UInt64, UInt64, UInt64, UInt64, UInt64)
    private var others: (Words, Words, Words) = ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0))
    /// `tcpi_bytes_acked` counts the connection's first packet as a byte; 0 in systems that don't have it.
    private var acknowledged: UInt64 = 0

    func unacknowledged(of accepted: Int64) -> Int64 {
        self.acknowledged == 0 ? 0 : max(0, accepted + 1 - Int64(clamping: self.acknowledged))
    }
}
#endif

/// Counts what the peer's windows let through of a body over HTTP/2. The connection has one stream, and no padding.
struct DataFrameMeter: NIOHTTP2FrameDelegate {
    let ledger: ExchangeLedger

    func wroteFrame(_ frame: HTTP2Frame) {
        if case .data(let content) = frame.payload { self.ledger.pass(content.data.readableBytes) }
    }
}
