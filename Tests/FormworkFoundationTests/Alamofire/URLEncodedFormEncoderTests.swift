import FormworkFoundation
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("URLEncodedFormEncoder: nothing is lost silently")
struct URLEncodedFormEncoderTests {
    private struct Twice: Encodable {
        var first: Int
        var second: Int
        enum Key: String, CodingKey { case key }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(self.first, forKey: .key)
            try container.encode(self.second, forKey: .key)
        }
    }

    @Test("A key may be given the same value again, another one is an error; Alamofire takes the last")
    func twice() throws {
        let (safe, exact) = (URLEncodedFormEncoder(), URLEncodedFormEncoder(compatibility: .exact))
        #expect(try safe.encode(Twice(first: 1, second: 1)) == "key=1")
        #expect(try exact.encode(Twice(first: 1, second: 2)) == "key=2")
        #expect(throws: EncodingError.self) { let _: String = try safe.encode(Twice(first: 1, second: 2)) }
    }

    private struct Kinds: Encodable {
        enum Key: String, CodingKey { case a, b }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .a)
            var elements = container.nestedUnkeyedContainer(forKey: .a)
            try elements.encode(2)
            var members = container.nestedContainer(keyedBy: Key.self, forKey: .a)
            try members.encode(3, forKey: .b)
            try container.encode(["x": "y"], forKey: .b)
            try container.encode(["z": "y"], forKey: .b)
        }
    }

    @Test("A container of another kind replaces what stood there only for Alamofire")
    func kinds() throws {
        #expect(
            try URLEncodedFormEncoder(compatibility: .exact).encode(Kinds()) == "a%5Bb%5D=3&b%5Bx%5D=y&b%5Bz%5D=y")
        let error = try #require(throws: EncodingError.self) {
            let _: String = try URLEncodedFormEncoder().encode(Kinds())
        }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["a"])
    }

    private struct Holes: Encodable {
        struct Pair: Encodable {
            var a = 1
            var b = 2
        }
        var list: [Pair?] = [nil, Pair()]
    }

    @Test("A hole in an array is refused; Alamofire makes an element of each member behind it")
    func holes() throws {
        let array = URLEncodedFormEncoder.ArrayEncoding.indexInBrackets
        #expect(throws: EncodingError.self) {
            let _: String = try URLEncodedFormEncoder(arrayEncoding: array).encode(Holes())
        }
        #expect(
            try URLEncodedFormEncoder(arrayEncoding: array, compatibility: .exact).encode(Holes())
                == "list%5B0%5D%5Ba%5D=1&list%5B1%5D%5Bb%5D=2")
    }

    @Test("What lies deeper behind a hole is split for Alamofire too")
    func deepHoles() throws {
        let encoder = URLEncodedFormEncoder(arrayEncoding: .indexInBrackets, compatibility: .exact)
        let list: [[[Int]]?] = [nil, [[1, 2]]]
        let expected = "list%5B0%5D%5B0%5D%5B0%5D=1&list%5B1%5D%5B0%5D%5B0%5D=2"
        #expect(try encoder.encode(["list": list]) == expected)
    }

    @Test("A set of allowed characters without letters escapes them")
    func allowed() throws {
        let encoder = URLEncodedFormEncoder(allowedCharacters: CharacterSet(charactersIn: "b&="), compatibility: .exact)
        #expect(try encoder.encode(["ab&=": "abcdefgh"]) == "%61b&==%61b%63%64%65%66%67%68")
        let safe = URLEncodedFormEncoder(allowedCharacters: CharacterSet(charactersIn: "b&=%"))
        #expect(try safe.encode(["ab&=": "%cd"]) == "%61b%26%3D=%25%63%64")
        encoder.allowedCharacters = .afURLQueryAllowed
        #expect(try encoder.encode(["ab&=": "abcdefgh"]) == "ab%26%3D=abcdefgh")
    }

    @Test("Big integers have all their digits")
    func wide() throws {
        #expect(try URLEncodedFormEncoder().encode(["a": UInt128.max]) == "a=340282366920938463463374607431768211455")
    }

    struct Lossy: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// `nil` for the whole value.
        var path: String
        var message: String
        var encoder: @Sendable () -> URLEncodedFormEncoder = { URLEncodedFormEncoder() }
        var value: @Sendable () -> any Encodable
    }

    struct Counted: Codable, Equatable { var q: Int? }
    struct Maybe: Codable, Equatable { var word: String?, list: [String]?, count: Double?, inner: Counted? }
    enum Case: Codable { case empty }
    struct Cased: Codable { var a = Case.empty }
    enum Word: String, Codable { case null }

    static let lossy = [
        Lossy(testDescription: "objects that would become one", path: "a", message: "arrayEncoding") {
            ["a": [["x": "1"], ["y": "2"]]]
        },
        Lossy(testDescription: "elements without values", path: "list.0", message: "an element of an array") {
            ["list": [Counted(q: nil), Counted(q: 1)]]
        },
        Lossy(testDescription: "a member of some elements", path: "list", message: "arrayEncoding") {
            ["list": [["p": 1], ["p": 2, "q": 1]]]
        },
        Lossy(testDescription: "arrays within arrays", path: "a", message: "indexInBrackets") { ["a": [[1], [2]]] },
        Lossy(
            testDescription: "objects within arrays without brackets", path: "a", message: "arrayEncoding",
            encoder: { URLEncodedFormEncoder(arrayEncoding: .noBrackets) }, value: { ["a": [["x": 1]]] }),
        Lossy(testDescription: "an empty key", path: "a", message: "the key \"\"") { ["a": ["": "x"]] },
        Lossy(testDescription: "a bracket in a key", path: "", message: "the key \"a[b\"") { ["a[b": "x"] },
        Lossy(
            testDescription: "a dot in a key", path: "a", message: "keyPathEncoding's dot",
            encoder: { URLEncodedFormEncoder(keyPathEncoding: .dots) }, value: { ["a": ["b.c": "x"]] }),
        Lossy(testDescription: "an empty array in a dictionary", path: "a.y", message: "its key is lost") {
            ["a": ["x": ["1"], "y": []]]
        },
        Lossy(testDescription: "nil in a dictionary", path: "a", message: "its key is lost") {
            ["a": nil, "b": "x"] as [String: String?]
        },
        Lossy(testDescription: "nil in an array", path: "a.1", message: "an element of an array") {
            ["a": [1, nil]] as [String: [Int?]]
        },
        Lossy(
            testDescription: "an empty array behind an optional", path: "list", message: "optional value that is empty"
        ) {
            Maybe(list: [])
        },
        Lossy(
            testDescription: "an empty object behind an optional", path: "inner",
            message: "optional value that is empty"
        ) {
            Maybe(inner: Counted(q: nil))
        },
        Lossy(testDescription: "a case without values", path: "a.empty", message: "raw value") { Cased() },
        Lossy(
            testDescription: "text like nil", path: "word", message: "nilEncoding writes nil",
            encoder: { URLEncodedFormEncoder(nilEncoding: .null) }, value: { Maybe(word: "null") }),
        Lossy(
            testDescription: "an array like nil", path: "list", message: "nilEncoding writes nil",
            encoder: { URLEncodedFormEncoder(arrayEncoding: .noBrackets, nilEncoding: .dropValue) },
            value: { Maybe(list: [""]) }),
        Lossy(
            testDescription: "a case like nil", path: "a", message: "nilEncoding writes nil",
            encoder: { URLEncodedFormEncoder(nilEncoding: .null) }, value: { ["a": Word.null] }),
        Lossy(
            testDescription: "keys of a dictionary that change", path: "", message: "keyEncoding",
            encoder: { URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase) }, value: { ["oneTwo": 1] }),
        Lossy(
            testDescription: "keys that become one", path: "word", message: "keyEncoding",
            encoder: { URLEncodedFormEncoder(keyEncoding: .custom { _ in "same" }) },
            value: { Maybe(word: "same", list: ["same"]) }),
        Lossy(testDescription: "a number that is infinite", path: "count", message: "not a finite number") {
            Maybe(count: .infinity)
        },
        Lossy(
            testDescription: "a date that is none", path: "d", message: "not a finite number",
            encoder: { URLEncodedFormEncoder(dateEncoding: .iso8601) },
            value: { ["d": Date(timeIntervalSinceReferenceDate: .infinity)] }),
        Lossy(testDescription: "a decimal that is none", path: "d", message: "not a finite number") {
            ["d": Decimal.nan]
        },
        Lossy(
            testDescription: "65 levels", path: Array(repeating: "a", count: 64).joined(separator: "."),
            message: "64 levels"
        ) {
            (0..<64).reduce(Deep(a: nil, x: 1)) { deep, _ in Deep(a: [deep].first, x: nil) }
        },
    ]

    final class Deep: Encodable, Sendable {
        let a: Deep?, x: Int?
        init(a: Deep?, x: Int?) { (self.a, self.x) = (a, x) }
    }

    @Test("What couldn't be read back is refused with its place and the option; Alamofire writes it", arguments: lossy)
    func refused(row: Lossy) throws {
        let error = try #require(throws: EncodingError.self) { let _: String = try row.encoder().encode(row.value()) }
        guard case .invalidValue(_, let context) = error else { throw error }
        let path = context.codingPath.map { $0.intValue.map { String($0) } ?? $0.stringValue }.joined(separator: ".")
        #expect(path == row.path, "\(context.debugDescription)")
        #expect(context.debugDescription.contains(row.message), "\(context.debugDescription)")
        #expect(context.debugDescription.contains("Compatibility.exact"))
        let safe = row.encoder()
        let exact = URLEncodedFormEncoder(
            arrayEncoding: safe.arrayEncoding, dateEncoding: safe.dateEncoding, keyEncoding: safe.keyEncoding,
            keyPathEncoding: safe.keyPathEncoding, nilEncoding: safe.nilEncoding, compatibility: .exact)
        let _: String = try exact.encode(row.value())
    }

    @Test("Integers of 128 bits are written wherever they stand")
    func int128() throws {
        struct Wide: Codable, Equatable {
            var a = Int128.min, b: Int128? = .max, c = [UInt128.max], d = ["k": Int128(-1)], e: UInt128? = 0
        }
        let text: String = try URLEncodedFormEncoder().encode(Wide())
        #expect(
            text == "a=-170141183460469231731687303715884105728&b=170141183460469231731687303715884105727"
                + "&c%5B%5D=340282366920938463463374607431768211455&d%5Bk%5D=-1&e=0")
        #expect(try URLEncodedFormDecoder().decode(Wide.self, from: text) == Wide())
    }

    @Test("A date's fraction of a second is cut off in ISO 8601")
    func iso8601() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.999)
        #expect(
            try URLEncodedFormEncoder(dateEncoding: .iso8601).encode(["d": date]) == "d=2001-01-01T00%3A00%3A00Z")
    }

    @Test("A property list can be binary, and what is none is an error")
    func propertyLists() throws {
        let request = try URLRequest(url: "https://example.com", method: .post)
        let body = try PropertyListEncoding.binary.encode(request, with: ["a": 1]).httpBody ?? Data()
        #expect(body.starts(with: Data("bplist00".utf8)))
        #expect(throws: AFError.self) { try PropertyListEncoding.xml.encode(request, with: ["a": NSNull()]) }
    }
}
