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

    @Test("Members of an element behind a hole stay together; Alamofire makes an element of each")
    func holes() throws {
        let array = URLEncodedFormEncoder.ArrayEncoding.indexInBrackets
        #expect(
            try URLEncodedFormEncoder(arrayEncoding: array).encode(Holes())
                == "list%5B0%5D%5Ba%5D=1&list%5B0%5D%5Bb%5D=2")
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
        let encoder = URLEncodedFormEncoder(allowedCharacters: CharacterSet(charactersIn: "b&="))
        #expect(try encoder.encode(["ab&=": "abcdefgh"]) == "%61b&==%61b%63%64%65%66%67%68")
        encoder.allowedCharacters = .afURLQueryAllowed
        #expect(try encoder.encode(["ab&=": "abcdefgh"]) == "ab%26%3D=abcdefgh")
    }

    @Test("Big integers have all their digits")
    func wide() throws {
        #expect(try URLEncodedFormEncoder().encode(["a": UInt128.max]) == "a=340282366920938463463374607431768211455")
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
