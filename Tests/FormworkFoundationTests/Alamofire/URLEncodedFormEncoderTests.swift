import FormworkFoundation
import FormworkMigration
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("URLEncodedFormEncoder: nothing is lost silently", .timeLimit(.minutes(10)))
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
        let error = try #require(throws: EncodingError.self) {
            let _: String = try safe.encode(["a": Twice(first: 1, second: 2)])
        }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["a", "key"])
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
        Lossy(testDescription: "elements without values", path: "list.0", message: "element of an array") {
            ["list": [Counted(q: nil), Counted(q: 1)]]
        },
        Lossy(testDescription: "a member of some elements", path: "list", message: "arrayEncoding") {
            ["list": [["p": 1], ["p": 2, "q": 1]]]
        },
        Lossy(testDescription: "arrays within arrays", path: "a", message: "indexInBrackets") { ["a": [[1], [2]]] },
        Lossy(
            testDescription: "objects within arrays without brackets", path: "a", message: "arrayEncoding",
            encoder: { URLEncodedFormEncoder(arrayEncoding: .noBrackets) }, value: { ["a": [["x": 1]]] }),
        Lossy(testDescription: "an empty key", path: "a.", message: "The key \"\"") { ["a": ["": "x"]] },
        Lossy(testDescription: "a bracket in a key", path: "a[b", message: "The key \"a[b\"") { ["a[b": "x"] },
        Lossy(
            testDescription: "a dot in a key", path: "a.b.c", message: "keyPathEncoding's dot",
            encoder: { URLEncodedFormEncoder(keyPathEncoding: .dots) }, value: { ["a": ["b.c": "x"]] }),
        Lossy(testDescription: "an empty array in a dictionary", path: "a.y", message: "its key would be lost") {
            ["a": ["x": ["1"], "y": []]]
        },
        Lossy(testDescription: "nil in a dictionary", path: "a", message: "its key would be lost") {
            ["a": nil, "b": "x"] as [String: String?]
        },
        Lossy(testDescription: "nil in an array", path: "a.1", message: "element of an array") {
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
            testDescription: "keys of a dictionary that change", path: "oneTwo",
            message: "a dictionary's key \"oneTwo\" would be read as \"one_two\"",
            encoder: { URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase) }, value: { ["oneTwo": 1] }),
        Lossy(
            testDescription: "keys of a pattern that change", path: "key5",
            message: "a dictionary's key \"key5\" would be read as \"KEY5\"",
            encoder: { URLEncodedFormEncoder(keyEncoding: .uppercased) }, value: { Patterned(values: [5: "b"]) }),
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
        Lossy(testDescription: "a URL with a base", path: "u", message: "read as its absoluteURL") {
            ["u": URL(string: "b/c", relativeTo: URL(string: "https://a.b/"))]
        },
        Lossy(
            testDescription: "65 levels", path: Array(repeating: "a", count: 65).joined(separator: ".") + ".x",
            message: "64 levels"
        ) {
            (0..<65).reduce(Deep(a: nil, x: 1)) { deep, _ in Deep(a: [deep].first, x: nil) }
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

    @Test("A value of more than 512 levels is refused, even where Alamofire has no limit")
    func deepValue() throws {
        func deep(_ levels: Int) -> Deep {
            (1..<levels).reduce(Deep(a: nil, x: 1)) { deep, _ in Deep(a: deep, x: nil) }
        }
        let exact = URLEncodedFormEncoder(compatibility: .exact)
        #expect(try (exact.encode(deep(512)) as String).hasSuffix("%5Bx%5D=1"))
        let error = try #require(throws: EncodingError.self) { try exact.encode(deep(514)) as String }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.debugDescription == "The value nests deeper than 512 levels.")
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

    // The texts are what ISO8601DateFormatter gives, which Alamofire asks.
    @Test(
        "A date in ISO 8601 is its millisecond's second",
        arguments: [
            (0.999, "2001-01-01T00:00:00Z"), (0.9994, "2001-01-01T00:00:00Z"), (0.9995, "2001-01-01T00:00:01Z"),
            (0.9999999, "2001-01-01T00:00:01Z"), (-0.0005, "2001-01-01T00:00:00Z"), (-0.0006, "2000-12-31T23:59:59Z"),
            (1_000_000_000.9995, "2032-09-09T01:46:41Z"), (-2_655_815_722.0005, "1916-11-04T09:24:37Z"),
            (202_529_436.99949998, "2007-06-03T02:10:37Z"), (-12_000_000_000, "1620-09-26T02:40:00Z"),
        ])
    func iso8601(time: TimeInterval, text: String) throws {
        let date = Date(timeIntervalSinceReferenceDate: time)
        for compatibility in [Compatibility.safe, .exact] {
            let encoder = URLEncodedFormEncoder(dateEncoding: .iso8601, compatibility: compatibility)
            #expect(try encoder.encode(["d": date]) == "d=\(text.replacing(":", with: "%3A"))")
        }
    }

    @Test("A date that ISO 8601 has no text for is refused", arguments: [1e20, -1e20, -1e12, 1e13])
    func distantDates(time: TimeInterval) throws {
        let date = Date(timeIntervalSince1970: time)
        #expect(throws: EncodingError.self) {
            try URLEncodedFormEncoder(dateEncoding: .iso8601).encode(["d": date]) as String
        }
        let exact = URLEncodedFormEncoder(dateEncoding: .iso8601, compatibility: .exact)
        #expect(try (exact.encode(["d": date]) as String).hasPrefix("d="))
    }

    @Test("A key that is a number, also one below 0, is an index to Alamofire alone")
    func negativeKeys() throws {
        let (safe, exact) = (URLEncodedFormEncoder(), URLEncodedFormEncoder(compatibility: .exact))
        for key in ["-1", "1"] {
            #expect(try safe.encode([key: "x"]) == "\(key)=x")
            let error = #expect(throws: URLEncodedFormEncoder.Error.self) { try exact.encode([key: "x"]) as String }
            #expect(error?.errorDescription?.contains("an array") == true)
            #expect(try safe.encode(["a": [key: "x"]]) == "a%5B\(key)%5D=x")
            #expect(try exact.encode(["a": [key: "x"]]) == "a%5B%5D=x")
        }
        // Alamofire ends the process here.
        #expect(try exact.encode(["a": ["-1": ["b": "x"]]]) == "a%5B%5D%5Bb%5D=x")
        #expect(try exact.encode(["a": ["-1": "x", "-2": "x"]]) == "a%5B%5D=x&a%5B%5D=x")
        #expect(try URLEncodedFormDecoder().decode([String: String].self, from: "-1=x&0=y") == ["-1": "x", "0": "y"])
    }

    @Test("A root without names is an error of one sentence")
    func root() {
        for (text, error) in [
            (
                "an array",
                #expect(throws: URLEncodedFormEncoder.Error.self) { try URLEncodedFormEncoder().encode([1]) as String }
            ),
            (
                "a single value",
                #expect(throws: URLEncodedFormEncoder.Error.self) { try URLEncodedFormEncoder().encode("x") as String }
            ),
            (
                "a single value",
                #expect(throws: URLEncodedFormEncoder.Error.self) {
                    try URLEncodedFormEncoder().encode(URL(filePath: "/tmp")) as String
                }
            ),
        ] {
            let words = "\(text) has no names to write: use a struct or a dictionary"
            #expect(error.map { "\($0)" } == words)
            #expect(error?.localizedDescription == "The parameters can't be encoded: \(words).")
        }
        let wrapped = #expect(throws: AFError.self) {
            try URLEncodedFormParameterEncoder.default.encode([1], into: URLRequest(url: "http://a.b", method: .post))
        }
        #expect(
            wrapped?.errorDescription
                == "The parameters can't be encoded: the encoder failed (an array has no names to write: use "
                + "a struct or a dictionary).")
    }

    @Test("A nil encoding may refuse nil")
    func refusedNil() throws {
        struct Refusal: Error {}
        struct Row: Encodable {
            var a: Int?
            var b: [Int?] = []
        }
        let encoder = URLEncodedFormEncoder(nilEncoding: .init { throw Refusal() })
        #expect(try encoder.encode(Row(a: 1, b: [2])) == "a=1&b%5B%5D=2")
        #expect(throws: Refusal.self) { try encoder.encode(Row(a: nil)) as String }
        #expect(throws: Refusal.self) { try encoder.encode(Row(a: 1, b: [nil])) as String }
        #expect(throws: Refusal.self) { try encoder.encode(["a": Int?.none]) as String }
        #expect(try URLEncodedFormDecoder(for: encoder).decode([String: Int].self, from: "a=1") == ["a": 1])
    }

    @Test("Parameters may nest deeper than the stack would allow, and keep their order")
    func deepParameters() throws {
        let request = try URLRequest(url: "https://example.com", method: .post)
        let levels = 20_000
        let value = (0..<levels).reduce(into: 1 as any Sendable) { value, _ in value = [value] }
        // Releasing such a value would overflow the stack, too.
        _ = Unmanaged.passRetained(Kept(value))
        let pairs = URLEncoding.default.queryComponents(fromKey: "a", value: value)
        #expect(pairs.count == 1 && pairs[0].0.utf8.count == 1 + 6 * levels && pairs[0].1 == "1")
        let encoding = URLEncoding(arrayEncoding: .custom { "\($0).\($1)" })
        let body = try encoding.encode(request, with: ["b": [1, [2, 3]] as [any Sendable], "a": ["d": 4, "c": 5]])
        #expect(body.httpBody == Data("a%5Bc%5D=5&a%5Bd%5D=4&b.0=1&b.1.0=2&b.1.1=3".utf8))
    }

    private final class Kept {
        let value: any Sendable
        init(_ value: any Sendable) { self.value = value }
    }

    @Test("A property list can be binary, and what is none is an error")
    func propertyLists() throws {
        let request = try URLRequest(url: "https://example.com", method: .post)
        let body = try PropertyListEncoding.binary.encode(request, with: ["a": 1]).httpBody ?? Data()
        #expect(body.starts(with: Data("bplist00".utf8)))
        let error = #expect(throws: AFError.self) {
            try PropertyListEncoding.xml.encode(request, with: ["a": NSNull()])
        }
        guard case .parameterEncodingFailed(.propertyListEncodingFailed)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            error?.errorDescription?.hasPrefix(
                "The parameters can't be encoded: they can't be written as a property list (") == true)
        #expect(error?.underlyingError != nil)
    }

    /// Its keys have a pattern: `key0`, `key5`.
    struct Patterned: Codable, Equatable {
        struct Key: CodingKey {
            var number: Int
            var stringValue: String { "key\(self.number)" }
            var intValue: Int? { nil }
            init(number: Int) { self.number = number }
            init?(intValue: Int) { nil }
            init?(stringValue: String) {
                guard stringValue.hasPrefix("key"), let number = Int(stringValue.dropFirst(3)) else { return nil }
                self.init(number: number)
            }
        }
        var values: [Int: String]

        init(values: [Int: String]) { self.values = values }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            self.values = [:]
            for key in container.allKeys {
                self.values[key.number] = try container.decode(String.self, forKey: key)
            }
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for (number, value) in self.values { try container.encode(value, forKey: Key(number: number)) }
        }
    }

    @Test("Keys of a pattern that don't change come back")
    func patterns() throws {
        let text: String = try URLEncodedFormEncoder(keyEncoding: .lowercased).encode(Patterned(values: [5: "b"]))
        #expect(text == "key5=b")
        let decoder = URLEncodedFormDecoder(for: URLEncodedFormEncoder(keyEncoding: .lowercased))
        #expect(try decoder.decode(Patterned.self, from: text) == Patterned(values: [5: "b"]))
    }

    struct Extended: Codable, Equatable {
        struct Address: Codable, Equatable { var city: String? }
        var userName = "a"
        var extra: [String: String] = [:]
        var address = Address()
        var phones: [Address] = []
    }

    /// A key may be any text, but the members are known.
    struct OpenKeys: Codable, Equatable {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        var a: Int?, b: Int?

        init(a: Int? = nil, b: Int? = nil) { (self.a, self.b) = (a, b) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            self.a = try container.decodeIfPresent(Int.self, forKey: Key(stringValue: "a"))
            self.b = try container.decodeIfPresent(Int.self, forKey: Key(stringValue: "b"))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(self.a, forKey: Key(stringValue: "a"))
            try container.encodeIfPresent(self.b, forKey: Key(stringValue: "b"))
        }
    }

    @Test("An empty dictionary and nil are accepted whatever else is left out")
    func emptyDictionary() throws {
        let (encoder, decoder) = (
            URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase),
            URLEncodedFormDecoder(for: URLEncodedFormEncoder(keyEncoding: .convertToSnakeCase))
        )
        #expect(try encoder.encode(Extended()) == "user_name=a")
        #expect(try decoder.decode(Extended.self, from: "user_name=a") == Extended())
        let phones = Extended(phones: [.init(city: "b")])
        #expect(try URLEncodedFormEncoder().encode(phones) == "phones%5B%5D%5Bcity%5D=b&userName=a")
        #expect(try encoder.encode(OpenKeys(a: 1)) == "a=1")
        #expect(try encoder.encode(["x": OpenKeys(a: 1)]) == "x%5Ba%5D=1")
        #expect(try decoder.decode(OpenKeys.self, from: "a=1") == OpenKeys(a: 1))
    }

    @Test("A dictionary whose values have names of their own is refused: its keys are in no name")
    func keysWithoutName() throws {
        let encoder = URLEncodedFormEncoder(arrayEncoding: .custom { "x\($1)" })
        let error = try #require(throws: EncodingError.self) { let _: String = try encoder.encode(["d": ["a": [1]]]) }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.debugDescription.contains("its name isn't in the text"), "\(context.debugDescription)")
    }
}
