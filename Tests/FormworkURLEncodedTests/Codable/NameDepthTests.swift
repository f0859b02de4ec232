import FormworkCore
@testable import FormworkURLEncoded
import Testing

@Suite("Names that nest without end", .timeLimit(.minutes(10)))
struct NameDepthTests {
    private struct Nested: Decodable {
        var b: [Nested]?
    }

    @Test("`.max` for a depth has a bound, as trees are walked by calling", arguments: [Int.max, 513])
    func bounded(depth: Int) throws {
        var dialect = CodingPolicy.swift
        dialect.parsing.limits = URLEncodedLimits(bytes: .max, pairBytes: .max, depth: depth)
        let decoding = CodingPolicy(dialect)
        let name = "b" + String(repeating: "[][b]", count: 100_000)
        #expect(throws: DecodingError.self) { try decoding.decode(Nested.self, from: Array("\(name)=1".utf8)) }
        #expect(throws: DecodingError.self) {
            try decoding.decode([String: String].self, from: Array("\(name)=1&\(name)=2".utf8))
        }
    }

    @Test("A negative depth is 0: names have one level", arguments: [-1, Int.min])
    func negative(depth: Int) throws {
        var dialect = CodingPolicy.swift
        dialect.parsing.limits.depth = depth
        let decoding = CodingPolicy(dialect)
        #expect(try decoding.decode([String: String].self, from: Array("a=1".utf8)) == ["a": "1"])
        #expect(throws: DecodingError.self) {
            try decoding.decode([String: [String: String]].self, from: Array("a[b]=1".utf8))
        }
    }

    @Test("All names together have a limit, as each level takes memory", arguments: [URLEncodedDialect.php, .rails])
    func together(dialect: URLEncodedDialect) throws {
        let form = { (count: Int, levels: Int) in
            (0..<count).map { "k\($0)" + String(repeating: "[a]", count: levels - 1) + "=1" }.joined(separator: "&")
        }
        guard case .object(let members) = try dialect.decode(form(10_000, 11)) else {
            Issue.record("no object")
            return
        }
        #expect(members.count == 10_000)
        let error = #expect(throws: FormworkError.self) { try dialect.decode(form(10_000, 12)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message == "all names together have more than 100000 levels (10 × limits.pairs)")
        var few = dialect
        few.parsing.limits.pairs = 1
        _ = try few.decode(form(1, 64))
    }

    @Test("The decoder has the same limit")
    func decoder() throws {
        struct Level: Decodable { var a: [String: String]? }
        let text = (0..<10_000).map { "k\($0)" + String(repeating: "[a]", count: 11) + "=1" }.joined(separator: "&")
        let error = #expect(throws: DecodingError.self) {
            try CodingPolicy().decode([String: Level].self, from: Array(text.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.debugDescription == "all names together have more than 100000 levels (10 × limits.pairs)")
    }
}
