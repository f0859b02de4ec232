@testable import Formwork
import TestSupport
import Testing

@Suite("Layout", .timeLimit(.minutes(10)))
struct LayoutTests {
    /// Framing of 3 bytes, two empty sources, a value of 2 bytes, an empty source, a source of 10 bytes.
    static func layout() throws -> Layout {
        var layout = Layout()
        try layout.append(part: 0, isFraming: true) { $0 += [1, 2, 3] }
        try layout.append(0, part: 0, .source(0))
        try layout.append(0, part: 0, .source(1))
        try layout.append(part: 1, isFraming: false) { $0 += [4, 5] }
        try layout.append(0, part: 1, .source(2))
        try layout.append(10, part: 2, .source(3))
        return layout
    }

    static let rows: [Row<Int64, Int>] = [
        Row(0, 0, against: "missing the start"),
        Row(2, 0, against: "leaving a piece before its last byte"),
        Row(3, 1, against: "skipping empty files that begin here"),
        Row(4, 3, against: "landing on an empty piece instead of the one with the byte"),
        Row(5, 4, against: "skipping one empty file"),
        Row(6, 5, against: "losing the piece behind an empty one"),
        Row(14, 5, against: "leaving the last piece before its last byte"),
        Row(15, 5, against: "an index behind the last at the end"),
    ]

    @Test("An offset is found in the first piece that begins there, else in the one that spans it", arguments: rows)
    func pieceIndex(row: Row<Int64, Int>) throws {
        #expect(try Self.layout().pieceIndex(at: row.given) == row.expected)
    }

    @Test("Pieces follow one another without gaps, and their bytes are kept")
    func pieces() throws {
        let layout = try Self.layout()
        #expect(layout.pieces.map(\.start) == [0, 3, 3, 3, 5, 5])
        #expect(layout.pieces.map(\.length) == [3, 0, 0, 2, 0, 10])
        #expect(layout.pieces.map(\.part) == [0, 0, 0, 1, 1, 2])
        #expect(layout.bytes == [1, 2, 3, 4, 5])
        #expect(layout.length == 15)
        #expect(layout.knownCount == 6)
    }

    @Test("Nothing at all is a body of 0 bytes")
    func empty() throws {
        var layout = Layout()
        try layout.append(part: -1, isFraming: true) { _ in }
        #expect(layout.length == 0)
        #expect(layout.pieces.isEmpty)
        #expect(layout.pieceIndex(at: 0) == -1)
    }

    @Test("Behind a piece of unknown length no start is known, and no offset is looked for there")
    func unknown() throws {
        var layout = Layout()
        try layout.append(part: 0, isFraming: true) { $0 += [1, 2, 3] }
        try layout.append(nil, part: 0, .source(0))
        try layout.append(part: 1, isFraming: true) { $0 += [4] }
        #expect(layout.length == nil)
        #expect(layout.knownCount == 2)
        #expect(layout.pieceIndex(at: 2) == 0)
        #expect(layout.pieceIndex(at: 3) == 1)
        #expect(layout.pieceIndex(at: 1_000) == 1)
    }

    @Test("A body of 2^63 bytes is refused, not wrapped round")
    func overflow() throws {
        var layout = Layout()
        try layout.append(.max, part: 0, .source(0))
        try layout.append(0, part: 1, .source(1))
        #expect(layout.length == 9_223_372_036_854_775_807)
        #expect(
            try refusal { try layout.append(1, part: 2, .source(2)) } == "The body is longer than 2^63 - 1 bytes.")
    }

    @Test("An error of the writer goes through")
    func failingWriter() throws {
        var layout = Layout()
        let message = try refusal {
            try layout.append(part: 0, isFraming: true) { _ throws(FormworkError) in
                throw FormworkError(.invalidArgument, "no")
            }
        }
        #expect(message == "no")
        #expect(layout.pieces.isEmpty)
    }
}
