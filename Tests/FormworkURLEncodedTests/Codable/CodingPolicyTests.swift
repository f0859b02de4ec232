@testable import FormworkURLEncoded
import TestSupport
import Testing

extension CodingPolicy {
    fileprivate convenience init(
        arrays: Flattening.ArrayNames = .brackets, members: Flattening.MemberNames = .brackets
    ) {
        var dialect = CodingPolicy.swift
        (dialect.flattening.arrays, dialect.flattening.members) = (arrays, members)
        if members.areDots { dialect.expansion = .dots }
        self.init(dialect)
    }

    fileprivate func encodeText(_ value: some Encodable) throws -> String {
        String(decoding: try self.encode(value), as: UTF8.self)
    }
}

@Suite("CodingPolicy: types of the standard library, without Foundation", .timeLimit(.minutes(10)))
struct CodingPolicyTests {
    struct Inner: Codable, Equatable {
        var b: [Int]
        var c: [String: Bool]
    }

    struct Form: Codable, Equatable {
        var text = "é &+"
        var whole = -7
        var half: Float = 0.5
        var double = 1e20
        var isOn = true
        var nothing: Int?
        var inner = Inner(b: [3, 1, 2], c: ["7": false, "a": true])
        var list: [Inner] = [Inner(b: [1], c: ["x": true]), Inner(b: [2, 3], c: ["x": false])]
    }

    @Test("Each dialect writes a value in its way, and reads it back")
    func dialects() throws {
        let form = Form(half: 0.25, double: 1e20, list: [])
        let text =
            "text=%C3%A9+%26%2B&whole=-7&half=0.25&double=1.0E%2B20&isOn=1&inner%5Bb%5D%5B0%5D=3&inner%5Bb%5D%5B1%5D=1"
            + "&inner%5Bb%5D%5B2%5D=2&inner%5Bc%5D%5B7%5D=0&inner%5Bc%5D%5Ba%5D=1"
        // A dictionary's order is its own.
        #expect(try Set(URLEncodedDialect.php.encode(form).split(separator: "&")) == Set(text.split(separator: "&")))
        #expect(try URLEncodedDialect.php.decode(Form.self, from: text) == form)
        let rails =
            "double=1.0e%2B20&half=0.25&inner%5Bb%5D%5B%5D=3&inner%5Bb%5D%5B%5D=1&inner%5Bb%5D%5B%5D=2"
            + "&inner%5Bc%5D%5B7%5D=false&inner%5Bc%5D%5Ba%5D=true&isOn=true&text=%C3%A9+%26%2B&whole=-7"
        #expect(try URLEncodedDialect.rails.encode(form) == rails)
        let list = ["list": [["a": 1], ["b": 2]]]
        let error = #expect(throws: EncodingError.self) { try URLEncodedDialect.rails.encode(list) }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["list"])
        #expect(
            context.debugDescription.hasSuffix(
                "2 elements would be read as 1: use the same members in each object, or another dialect."))
    }

    @Test("A dialect's refusals are one sentence, and name no option that it doesn't have")
    func refusals() {
        func message(_ dialect: URLEncodedDialect, _ value: some Encodable) -> String? {
            let error = #expect(throws: EncodingError.self) { try dialect.encode(value) }
            guard case .invalidValue(_, let context)? = error else { return nil }
            return context.debugDescription
        }
        let different = "This dialect would read it back as another value: "
        // Names aren't split, so an index wouldn't help.
        #expect(
            message(.whatwg, ["a": [1, 2]])
                == different + "Flattening.arrays loses information that decoding needs: 2 elements would be read "
                + "as 0: use repeated for single values, or another dialect.")
        #expect(message(.php, ["a": Double.infinity]) == "inf is not a finite number.")
        #expect(message(.rails, ["a]": ["b": 1]])?.hasSuffix("..") == false)
        #expect(
            message(.facebook, ["a": ["b": 1]]) == "\"a\" is an array or an object, which this dialect can't write.")
    }

    @Test("A dialect reads an array from any numbers, and says so")
    func numbers() throws {
        let error = #expect(throws: DecodingError.self) {
            try URLEncodedDialect.php.decode([String: [Int]].self, from: "a[x]=1")
        }
        guard case .typeMismatch(_, let context)? = error else { return }
        #expect(
            context.debugDescription
                == "An array needs fields with the same name, with [] after it, or with numbers in brackets; a dictionary "
                + "reads other names.")
    }

    @Test("Variables are values, and a path leads to a value")
    func variables() throws {
        let (page, query, isNew, ratio) = (UInt8(2), "fog", true, 0.5)
        #expect(
            try URLEncodedDialect.php.encode([
                "page": ParameterValue(page), "q": ParameterValue(query), "new": ParameterValue(isNew),
                "ratio": ParameterValue(ratio), "big": ParameterValue(UInt128.max),
            ]) == "page=2&q=fog&new=1&ratio=0.5&big=340282366920938463463374607431768211455")
        // A Float isn't the Double nearest to it, 0.10000000149011612.
        #expect(ParameterValue(Float(0.1)) == 0.1 && ParameterValue("a fog".dropFirst(2)) == "fog")
        #expect(try URLEncodedDialect.alamofire.encode(["page": page]) == "page=2")
        let tree = try URLEncodedDialect.php.decode("crew[mate]=J%C3%BCrgen&crew[age]=7")
        #expect(tree["crew", "mate"]?.string == "Jürgen")
        #expect(tree["crew", "cook"] == nil && tree["crew"]?.string == nil && tree["crew", "mate", "x"] == nil)
    }

    @Test("A root that is no object is refused, an empty one is empty")
    func roots() throws {
        #expect(throws: InvalidRoot.array) { try CodingPolicy().encodeText([1]) }
        #expect(throws: InvalidRoot.singleValue) { try CodingPolicy().encodeText(1) }
        #expect(try CodingPolicy().encodeText([Int]()) == "")
        #expect(try CodingPolicy().encodeText([String: Int]()) == "")
    }

    struct Spellings: Decodable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        var values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            self.values = try ["\u{E9}", "e\u{301}"].map {
                try container.decode(String.self, forKey: Key(stringValue: $0))
            }
        }
    }

    @Test("Two spellings of é are two names")
    func spellings() throws {
        let text = Array("e%CC%81=decomposed&%C3%A9=composed".utf8)
        #expect(try CodingPolicy().decode(Spellings.self, from: text).values == ["composed", "decomposed"])
    }

    @Test("A bracket is a byte, whatever combines with it")
    func combining() throws {
        let value = ["a": ["\u{301}b\u{301}": "1"]]
        let text = try CodingPolicy().encode(value)
        #expect(try CodingPolicy().decode([String: [String: String]].self, from: text) == value)
        let dots = Array("a.%CC%81b=1".utf8)
        let decoding = CodingPolicy(members: .dots)
        #expect(try decoding.decode([String: [String: String]].self, from: dots) == ["a": ["\u{301}b": "1"]])
    }

    struct Path: Encodable {
        enum Key: String, CodingKey { case outer, inner }
        struct Probe: Encodable {
            func encode(to encoder: any Encoder) throws {
                #expect(encoder.codingPath.map(\.stringValue) == ["outer", "1", "inner"])
                #expect(encoder.codingPath.map(\.intValue) == [nil, 1, nil])
                #expect(encoder.userInfo.isEmpty)
                var container = encoder.singleValueContainer()
                try container.encode(1)
                #expect(throws: EncodingError.self) { try container.encode(2) }
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var elements = container.nestedUnkeyedContainer(forKey: .outer)
            try elements.encode(0)
            var members = elements.nestedContainer(keyedBy: Key.self)
            try members.encode(Probe(), forKey: .inner)
            #expect(elements.count == 2)
        }
    }

    @Test("The coding path is known at every level")
    func codingPath() throws {
        #expect(try CodingPolicy(arrays: .indexed).encodeText(Path()) == "outer%5B0%5D=0&outer%5B1%5D%5Binner%5D=1")
    }

    /// Two members of its own type, each tried before the text.
    private indirect enum Filter: Decodable, Equatable {
        case not(Filter), never(Filter), name(String)

        enum CodingKeys: CodingKey { case not, never, name }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let filter = try? container.decode(Filter.self, forKey: .not) {
                self = .not(filter)
            } else if let filter = try? container.decode(Filter.self, forKey: .never) {
                self = .never(filter)
            } else {
                self = .name(try container.decode(String.self, forKey: .name))
            }
        }
    }

    @Test("A type that tries itself first ends where nothing was sent")
    func recursive() throws {
        let decoding = CodingPolicy()
        #expect(try decoding.decode(Filter.self, from: Array("name=a".utf8)) == .name("a"))
        #expect(try decoding.decode(Filter.self, from: Array("never[not][name]=a".utf8)) == .never(.not(.name("a"))))
        #expect(throws: DecodingError.self) { try decoding.decode(Filter.self, from: Array("other=a".utf8)) }
    }

    /// A class, as only classes can have themselves as an optional member.
    private final class Node: Decodable {
        var name: String?
        var next: Node?
        var tags: [String]?
    }

    private final class Endless: Decodable { var next: Endless? }

    /// Elements have names beside the members: `tags_0`.
    private static var named: CodingPolicy { CodingPolicy(arrays: .custom { "\($0)_\($1)" }) }

    @Test("An element's name isn't read as a member of a type that has itself as a member")
    func namedElements() throws {
        let node = try Self.named.decode(Node.self, from: Array("next_0=1&tags_0=a&tags_1=b".utf8))
        #expect(node.tags == ["a", "b"])
        #expect(node.next?.tags == nil && node.next?.next == nil)
        let endless = CodingPolicy(arrays: .custom { _, _ in "x" })
        let other = try endless.decode(Endless.self, from: Array("x=1".utf8))
        #expect(other.next != nil && other.next?.next == nil)
    }

    @Test("Named elements of a member that wasn't sent are its own, not those of the same name around it")
    func namesBelowNothing() throws {
        struct Inner: Decodable { var tags: [String] }
        struct Outer: Decodable { var inner: Inner, tags: [String] }
        let outer = try Self.named.decode(Outer.self, from: Array("tags_0=a".utf8))
        #expect(outer.tags == ["a"])
        #expect(outer.inner.tags == [])
    }

    /// Two members of its own type, each tried before the text, through a decoder.
    private indirect enum Branch: Decodable, Equatable {
        case not(Branch), never(Branch), name(String)

        enum CodingKeys: CodingKey { case not, never, name }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let inner = try? container.superDecoder(forKey: .not), let branch = try? Branch(from: inner) {
                self = .not(branch)
            } else if let inner = try? container.superDecoder(forKey: .never), let branch = try? Branch(from: inner) {
                self = .never(branch)
            } else {
                self = .name(try container.decode(String.self, forKey: .name))
            }
        }
    }

    @Test("A type that tries itself first through a decoder ends where nothing was sent")
    func recursiveDecoder() throws {
        let decoding = CodingPolicy()
        #expect(try decoding.decode(Branch.self, from: Array("name=a".utf8)) == .name("a"))
        #expect(try decoding.decode(Branch.self, from: Array("never[not][name]=a".utf8)) == .never(.not(.name("a"))))
        #expect(throws: DecodingError.self) { try decoding.decode(Branch.self, from: Array("other=a".utf8)) }
    }

    @Test("Superclasses that wrote nothing are read, one below another")
    func absentSuperclasses() throws {
        #expect(try CodingPolicy().decode(Superclasses.self, from: Array("c=1".utf8)).c == 1)
    }

    private struct Pair: Decodable {
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            _ = try (list.decode(Int.self), list.decode(Int.self))
        }
    }

    @Test("A list that is too short is reported with its length and the index that is missing")
    func shortList() {
        let error = #expect(throws: DecodingError.self) {
            try CodingPolicy().decode([String: Pair].self, from: Array("pair[]=1".utf8))
        }
        guard case .valueNotFound(_, let context) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(context.debugDescription == "There are no more elements.")
        #expect(context.codingPath.map(\.stringValue) == ["pair", "1"])
    }

    @Test("An error shows 40 scalars of a text, even of one character")
    func shownText() {
        let marks = String(repeating: "\u{301}", count: 100_000)
        let shown = String(repeating: "\u{301}", count: 39)
        func message<Value: Decodable>(_ type: Value.Type, _ text: String) -> String? {
            let error = #expect(throws: DecodingError.self) {
                try CodingPolicy().decode([String: Value].self, from: Array(text.utf8))
            }
            guard case .dataCorrupted(let context) = error else { return nil }
            return context.debugDescription
        }
        #expect(message(Int.self, "n=1\(marks)") == "\"1\(shown)…\" is not a valid Int.")
        #expect(message(Bool.self, "n=1\(marks)") == "\"1\(shown)…\" is not a valid Bool.")
        let deep = String(repeating: "[a]", count: 100)
        #expect(
            message(Int.self, "n\(marks)\(deep)=1")
                == "the name \"n\(shown)…\" nests deeper than 64 levels (limits.depth)")
    }

    /// A type's own calls at one place.
    private struct Calls: Encodable {
        enum Key: CodingKey { case a, b }
        var calls: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try self.calls(encoder) }
    }

    private static let misuses: [(path: String, calls: @Sendable (any Encoder) throws -> Void)] = [
        (
            "x.a",
            {
                var members = $0.container(keyedBy: Calls.Key.self)
                try members.encode([1], forKey: .a)
                try members.encode([2], forKey: .a)
            }
        ),
        (
            "x.a",
            {
                var members = $0.container(keyedBy: Calls.Key.self)
                try members.encode(["b": 1], forKey: .a)
                try members.encode(["c": 1], forKey: .a)
            }
        ),
        (
            "x.a",
            {
                var members = $0.container(keyedBy: Calls.Key.self)
                try members.encode(1, forKey: .a)
                try members.encodeNil(forKey: .a)
            }
        ),
        (
            "x.a",
            {
                var members = $0.container(keyedBy: Calls.Key.self)
                try members.encode([1], forKey: .a)
                try members.encode([Int](), forKey: .a)
            }
        ),
    ]

    @Test("A second array, object or nil of a key is refused with its path", arguments: misuses.indices)
    func writtenTwice(index: Int) throws {
        let (path, calls) = Self.misuses[index]
        let value = ["x": Calls(calls: calls)]
        let error = try #require(throws: EncodingError.self) { try CodingPolicy().encodeText(value) }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == path)
        #expect(context.debugDescription.hasPrefix("There is already a value here"))
    }

    @Test("An element that is written twice is refused: it would become two")
    func elementsWrittenTwice() throws {
        let misuses: [@Sendable (any Encoder) throws -> Void] = [
            {
                var (first, second) = ($0.singleValueContainer(), $0.singleValueContainer())
                try first.encode(1)
                try second.encode(2)
            },
            {
                var (first, second) = ($0.singleValueContainer(), $0.singleValueContainer())
                try first.encode(1)
                try second.encode(1)
            },
            {
                var (first, second) = ($0.singleValueContainer(), $0.unkeyedContainer())
                try first.encode(1)
                try second.encode(2)
            },
            {
                var (first, second) = ($0.container(keyedBy: Calls.Key.self), $0.singleValueContainer())
                try first.encode(1, forKey: .a)
                try second.encode(2)
            },
        ]
        for calls in misuses {
            #expect(throws: EncodingError.self) {
                try CodingPolicy(arrays: .indexed).encodeText(["x": [Calls(calls: calls)]])
            }
        }
    }

    @Test("Containers that are asked for twice are one, and nil before a value is replaced")
    func continued() throws {
        let calls = Calls { encoder in
            var members = encoder.container(keyedBy: Calls.Key.self)
            try members.encodeNil(forKey: .a)
            var first = members.nestedUnkeyedContainer(forKey: .a)
            try first.encode(1)
            var second = members.nestedUnkeyedContainer(forKey: .a)
            try second.encode(2)
            var one = members.nestedContainer(keyedBy: Calls.Key.self, forKey: .b)
            try one.encode("c", forKey: .a)
            var other = members.nestedContainer(keyedBy: Calls.Key.self, forKey: .b)
            try other.encode("d", forKey: .b)
            try other.encode("d", forKey: .b)
        }
        #expect(
            try CodingPolicy().encodeText(["x": calls])
                == "x%5Ba%5D%5B%5D=1&x%5Ba%5D%5B%5D=2&x%5Bb%5D%5Ba%5D=c&x%5Bb%5D%5Bb%5D=d")
    }

    /// Values in values, without any text between them: arrays, or single values, which have no levels in a name.
    private final class Nest: Encodable, Sendable {
        let (inner, isArray): (Nest?, Bool)
        init(_ inner: Nest?, isArray: Bool) { (self.inner, self.isArray) = (inner, isArray) }
        func encode(to encoder: any Encoder) throws {
            var (list, value) = (encoder.unkeyedContainer(), encoder.singleValueContainer())
            if self.isArray {
                if let inner { try list.encode(inner) } else { try list.encode(1) }
            } else {
                if let inner { try value.encode(inner) } else { try value.encode(1) }
            }
        }
    }

    @Test("Values in thousands of values are refused, and don't overflow the stack", arguments: [true, false])
    func deepValues(areArrays: Bool) throws {
        let deep = (0..<5_000).reduce(Nest(nil, isArray: areArrays)) { inner, _ in Nest(inner, isArray: areArrays) }
        let error = try #require(throws: EncodingError.self) {
            try CodingPolicy(arrays: .indexed).encodeText(["a": deep])
        }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.debugDescription.contains("The name nests deeper than 64 levels"))
        #expect(context.codingPath.count == (areArrays ? 513 : 1))
    }
}
