import Formwork
import Synchronization
import TestSupport
import Testing

@Suite("Sources whose length is declared, or known by nobody", .timeLimit(.minutes(10)))
struct UnknownLengthTests {
    /// Gives chunks of 10 bytes without end, and counts them.
    private struct Endless: AsyncSequence, Sendable {
        let log = ChunkSource.Log()

        struct Iterator: AsyncIteratorProtocol {
            let log: ChunkSource.Log
            mutating func next() async throws -> [UInt8]? {
                self.log.pull()
                return Array(repeating: 7, count: 10)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(log: self.log) }
    }

    @Test("`bytes(upTo:)` gives as many as the limit says, and not one more", arguments: [0, 1, 100, 300_000])
    func limits(count: Int) async throws {
        let content = [UInt8](repeating: 5, count: count)
        for source in [
            .bytes(content), .stream(length: nil) { DripStream(content, from: Int($0), step: 1000) },
            .chunks { _ in ChunkSource(count == 0 ? [] : [content]) },
            .concatenation([.bytes(content), .stream(length: nil) { _ in DripStream([]) }]),
        ] as [BodySource] {
            #expect(try await source.bytes(upTo: count) == content)
            #expect(try await source.bytes(upTo: count + 1) == content)
            if count > 0 { await expect(.limitExceeded) { try await source.bytes(upTo: count - 1) } }
        }
    }

    @Test("`bytes(upTo:)` ends at its limit where the source has no end", .timeLimit(.minutes(10)))
    func endless() async throws {
        let chunks = Endless()
        let source = BodySource.chunks { _ in chunks }
        await expect(.limitExceeded) { try await source.bytes(upTo: 1005) }
        #expect(chunks.log.pulled < 110)
    }

    @Test(
        "Chunks behind a declared length are an error, wherever it ends; surplus may be left", .timeLimit(.minutes(10)),
        arguments: [0, 1, 3, 5, 6])
    func surplus(length: Int64) async throws {
        func content(ignoringSurplus: Bool, _ chunks: [[UInt8]]) async throws -> [UInt8] {
            try await BodySource.chunks(length: length, ignoringSurplus: ignoringSurplus) { _ in
                ChunkSource(chunks)
            }
            .bytes(upTo: 1000)
        }
        let chunks: [[UInt8]] = [[1, 2, 3], [], [4, 5, 6], [7]]
        await expect(.lengthMismatch) { try await content(ignoringSurplus: false, chunks) }
        #expect(try await content(ignoringSurplus: true, chunks) == Array([1, 2, 3, 4, 5, 6].prefix(Int(length))))
        let endless = Endless()
        await expect(.lengthMismatch) {
            try await BodySource.chunks(length: length) { _ in endless }.bytes(upTo: 1000)
        }
        #expect(endless.log.pulled <= 2)
        // Empty chunks are no surplus.
        let exact = Array([1, 2, 3, 4, 5, 6].prefix(Int(length))) as [UInt8]
        #expect(try await content(ignoringSurplus: false, [exact, [], []]) == exact)
    }
}
