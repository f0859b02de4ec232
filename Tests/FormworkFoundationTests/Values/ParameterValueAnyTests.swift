import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

@Suite("Values of Foundation and Swift as parameters", .timeLimit(.minutes(10)))
struct ParameterValueAnyTests {
    private enum Sport { case chess }

    static let scalars: [(any Sendable, ParameterValue)] = [
        ("a", "a"), ("ab".dropFirst(), "b"), (Character("é"), "é"), (5, 5), (Int8(1), 1),
        (UInt64.max, .integer(18_446_744_073_709_551_615)),
        (Int128.min, .integer(.min)), (UInt8(0), 0), (1.5, 1.5), (Float(0.1), 0.1), (CGFloat(2.5), 2.5), (true, true),
        (NSNull(), nil), (Int?.none, nil), (Int??.some(.some(3)), 3), (Data([1, 2]), .bytes([1, 2])),
        (Date(timeIntervalSinceReferenceDate: 123), "2001-01-01 00:02:03 +0000"),
        (URL(string: "http://a.b/?c#d") ?? URL(fileURLWithPath: "/"), "http://a.b/?c#d"),
        (UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)), "00010203-0405-0607-0809-0A0B0C0D0E0F"),
        (Decimal(12), 12), (Decimal(string: "0.10000000000000000000001") ?? 0, "0.10000000000000000000001"),
        (ParameterValue.set([1]), .set([1])),
    ]

    @Test("Single values", arguments: Self.scalars.indices)
    func scalar(index: Int) throws {
        #expect(try ParameterValue(Self.scalars[index].0 as Any) == Self.scalars[index].1)
    }

    @Test("Objects of Foundation: a number knows whether it was a Bool")
    func objects() throws {
        let values: [(Any, ParameterValue)] = [
            (NSNumber(value: true), true), (NSNumber(value: false), false), (NSNumber(value: 1), 1),
            (NSNumber(value: Int8(1)), 1), (NSNumber(value: 1.0), .double(1)), (NSNumber(value: Float(0.1)), 0.1),
            (NSNumber(value: UInt64.max), .integer(18_446_744_073_709_551_615)),
            (NSNumber(value: Int64.min), .integer(-9_223_372_036_854_775_808)),
            (NSDecimalNumber(string: "7"), 7), (NSDecimalNumber(string: "0.3"), "0.3"), (NSString(string: "a"), "a"),
            (NSData(data: Data([7])), .bytes([7])), (NSArray(array: [1, "b", NSNull()]), [1, "b", nil]),
            (NSDictionary(dictionary: ["b": 1, "a": NSArray(array: [true])]), ["a": [true], "b": 1]),
            (NSSet(array: ["y", "x"]), .set(["x", "y"])), (NSOrderedSet(array: [2, 1]), [2, 1]),
            (
                NSUUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F") ?? NSUUID(),
                "00010203-0405-0607-0809-0A0B0C0D0E0F"
            ),
            (NSURL(fileURLWithPath: "/a"), "file:///a"),
            (NSDate(timeIntervalSinceReferenceDate: 0), "2001-01-01 00:00:00 +0000"),
        ]
        for (any, value) in values { #expect(try ParameterValue(any) == value) }
    }

    @Test("Dictionaries are sorted, pairs keep their order and their duplicates")
    func order() throws {
        let dictionary: [String: Any] = ["c": 1, "a": [1: "x"], "b": Set([3, 1, 2])]
        #expect(try ParameterValue(dictionary) == ["a": ["1": "x"], "b": .set([1, 2, 3]), "c": 1])
        let pairs: KeyValuePairs<String, Any> = ["b": 1, "a": [String](), "b": 2]
        #expect(try ParameterValue(pairs) == ["b": 1, "a": [], "b": 2])
        let tuples: [(String, Any)] = [("b", 1), ("a", [(key: "x", value: 1 as Any)])]
        #expect(try ParameterValue(tuples) == ["b": 1, "a": ["x": 1]])
        #expect(try ParameterValue([(String, Any)]()) == [:])
        #expect(try ParameterValue([Int]()) == .array([]))
        #expect(try ParameterValue([1, 2, 3].dropFirst()) == [2, 3])
        #expect(try ParameterValue(ContiguousArray(["x"])) == ["x"])
        #expect(try ParameterValue([AnyHashable("k"): AnyHashable(1)]) == ["k": 1])
    }

    @Test("A set's elements have an order of their own, whatever they are")
    func sets() throws {
        let pieces: [[UInt8]] = [[4], [2, 9], [2], [10], [2, 1], [200], []]
        let ordered: [ParameterValue] = [[], [2], [2, 1], [2, 9], [4], [10], [200]].map { .bytes($0) }
        #expect(try ParameterValue(Set(pieces.map { Data($0) })) == .set(ordered))
        #expect(try ParameterValue(NSSet(array: pieces.map { NSData(data: Data($0)) })) == .set(ordered))
        let sets: Set<Set<String>> = [["d", "c"], ["b"], ["f", "e", "a"], ["z"], []]
        let inner: [ParameterValue] = [
            .set([]), .set(["a", "e", "f"]), .set(["b"]), .set(["c", "d"]), .set(["z"]),
        ]
        for _ in 0..<20 { #expect(try ParameterValue(Set(sets.shuffled())) == .set(inner)) }
        let objects: Set<[String: Int]> = [["b": 1, "a": 2], ["c": 1], ["a": 3], [:], ["b": 0]]
        #expect(
            try ParameterValue(objects)
                == .set([.object([]), ["a": 2, "b": 1], ["a": 3], ["b": 0], ["c": 1]]))
        #expect(try ParameterValue(Set([10, 9, -1])) == .set([-1, 10, 9]))
        let mixed: [AnyHashable] = [1, "1", Data("1".utf8), true, "true"]
        for _ in 0..<20 {
            #expect(
                try ParameterValue(Set(mixed.shuffled()))
                    == .set([.bytes([0x31]), 1, "1", true, "true"]))
        }
    }

    @Test("Members whose keys have the same text have an order, too")
    func sameNames() throws {
        let pairs: [(AnyHashable, Any)] = [(1, "x"), ("1", "y"), (Int8(2), "z")]
        for _ in 0..<20 {
            let dictionary = Dictionary(uniqueKeysWithValues: pairs.shuffled())
            #expect(
                try ParameterValue(dictionary)
                    == .object([.init("1", "x"), .init("1", "y"), .init("2", "z")]))
        }
    }

    @Test("A date without a text is named by its path")
    func dates() throws {
        for seconds in [Double.infinity, -.infinity, .nan, 1e13, -1e13] {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            for value: [String: Any] in [
                ["d": date], ["d": NSDate(timeIntervalSinceReferenceDate: seconds)], ["d": Set([date])], ["d": [date]],
            ] {
                let error = #expect(throws: FormworkError.self) { try ParameterValue(value) }
                #expect(error?.message.hasPrefix("d") ?? false)
                #expect(error?.message.hasSuffix("s after 2001: only the years 0 to 9999 are written") ?? false)
            }
        }
    }

    @Test("What no parameter can hold is named by its path")
    func refused() {
        let error = #expect(throws: FormworkError.self) {
            try ParameterValue(["user": ["tags": ["a", Sport.chess] as [Any]]])
        }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message == "user.tags[1] is of type Sport, which can't be a parameter")
        #expect(throws: FormworkError.self) { try ParameterValue(UInt128.max as Any) }
    }

    @Test("Values within values are refused at a depth, before they use up the stack")
    func depth() throws {
        let deep = { (levels: Int) in
            var value: Any = 1
            for level in 0..<levels { value = level.isMultiple(of: 2) ? [value] : ["a": value] as Any }
            return value
        }
        _ = try ParameterValue(deep(512))
        for levels in [513, 3000] {
            let error = #expect(throws: FormworkError.self) { try ParameterValue(deep(levels)) }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test("Back to what Foundation's serializers take")
    func foundation() throws {
        let value: ParameterValue = [
            "a": [1, 1.5, nil, true, "x"], "b": .integer(.init(UInt64.max)), "b": .integer(.max),
        ]
        let data = try JSONSerialization.data(withJSONObject: value.foundationObject, options: .sortedKeys)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"a":[1,1.5,null,true,"x"],"b":170141183460469231731687303715884105727}"#)
    }
}
