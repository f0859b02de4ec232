import Formwork
import NIOCore

extension S3Client {
    /// Some bytes of an object.
    struct Slice: Hashable, Sendable {
        var key: String
        var range: Range<Int64>

        var count: Int64 { Int64(self.range.count) }
    }

    /// The bytes of slices, one after another and some megabytes at a time, which can be read repeatedly.
    func source(_ slices: [Slice]) -> BodySource {
        .chunks(length: slices.reduce(0) { $0 + $1.count }) { offset in
            // The slices that are left, and the offset in the first of them.
            Unfolded((rest: slices[...], offset: offset)) { state -> [UInt8]? in
                while let slice = state.rest.first, state.offset >= slice.count {
                    state.offset -= slice.count
                    state.rest = state.rest.dropFirst()
                }
                guard let slice = state.rest.first else { return nil }
                let end = min(slice.count, state.offset + Int64(Self.rangeLimit))
                let start = slice.range.lowerBound
                let buffer = try await self.get(slice.key, start + state.offset..<start + end)
                state.offset = end
                return Array(buffer.readableBytesView)
            }
        }
    }
}
