import Formwork
import NIOCore

/// Bytes that are in several objects, one after another.
struct StoredPieces: Sendable {
    /// Some of the bytes, in an object of their own.
    struct Piece: Codable, Hashable, Sendable {
        var key: String
        var count: Int64

        /// All of its bytes.
        var slice: S3Client.Slice { S3Client.Slice(key: self.key, range: 0..<self.count) }
    }

    /// How a part of a new object is made.
    enum Part: Hashable, Sendable {
        /// The store copies all of an object.
        case whole(Piece)
        /// The store copies some of an object's bytes.
        case copied(S3Client.Slice)
        /// This process reads the bytes and sends them: they are too few, or belong to several objects.
        case read([S3Client.Slice])
    }

    var pieces: [Piece]
    /// The least bytes of a part, except the last, and of an object of which some bytes are copied.
    var smallestPart: Int64

    var count: Int64 { self.pieces.reduce(0) { $0 + $1.count } }

    /// Where a range of the bytes is.
    func slices(_ range: Range<Int64>) -> [S3Client.Slice] {
        var start: Int64 = 0
        var slices: [S3Client.Slice] = []
        for piece in self.pieces {
            let found = range.clamped(to: start..<start + piece.count)
            if !found.isEmpty {
                slices.append(
                    S3Client.Slice(key: piece.key, range: found.lowerBound - start..<found.upperBound - start))
            }
            start += piece.count
        }
        return slices
    }

    /// The parts of an object with a range of the bytes, of which as few as possible are read.
    func parts(_ range: Range<Int64>) -> [Part] {
        let sizes = Dictionary(self.pieces.map { ($0.key, $0.count) }) { first, _ in first }
        var parts: [Part] = []
        var edge: [S3Client.Slice] = []
        var slices = self.slices(range)[...]
        while var slice = slices.popFirst() {
            let size = sizes[slice.key] ?? 0
            let isLast = slices.isEmpty
            func canCopy(_ count: Int64) -> Bool {
                count == 0 || ((count >= self.smallestPart || isLast) && (count == size || size > self.smallestPart))
            }
            let missing = edge.isEmpty ? 0 : max(0, self.smallestPart - edge.reduce(0) { $0 + $1.count })
            // The bytes of this slice that belong to the edge: what that still needs, or all if the others would be too few.
            var taken = edge.isEmpty && canCopy(slice.count) ? 0 : slice.count
            if !edge.isEmpty, missing < slice.count, canCopy(slice.count - missing) { taken = missing }
            if taken > 0 {
                edge.append(
                    S3Client.Slice(key: slice.key, range: slice.range.lowerBound..<slice.range.lowerBound + taken))
                slice.range = slice.range.lowerBound + taken..<slice.range.upperBound
            }
            if !edge.isEmpty, slice.count > 0 || isLast || edge.reduce(0, { $0 + $1.count }) >= self.smallestPart {
                parts.append(.read(edge))
                edge = []
            }
            guard slice.count > 0 else { continue }
            parts.append(slice.count == size ? .whole(Piece(key: slice.key, count: size)) : .copied(slice))
        }
        return parts
    }
}

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
