import NIOCore
import NIOHTTPTypes

/// Writes a request and its body to a channel, with at most two buffers in flight.
///
/// It runs on the channel's event loop, so that a buffer goes directly from the thread that reads files to that loop.
actor BodyPump {
    private let channel: any Channel
    private let executor: any SerialExecutor
    private let ledger: ExchangeLedger
    private let pipe: BufferPipe?
    private let hooks: ExchangeHooks
    /// The offset in the whole body up to which bytes were read.
    private var position: Int64

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    /// - Parameter offset: Where the pipe's bytes begin in the whole body.
    init(
        _ channel: any Channel, _ pipe: BufferPipe?, from offset: Int64, _ ledger: ExchangeLedger,
        _ hooks: ExchangeHooks
    ) {
        self.channel = channel
        self.executor = channel.eventLoop.executor
        self.pipe = pipe
        self.ledger = ledger
        self.hooks = hooks
        self.position = offset
    }

    /// Sends until all bytes are sent, the answer arrives, or something fails, which the channel's reader sees.
    /// - Parameter patience: How long to wait for the server's permission; `nil` if it isn't asked.
    func run(_ request: HTTPRequest, asking patience: Duration?) async {
        defer { self.ledger.stop() }
        do {
            self.channel.writeAndFlush(HTTPRequestPart.head(request), promise: nil)
            if let patience {
                self.ledger.enter(.asking)
                let isPermitted = await self.ledger.mayBeSent(after: patience)
                guard !Task.isCancelled, isPermitted || self.continuesAfterResponse else { return }
                self.hooks.reading()
            }
            self.ledger.enter(self.pipe == nil ? .waiting : .sending)
            if try await self.sendBody() {
                let end: EventLoopFuture<Void> = self.channel.writeAndFlush(HTTPRequestPart.end(nil))
                // Not after the wait: the answer may arrive before this task runs again.
                end.whenSuccess { [ledger] in ledger.complete() }
                try await self.wait(end)
            }
        } catch is WriteFailure {
            // The answer's handler has stopped the sending and does the rest.
            if self.ledger.endsSending { return }
            self.ledger.breakOff()
            // The server's answer may still arrive after it closed the connection; the wait for it is short.
            await self.ledger.waitForSuccess()
            guard self.continuesAfterResponse else { return self.channel.close(promise: nil) }
            await self.findEnd()
        } catch {
            guard self.ledger.answered == nil || self.continuesAfterResponse else { return }
            self.ledger.fail(error)
            // The server must not mistake the part that it has for the whole body.
            self.channel.close(promise: nil)
        }
    }

    private struct WriteFailure: Error {}

    /// - Returns: Whether the whole body was sent; `false` if an answer arrived first.
    private func sendBody() async throws -> Bool {
        guard let pipe = self.pipe else { return true }
        var onTheWay: EventLoopFuture<Void>?
        while let buffer = try await pipe.next() {
            guard self.ledger.answered == nil || self.continuesAfterResponse else { return false }
            let count = buffer.readableBytes
            self.position += Int64(count)
            self.hooks.sending(self.position)
            self.ledger.produce(count)
            let written: EventLoopFuture<Void> = self.channel.writeAndFlush(HTTPRequestPart.body(buffer))
            written.whenSuccess { [ledger] in ledger.write(count) }
            try await self.wait(onTheWay)
            onTheWay = written
        }
        self.hooks.ended(self.position)
        try await self.wait(onTheWay)
        self.ledger.reachEnd()
        return true
    }

    /// Whether the server answered that it has the body: then the rest of it is sent nevertheless.
    private var continuesAfterResponse: Bool { self.ledger.answerTakesBody }

    /// Reads the rest of a body of unknown length to find its end, after the connection stopped accepting bytes, but
    /// not beyond the length up to which an early answer is believed.
    private func findEnd() async {
        // Bytes whose write failed belong to the body, too.
        var count = self.ledger.produced
        while count <= EarlySuccess.believedLength {
            do {
                guard let buffer = try await self.pipe?.next() else { return self.ledger.reachEnd() }
                count += Int64(buffer.readableBytes)
                self.ledger.produce(buffer.readableBytes)
            } catch { return }
        }
    }

    private func wait(_ written: EventLoopFuture<Void>?) async throws {
        guard let written else { return }
        do {
            // `get()` switches to a thread of the pool and back.
            try await withCheckedThrowingContinuation { continuation in
                written.whenComplete { continuation.resume(with: $0) }
            }
        } catch { throw WriteFailure() }
    }
}
