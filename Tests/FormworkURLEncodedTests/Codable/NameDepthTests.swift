import FormworkCore
import FormworkURLEncoded
import Testing

@Suite("Names that nest without end")
struct NameDepthTests {
    private struct Nested: Decodable {
        var b: [Nested]?
    }

    @Test("`.max` for a depth has a bound, as trees are walked by calling", arguments: [Int.max, 513])
    func bounded(depth: Int) throws {
        var decoding = URLEncodedDecoding()
        decoding.limits = .unlimited
        decoding.limits.depth = depth
        let name = "b" + String(repeating: "[][b]", count: 100_000)
        #expect(throws: DecodingError.self) { try decoding.decode(Nested.self, from: Array("\(name)=1".utf8)) }
        #expect(throws: DecodingError.self) {
            try decoding.decode([String: String].self, from: Array("\(name)=1&\(name)=2".utf8))
        }
    }

    @Test("A negative depth is 0: no pair fits", arguments: [-1, Int.min])
    func negative(depth: Int) throws {
        var decoding = URLEncodedDecoding()
        decoding.limits.depth = depth
        #expect(throws: DecodingError.self) { try decoding.decode([String: String].self, from: Array("a=1".utf8)) }
    }
}
