import Foundation
import FormworkClient
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing

extension NIOTests {
    @Suite("Bodies written to channels", .timeLimit(.minutes(10)))
    struct ChannelTests {
        private let folder = TemporaryFolder()

        /// Keeps what is sent to a channel, and reports its end.
        private final class Collector: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private var bytes = ByteBuffer()
            private var count = 0
            private let end: EventLoopPromise<(ByteBuffer, Int)>
            private let pause: TimeAmount?

            init(_ end: EventLoopPromise<(ByteBuffer, Int)>, pause: TimeAmount?) {
                (self.end, self.pause) = (end, pause)
            }

            func channelActive(context: ChannelHandlerContext) {
                if self.pause != nil { context.read() }
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                var buffer = self.unwrapInboundIn(data)
                self.count += buffer.readableBytes
                // A test that measures memory must not hold the body: then the last bytes will do.
                if self.pause != nil { self.bytes.clear() }
                self.bytes.writeBuffer(&buffer)
            }

            func channelReadComplete(context: ChannelHandlerContext) {
                let channel = context.channel
                if let pause = self.pause { context.eventLoop.scheduleTask(in: pause) { channel.read() } }
            }

            func channelInactive(context: ChannelHandlerContext) { self.end.succeed((self.bytes, self.count)) }
            func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
        }

        /// Connects, writes, closes, and gives what the other side got. Reads come with pauses where some are given; then only
        /// the last bytes are kept.
        private func received(
            pause: TimeAmount? = nil, _ write: (any Channel) async throws -> Void
        ) async throws -> (bytes: [UInt8], count: Int, error: (any Error)?) {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let end = group.next().makePromise(of: (ByteBuffer, Int).self)
            let server = try await ServerBootstrap(group: group)
                .childChannelOption(.autoRead, value: pause == nil)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Collector(end, pause: pause))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let client = try await ClientBootstrap(group: group).connect(to: server.localAddress!).get()
            var failure: (any Error)?
            do { try await write(client) } catch { failure = error }
            try? await client.close().get()
            let (bytes, count) = try await end.futureResult.get()
            try await group.shutdownGracefully()
            return (Array(bytes.readableBytesView), count, failure)
        }

        @Test("The planned bytes arrive, by buffers")
        func equalBytes() async throws {
            var forms = try form(.file(self.folder.file("f", noise(1 << 20), times: 20)))
            forms.append(name: "slice", source: .file(self.folder.path.appending("f"), offset: 12_345, length: 300_000))
            forms.append(name: "small", source: .file(self.folder.path.appending("f"), offset: 1, length: 10))
            forms.append(name: "live", source: .chunks { _ in ChunkSource([noise(10), noise(70_000)]) })
            let plan = try await forms.plan()
            let (bytes, _, error) = try await self.received { channel in
                let count = try await channel.writeBody(plan)
                #expect(count > 21_000_000)
            }
            var expected: [UInt8] = []
            for try await chunk in plan.chunks() { expected += chunk }
            #expect(error == nil && bytes == expected && bytes.count > 21_000_000)
            #expect(try await self.folder.isClosed())
        }

        @Test("A slow peer holds the reader up")
        func slowPeer() async throws {
            let plan = try await form(.file(self.folder.sparseFile("f", count: 1 << 30))).plan()
            let growth = try await peakGrowth {
                let (_, count, error) = try await self.received(pause: .milliseconds(10)) { channel in
                    let task = Task { try await channel.writeBody(plan) }
                    try await Task.sleep(for: .milliseconds(1500))
                    task.cancel()
                    _ = try await task.value
                }
                #expect(error is CancellationError && count < 256 << 20, "\(String(describing: error))")
            }
            print("slow peer: resident memory grew by \(growth >> 10) KiB")
            #expect(growth < 24 << 20)
            #expect(try await self.folder.isClosed())
        }

        @Test("A file that changes during the write is an error, and the body's end isn't sent")
        func changedFile() async throws {
            let path = try self.folder.file("f", noise(1 << 20), times: 32)
            let plan = try await form(.file(path)).plan()
            for change in [{ _ = utimes(path.string, nil) }, { _ = truncate(path.string, 1 << 20) }] {
                let plan = try await form(.file(path)).plan()
                let (bytes, count, error) = try await self.received(pause: .milliseconds(20)) { channel in
                    let task = Task { try await channel.writeBody(plan) }
                    try await Task.sleep(for: .milliseconds(50))
                    change()
                    _ = try await task.value
                }
                let failure = error as? FormworkError
                #expect(
                    failure?.code == .sourceChanged && failure?.part?.name == "content",
                    "\(String(describing: error))")
                #expect(count < plan.contentLength! && !bytes.suffix(20).contains(Array("harbour--".utf8)))
            }
            let gone = await #expect(throws: FormworkError.self) {
                let result = try await self.received {
                    try await $0.writeBody(plan)
                }
                if let error = result.error { throw error }
            }
            #expect(gone?.code == .sourceChanged, "it had changed before")
            #expect(try await self.folder.isClosed())
        }

        @Test("A peer that goes away is an error that says how far it came")
        func brokenPeer() async throws {
            let plan = try await form(.file(self.folder.sparseFile("f", count: 1 << 28))).plan()
            let (_, _, error) = try await self.received(pause: .milliseconds(10)) { channel in
                channel.eventLoop.scheduleTask(in: .milliseconds(200)) { channel.close(promise: nil) }
                try await channel.writeBody(plan)
            }
            let failure = error as? FormworkError
            #expect(failure?.code == .writeFailed && failure?.offset ?? 0 > 0, "\(String(describing: error))")
            #expect(try await self.folder.isClosed())
        }
    }
}
