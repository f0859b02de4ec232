@testable import FormworkHummingbirdCore
import NIOCore
import NIOEmbedded
import Testing

@Suite("How much a server reads at once", .timeLimit(.minutes(10)))
struct ReadSizesTests {
    /// The sizes of the buffers when every read fills its buffer.
    private func sizes(_ reads: ReadSizes, count: Int) -> [Int] {
        var allocator = ReadAllocator(reads)
        return (0..<count).map { _ in
            let buffer = allocator.buffer(allocator: ByteBufferAllocator())
            #expect(allocator.nextBufferSize() == buffer.capacity)
            _ = allocator.record(actualReadBytes: buffer.capacity)
            return buffer.capacity
        }
    }

    @Test("A connection reads more while its reads are full, and less afterwards")
    func growing() {
        let reads = ReadSizes()
        reads.opened()
        #expect(sizes(reads, count: 9) == [2048, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144, 262_144])
        var allocator = ReadAllocator(reads)
        for _ in 0..<4 { _ = allocator.record(actualReadBytes: 100) }
        #expect(allocator.nextBufferSize() == 512)
    }

    @Test(
        "Many connections share 32 MiB, down to a least size",
        arguments: [
            (16 << 10, [1: 262_144, 10: 262_144, 11: 131_072, 40: 65_536, 100: 16_384, 10_000: 16_384]),
            (64 << 10, [1: 262_144, 10: 262_144, 11: 131_072, 40: 65_536, 100: 65_536, 10_000: 65_536]),
        ])
    func sharing(least: Int, expected: [Int: Int]) {
        for (count, size) in expected {
            let reads = ReadSizes(least: least)
            for _ in 0..<count { reads.opened() }
            #expect(reads.next == size)
            #expect(sizes(reads, count: 12).last == size)
            for _ in 1..<count { reads.closed() }
            #expect(reads.next == 262_144)
        }
    }

    @Test("A channel's connection is counted until it closes")
    func counting() throws {
        let reads = ReadSizes()
        let channels = (0..<11).map { _ in EmbeddedChannel() }
        for channel in channels { try reads.apply(to: channel) }
        #expect(reads.next == 131_072)
        for channel in channels { _ = try channel.finish() }
        #expect(reads.next == 262_144)
    }
}
