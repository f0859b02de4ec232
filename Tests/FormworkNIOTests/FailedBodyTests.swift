@testable import FormworkClient
@testable import FormworkNIO
import Foundation
import NIOCore
import NIOPosix
import Testing

extension NIOTests {
    @Suite("A body that turns out wrong", .timeLimit(.minutes(10)))
    struct FailedBodyTests {
        /// Gives chunks, and then maybe fails.
        private struct Pieces: AsyncSequence, Sendable {
            var chunks: [[UInt8]]
            var fails = false

            struct Iterator: AsyncIteratorProtocol {
                var rest: ArraySlice<[UInt8]>
                let fails: Bool
                mutating func next() async throws -> [UInt8]? {
                    if self.rest.isEmpty, self.fails { throw CocoaError(.fileReadUnknown) }
                    return self.rest.popFirst()
                }
            }

            func makeAsyncIterator() -> Iterator { Iterator(rest: self.chunks[...], fails: self.fails) }
        }

        @Test("closes the channel after a part of the body, so that nothing follows there")
        func channel() async throws {
            let group = MultiThreadedEventLoopGroup.singleton
            let server = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
            let address = try #require(server.localAddress)
            let client = try await ClientBootstrap(group: group).connect(to: address).get()
            let plan = try await form(.chunks { _ in Pieces(chunks: [noise(1000)], fails: true) }).plan()
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
                let source = BodySource.chunks(length: 6) { _ in Pieces(chunks: [[1, 2, 3], [4, 5, 6], [7]]) }
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
