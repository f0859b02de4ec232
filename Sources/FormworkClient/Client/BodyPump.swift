#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Writes a request and its body on a channel, two buffers on their way at most.
///
/// It lives on the channel's event loop, so that a buffer goes from the thread that reads files to that loop and nowhere
/// else.
actor BodyPump {
    private let channel: any Channel
    private let executor: any SerialExecutor
    private let ledger: ExchangeLedger
    private let pipe: BufferPipe?
    private let hooks: ExchangeHooks
    /// The end of what was taken of the whole body.
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

    /// Sends until all is out, the answer comes, or something breaks, which the channel's reader gets to see.
    /// - Parameter permission: Whether the body may go.
    func run(_ request: HTTPRequest, _ permission: EventLoopFuture<Bool>?) async {
        defer { self.ledger.stop() }
        do {
            self.channel.writeAndFlush(HTTPRequestPart.head(request), promise: nil)
            if let permission {
                self.ledger.enter(.asking)
                guard try await permission.get() || self.goesOnAfterAnswer else { return }
            }
            self.ledger.enter(self.pipe == nil ? .waiting : .sending)
            if try await self.sendBody() {
                let end: EventLoopFuture<Void> = self.channel.writeAndFlush(HTTPRequestPart.end(nil))
                // Not behind the wait: the answer to it may come before this task runs again.
                end.whenSuccess { [ledger] in ledger.complete() }
                try await self.wait(end)
            }
        } catch is WriteFailure {
            // The answer's handler has ended the sending, and sees to the rest.
            if self.ledger.endsSending { return }
            self.ledger.breakOff()
            // What the server said before it hung up may still be on its way; but it isn't waited for long.
            for _ in 0..<200 where !self.goesOnAfterAnswer { try? await Task.sleep(for: .milliseconds(10)) }
            guard self.goesOnAfterAnswer else { return self.channel.close(promise: nil) }
            await self.findEnd()
        } catch {
            guard self.ledger.answered == nil || self.goesOnAfterAnswer else { return }
            self.ledger.fail(error)
            // The server must not take what it has for a whole body.
            self.channel.close(promise: nil)
        }
    }

    private struct WriteFailure: Error {}

    /// - Returns: Whether all of the body is out; `false` when an answer came first.
    private func sendBody() async throws -> Bool {
        guard let pipe = self.pipe else { return true }
        var onTheWay: EventLoopFuture<Void>?
        while let buffer = try await pipe.next() {
            guard self.ledger.answered == nil || self.goesOnAfterAnswer else { return false }
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

    /// Whether the server says that it has the body: then what is left of it is sent all the same.
    private var goesOnAfterAnswer: Bool { self.ledger.answerTakesBody && !self.hooks.takesEarlySuccess }

    /// Reads on, of a body whose length isn't known, as far as its length matters to nobody on the connection any more.
    private func findEnd() async {
        var count = self.ledger.written
        while count <= EarlySuccess.believedLength {
            do {
                guard let buffer = try await self.pipe?.next() else { return self.ledger.reachEnd() }
                count += Int64(buffer.readableBytes)
                self.ledger.produce(buffer.readableBytes)
            } catch { return }
        }
    }

    private func wait(_ written: EventLoopFuture<Void>?) async throws {
        do { try await written?.get() } catch { throw WriteFailure() }
    }
}
#endif
