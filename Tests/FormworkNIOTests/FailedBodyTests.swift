@testable import FormworkClient
@testable import FormworkNIO
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing

extension NIOTests {
    @Suite("A body that turns out wrong", .timeLimit(.minutes(10)))
    struct FailedBodyTests {
        @Test("closes the channel after a part of the body, so that nothing follows there")
        func channel() async throws {
            let group = MultiThreadedEventLoopGroup.singleton
            let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            let address = try #require(server.localAddress)
            let client = try await ClientBootstrap(group: group).connect(to: address).get()
            let plan = try await form(
                .chunks { _ in ChunkSource([noise(1000)], failure: CocoaError(.fileReadUnknown)) }
            ).plan()
            let error = await #expect(throws: FormworkError.self) { try await client.writeBody(plan) }
            #expect(error?.code == .sourceUnavailable)
            // If nothing closes the channel, the suite's time limit ends this.
            try await client.closeFuture.get()
            #expect(!client.isActive)
            try await server.close()
        }

        @Test("doesn't give its last bytes if the source has more than planned")
        func surplus() async throws {
            for size in [2, 3, 100] {
                let source = BodySource.chunks(length: 6) { _ in ChunkSource([[1, 2, 3], [4, 5, 6], [7]]) }
                let feed = BufferFeed(
                    try BodyPlan(copying: source), size: size, allocator: ByteBufferAllocator(),
                    options: ReaderOptions())
                var given: [UInt8] = []
                let error = await #expect(throws: FormworkError.self) {
                    while let buffer = try await feed.next() { given += buffer.readableBytesView }
                }
                #expect(error?.code == .lengthMismatch)
                #expect(given.count < 6 && !feed.isComplete && feed.count == Int64(given.count))
            }
        }
    }
}
