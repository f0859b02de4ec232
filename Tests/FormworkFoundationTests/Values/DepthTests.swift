import FormworkFoundation
import FormworkMigration
import FormworkURLEncoded
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Values that nest deeper than the stack allows", .timeLimit(.minutes(10)))
struct DepthTests {
    private final class Kept {
        let value: Any
        init(_ value: Any) { self.value = value }
    }

    /// A value that is never released: that would overflow the stack, too.
    private static func kept<Value>(_ value: Value) -> Value {
        _ = Unmanaged.passRetained(Kept(value))
        return value
    }

    private static func array(_ levels: Int) -> [Any] { self.kept((1..<levels).reduce([1]) { value, _ in [value] }) }

    private final class Node: Encodable {
        let a: Node?
        init(_ a: Node?) { self.a = a }
    }

    private static func node(_ levels: Int) -> Node {
        self.kept((1..<levels).reduce(Node(nil)) { node, _ in Node(node) })
    }

    private let request: URLRequest

    init() throws { self.request = try URLRequest(url: "http://h/", method: .post) }

    @Test("JSON of Alamofire's parameters", arguments: [512, 20_000])
    func jsonEncoding(levels: Int) throws {
        #expect(try JSONEncoding.default.encode(self.request, withJSONObject: Self.array(511)).httpBody?.count == 1023)
        let error = #expect(throws: AFError.self) {
            try JSONEncoding.default.encode(self.request, withJSONObject: Self.array(levels))
        }
        #expect((error?.underlyingError as? FormworkError)?.code == .limitExceeded)
    }

    @Test("JSON of AFNetworking's parameters", arguments: [Compatibility.safe, .exact])
    func jsonSerializer(compatibility: Compatibility) throws {
        let serializer = JSONRequestSerializer(settings: RequestSettings(compatibility: compatibility, headers: [:]))
        for levels in [512, 20_000] {
            let error = #expect(throws: RequestSerializationError.self) {
                try serializer.serialize(self.request, object: Self.array(levels))
            }
            #expect((error?.cause as? FormworkError)?.code == .limitExceeded)
        }
    }

    @Test("Property lists", arguments: [Compatibility.safe, .exact])
    func propertyList(compatibility: Compatibility) throws {
        let settings = RequestSettings(compatibility: compatibility, headers: [:])
        let serializer = PropertyListRequestSerializer(settings: settings)
        #expect(try serializer.serialize(self.request, object: Self.array(512)).httpBody != nil)
        for levels in [513, 20_000] {
            let error = #expect(throws: FormworkError.self) {
                try serializer.serialize(self.request, object: Self.array(levels))
            }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test("Facebook's queries", arguments: [Compatibility.safe, .exact])
    func facebook(compatibility: Compatibility) throws {
        let deep = Self.array(20_000)
        let error = #expect(throws: FormworkError.self) {
            try FacebookQuery.query(of: ["a": deep], compatibility: compatibility)
        }
        #expect(error?.message == #""a" nests deeper than 512 levels"#)
        #expect(try FacebookQuery.query(of: ["a": [[1]]], compatibility: .exact) == "a=[[1]]")
        #expect((FacebookQuery.requestValue(deep) as? [Any])?.count == 1)
        #expect(throws: FormworkError.self) { try FacebookQuery.json(of: deep) }
    }

    @Test("Foundation's objects of a parameter")
    func foundationObject() throws {
        func value(_ levels: Int) -> ParameterValue {
            Self.kept((0..<levels).reduce(1) { value, _ in [value] })
        }
        #expect(try (value(512).foundationObject as? [Any])?.count == 1)
        for levels in [513, 20_000] {
            let error = #expect(throws: FormworkError.self) { try value(levels).foundationObject }
            #expect(error?.code == .limitExceeded)
            #expect(error?.message == "the value nests deeper than 512 levels")
            for compatibility in [Compatibility.safe, .exact] {
                let settings = RequestSettings(compatibility: compatibility, headers: [:])
                #expect(throws: FormworkError.self) {
                    try JSONRequestSerializer(settings: settings).serialize(self.request, object: value(levels))
                }
            }
        }
    }

    @Test("Foundation's JSON encoder, of an encodable value", arguments: [513, 20_000])
    func encodable(levels: Int) throws {
        let body = try JSONParameterEncoder.default.encode(Self.node(511), into: self.request).httpBody
        #expect(body?.count == 511 * 6 - 4)
        let error = #expect(throws: AFError.self) {
            try JSONParameterEncoder.default.encode(Self.node(levels), into: self.request)
        }
        guard case EncodingError.invalidValue(_, let context)? = error?.underlyingError else {
            throw try #require(error)
        }
        #expect(context.debugDescription == "The value nests deeper than 511 levels.")
        #expect(context.codingPath.count == 512 && context.codingPath.last?.stringValue == "a")
        let other = #expect(throws: EncodingError.self) { try BodyPart(name: "a", json: Self.node(levels)) }
        guard case .invalidValue(_, let context)? = other else { throw try #require(other) }
        #expect(context.debugDescription == "The value nests deeper than 511 levels.")
    }
}
