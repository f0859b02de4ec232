import FormworkURLEncoded
import Testing

@Suite("Parameter values", .timeLimit(.minutes(10)))
struct ParameterValueTests {
    @Test("A literal keeps its order and its duplicates")
    func literal() throws {
        let value: ParameterValue = ["b": 1, "a": ["x", nil, true], "b": 2.5]
        #expect(value["b"] == 1)
        #expect(value["c"] == nil)
        #expect(try URLEncodedDialect.whatwg.encode(value) == "b=1&a%5B%5D=x&a%5B%5D=&a%5B%5D=true&b=2.5")
    }

    @Test("Hostile trees are refused by the limit's name")
    func depth() throws {
        var value: ParameterValue = "x"
        for _ in 0..<600 { value = ["a": value] }
        let error = #expect(throws: FormworkError.self) { try URLEncodedDialect.whatwg.encode(value) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.message.contains("Flattening.depth") == true)
    }
}
