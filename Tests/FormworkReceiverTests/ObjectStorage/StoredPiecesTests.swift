import Testing

@testable import FormworkReceiver

/// How a file is cut out of objects with its bytes.
@Suite(.timeLimit(.minutes(10))) struct StoredPiecesTests {
    /// Three objects of 80 bytes and one of 30; a part has at least 50.
    private static let stored = StoredPieces(
        pieces: [("a", 80), ("b", 80), ("c", 80), ("d", 30)].map { StoredPieces.Piece(key: $0.0, count: $0.1) },
        smallestPart: 50)

    private static func slice(_ key: String, _ range: Range<Int64>) -> S3Client.Slice {
        S3Client.Slice(key: key, range: range)
    }

    @Test func `Whole objects are copied whole, the last one too`() {
        #expect(
            Self.stored.parts(0..<270)
                == [("a", 80), ("b", 80), ("c", 80), ("d", 30)].map {
                    .whole(StoredPieces.Piece(key: $0.0, count: $0.1))
                })
    }

    @Test func `A range of one object is one copy`() {
        #expect(Self.stored.parts(10..<70) == [.copied(Self.slice("a", 10..<70))])
        #expect(Self.stored.parts(85..<90) == [.copied(Self.slice("b", 5..<10))])
    }

    @Test func `A beginning that is too small is read with as much of the next object as a part needs`() {
        // 45 bytes of a, and 5 of b: the other 75 are enough for a part.
        #expect(
            Self.stored.parts(35..<200) == [
                .read([Self.slice("a", 35..<80), Self.slice("b", 0..<5)]), .copied(Self.slice("b", 5..<80)),
                .copied(Self.slice("c", 0..<40)),
            ])
    }

    @Test func `A beginning after which too little of the next object is left is read with all of it`() {
        #expect(
            Self.stored.parts(75..<200) == [
                .read([Self.slice("a", 75..<80), Self.slice("b", 0..<80)]), .copied(Self.slice("c", 0..<40)),
            ])
    }

    @Test func `The rest of the last object may be small`() {
        #expect(
            Self.stored.parts(75..<130) == [
                .read([Self.slice("a", 75..<80), Self.slice("b", 0..<45)]), .copied(Self.slice("b", 45..<50)),
            ])
    }

    @Test func `A range of a small object is read, since stores copy none`() {
        #expect(
            Self.stored.parts(160..<250) == [
                .whole(StoredPieces.Piece(key: "c", count: 80)), .read([Self.slice("d", 0..<10)]),
            ])
    }

    @Test func `Every range is made of its own bytes, by parts that stores accept`() {
        let sizes: [String: Int64] = ["a": 80, "b": 80, "c": 80, "d": 30]
        let starts: [String: Int64] = ["a": 0, "b": 80, "c": 160, "d": 240]
        for start in Int64(0)..<270 {
            for end in (start + 1)...270 {
                let parts = Self.stored.parts(start..<end)
                var offset = start
                for (index, part) in parts.enumerated() {
                    let slices: [S3Client.Slice] =
                        switch part {
                        case .whole(let piece): [Self.slice(piece.key, 0..<piece.count)]
                        case .copied(let slice): [slice]
                        case .read(let slices): slices
                        }
                    if case .copied(let slice) = part, sizes[slice.key] ?? 0 <= 50 {
                        Issue.record("a range of \(slice)")
                    }
                    let count = slices.reduce(0) { $0 + $1.count }
                    if index < parts.count - 1, count < 50 { Issue.record("\(start)..<\(end): part of \(count)") }
                    for slice in slices {
                        #expect(starts[slice.key].map { $0 + slice.range.lowerBound } == offset)
                        offset += slice.count
                    }
                }
                #expect(offset == end)
            }
        }
    }
}
