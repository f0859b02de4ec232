import Formwork
import NIOCore

extension S3Client {
    /// Some bytes of an object.
    struct Slice: Hashable, Sendable {
        var key: String
        var range: Range<Int64>

        var count: Int64 { Int64(self.range.count) }
    }

    /// The bytes of slices, one after another, which can be read repeatedly.
    func source(_ slices: [Slice]) -> BodySource {
        .chunks(length: slices.reduce(0) { $0 + $1.count }) { offset in
            SliceChunks(client: self, slices: slices, offset: offset)
        }
    }
}

/// The bytes of slices, some megabytes at a time.
private struct SliceChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let client: S3Client
    let slices: [S3Client.Slice]
    /// The offset of the first byte.
    let offset: Int64

    struct AsyncIterator: AsyncIteratorProtocol {
        let client: S3Client
        var rest: ArraySlice<S3Client.Slice>
        /// The offset in the first of the rest.
        var offset: Int64

        mutating func next() async throws -> [UInt8]? {
            while let slice = self.rest.first, self.offset >= slice.count {
                self.offset -= slice.count
                self.rest = self.rest.dropFirst()
            }
            guard let slice = self.rest.first else { return nil }
            let end = Swift.min(slice.count, self.offset + Int64(S3Client.rangeLimit))
            let start = slice.range.lowerBound
            let buffer = try await self.client.get(slice.key, start + self.offset..<start + end)
            self.offset = end
            return Array(buffer.readableBytesView)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: self.client, rest: self.slices[...], offset: self.offset)
    }
}
