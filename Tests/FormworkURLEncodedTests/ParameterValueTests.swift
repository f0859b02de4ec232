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

    @Test func `A member is found by its bytes`() throws {
        let tree = try URLEncodedDialect.alamofire.decode("e%CC%81=1&%C3%A9=2")
        #expect(tree["e\u{301}"] == "1")
        #expect(tree["\u{E9}"] == "2")
    }

    @Test("A value is shown as the literal that makes it")
    func description() throws {
        let value: ParameterValue = ["b": 1, "a": ["x\n\"", nil, true], "c": 2.5, "d": [:], "e": []]
        #expect("\(value)" == #"["b": 1, "a": ["x\n\"", nil, true], "c": 2.5, "d": [:], "e": []]"#)
        #expect("\(ParameterValue.bytes([1, 2, 3]))" == "3 bytes")
        #expect("\(ParameterValue.set([1]))" == "set [1]")
        #expect("\(value["a"] ?? nil)" == #"["x\n\"", nil, true]"#)
        let tree = try URLEncodedDialect.php.decode("tags[]=sea&tags[]=fog&crew[mate]=J%C3%BCrgen")
        #expect("\(tree)" == #"["tags": ["sea", "fog"], "crew": ["mate": "Jürgen"]]"#)
        var deep: ParameterValue = "x"
        for _ in 0..<600 { deep = [deep] }
        #expect("\(deep)".contains("…"))
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
