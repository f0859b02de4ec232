import FormworkCore
import TestSupport
import Testing

@Suite("Copying between arrays and buffers", .timeLimit(.minutes(10)))
struct RawBytesTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var range: Range<Int>
        var offset: Int
        var count: Int
        var expected: [UInt8]
        var guardsAgainst: String
        var testDescription: String { self.guardsAgainst }
    }

    /// Copies of 1, 2, 3, 4, 5 into four bytes of 9.
    static let rows = [
        Row(range: 0..<5, offset: 0, count: 4, expected: [1, 2, 3, 4], guardsAgainst: "writing behind the buffer"),
        Row(range: 1..<3, offset: 1, count: 2, expected: [9, 2, 3, 9], guardsAgainst: "copying from the start"),
        Row(range: 3..<5, offset: 3, count: 1, expected: [9, 9, 9, 4], guardsAgainst: "forgetting the offset's share"),
        Row(range: 0..<5, offset: 4, count: 0, expected: [9, 9, 9, 9], guardsAgainst: "no room left"),
        Row(range: 2..<2, offset: 0, count: 0, expected: [9, 9, 9, 9], guardsAgainst: "an empty range"),
    ]

    @Test("As much is copied as there is room for", arguments: rows)
    func copies(row: Row) {
        var bytes: [UInt8] = []
        bytes.append(upTo: 4) { room in
            RawBytes.copy([9, 9, 9, 9], 0..<4, to: &room)
            let count = RawBytes.copy([1, 2, 3, 4, 5], row.range, to: &room, at: row.offset)
            #expect(count == row.count)
            return 4
        }
        #expect(bytes == row.expected)
    }

    @Test("An array grows by what was written, and not by its room")
    func growth() {
        var bytes: [UInt8] = [7]
        bytes.append(upTo: 100) { room in RawBytes.copy([1, 2], 0..<2, to: &room) }
        #expect(bytes == [7, 1, 2])
    }

    @Test("A fill that throws leaves the array as it was")
    func failure() throws {
        var bytes: [UInt8] = [7]
        _ = try refusal {
            try bytes.append(upTo: 100) { room throws(FormworkError) in
                RawBytes.copy([1, 2], 0..<2, to: &room)
                throw FormworkError(.invalidArgument, "no")
            }
        }
        #expect(bytes == [7])
    }
}
