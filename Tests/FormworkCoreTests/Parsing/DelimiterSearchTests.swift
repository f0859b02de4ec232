import Testing

@testable import FormworkCore

@Suite(.timeLimit(.minutes(10))) struct DelimiterSearchTests {
    /// What the search should find, the slow way.
    private static func naive(_ needle: [UInt8], _ bytes: [UInt8], _ start: Int) -> Int? {
        guard bytes.count >= needle.count else { return nil }
        return (start...max(start, bytes.count - needle.count)).first { bytes[$0...].starts(with: needle) }
    }

    private static func naiveCut(_ needle: [UInt8], _ bytes: [UInt8], _ start: Int) -> Int? {
        (max(start, bytes.count - needle.count + 1)..<max(start, bytes.count)).first {
            needle.starts(with: bytes[$0...])
        }
    }

    @Test("The vector search finds what a naive one finds, whatever the bytes and wherever they begin")
    func sameAsNaive() {
        var generator = SplitMix64(seed: 7)
        for boundary in [
            "b", "xyz", "0123456789ab", String(repeating: "q", count: 30), String(repeating: "-", count: 70),
        ] {
            for prefix in ["\r\n", "\n"] {
                let needle = Array("\(prefix)--\(boundary)".utf8)
                let search = DelimiterSearch(needle)
                // Few different bytes, so that anchors and near misses are everywhere.
                let letters = [needle[0], needle[1], needle[needle.count - 1], 0x0D, 0x61]
                for round in 0..<60 {
                    var bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                        letters[Int.random(in: 0..<letters.count, using: &generator)]
                    }
                    for _ in 0..<(round % 4) {
                        var piece = needle
                        if round % 3 == 0 { piece[Int.random(in: 0..<piece.count, using: &generator)] = 0x21 }
                        if round % 5 == 0 { piece.removeLast(Int.random(in: 1..<piece.count, using: &generator)) }
                        bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &generator))
                    }
                    if round % 7 == 0 { bytes += needle.prefix(Int.random(in: 0..<needle.count, using: &generator)) }
                    let start = Int.random(in: 0...min(40, bytes.count), using: &generator)
                    let found = bytes.withRawSpan { search.first(in: $0, from: start, to: bytes.count) }
                    #expect(found == Self.naive(needle, bytes, start), "\(bytes) from \(start)")
                    let cut = bytes.withRawSpan { search.cutOff(in: $0, from: start, to: bytes.count) }
                    #expect(cut == Self.naiveCut(needle, bytes, start), "\(bytes) from \(start)")
                }
            }
        }
    }

    @Test("A needle is found at every offset of every length around the vector's sixteen and sixty-four")
    func everyOffset() {
        let needle = Array("\r\n--boundary".utf8)
        let search = DelimiterSearch(needle)
        for count in [12, 13, 27, 28, 75, 76, 77, 91, 92, 141] {
            for at in 0...(count - needle.count) {
                var bytes = [UInt8](repeating: 0x2E, count: count)
                bytes.replaceSubrange(at..<at + needle.count, with: needle)
                #expect(bytes.withRawSpan { search.first(in: $0, from: 0, to: count) } == at)
                #expect(bytes.withRawSpan { search.first(in: $0, from: at, to: count) } == at)
                #expect(bytes.withRawSpan { search.first(in: $0, from: 0, to: at + needle.count - 1) } == nil)
            }
        }
    }

    @Test("The first CR, LF or NUL is found in every lane")
    func breaks() {
        for byte: UInt8 in [0x0D, 0x0A, 0x00] {
            for at in 0..<40 {
                var bytes = [UInt8](repeating: 0x8D, count: 40)
                bytes[at] = byte
                #expect(bytes.withRawSpan { $0.firstBreak(from: 0, to: 40) } == at)
                #expect(bytes.withRawSpan { $0.firstIndex(of: byte, from: 0, to: 40) } == at)
                #expect(bytes.withRawSpan { $0.firstBreak(from: 0, to: at) } == at, "none")
            }
        }
    }
}
