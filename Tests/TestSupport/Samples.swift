import Foundation

/// The same numbers in every run.
package struct SampleGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { self.state = seed }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Whether something happens that does once in `count` times.
    package mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}

/// A type that coders are tried with, and that makes values of itself.
///
/// Types are composed of others while the tests run, so that what codes them is what the compiler writes for real ones.
package protocol Sample: Codable, Equatable {
    static func sample(_ generator: inout SampleGenerator) -> Self
}

// MARK: Single values

extension String: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> String {
        let pieces = ["a", "Z", " ", "+", "&", "=", "%", "[", "]", ".", "é", "東", "😃", "0", "null", "\r\n", "/", "\0"]
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return ""
        case 1: return generator.pick(["null", "0", "1", "true", "nil"])
        default:
            return (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.pick(pieces) }.joined()
        }
    }
}

extension Bool: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Bool { .random(using: &generator) }
}

extension FixedWidthInteger where Self: Codable {
    package static func sample(_ generator: inout SampleGenerator) -> Self {
        generator.pick([.min, .max, 0, 1, .random(in: .min ... .max, using: &generator)])
    }
}

extension Int: Sample {}
extension Int8: Sample {}
extension Int16: Sample {}
extension Int32: Sample {}
extension Int64: Sample {}
extension Int128: Sample {}
extension UInt: Sample {}
extension UInt8: Sample {}
extension UInt16: Sample {}
extension UInt32: Sample {}
extension UInt64: Sample {}
extension UInt128: Sample {}

extension BinaryFloatingPoint where RawSignificand: FixedWidthInteger {
    fileprivate static func number(_ generator: inout SampleGenerator) -> Self {
        if generator.once(in: 40) { return generator.pick([.infinity, -.infinity] as [Self]) }
        return generator.pick([
            0, 0.1, -1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .random(in: -1e6...1e6, using: &generator),
        ])
    }
}

extension Double: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Double { self.number(&generator) }
}

extension Float: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Float { self.number(&generator) }
}

/// An enumeration of texts, of which one is empty and some look like something else.
package enum Word: String, Sample, CaseIterable {
    case empty = ""
    case null, one = "1", plain, list = "a[]"

    package static func sample(_ generator: inout SampleGenerator) -> Word { generator.pick(Self.allCases) }
}

package enum Digit: Int, Sample, CaseIterable {
    case zero, one, two

    package static func sample(_ generator: inout SampleGenerator) -> Digit { generator.pick(Self.allCases) }
}

/// A single value in a type of its own.
package struct Wrapped<Value: Sample>: Sample {
    var value: Value

    package init(from decoder: any Decoder) throws {
        self.value = try decoder.singleValueContainer().decode(Value.self)
    }

    init(_ value: Value) { self.value = value }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.value)
    }

    package static func sample(_ generator: inout SampleGenerator) -> Self { Self(.sample(&generator)) }
}

// MARK: Containers

extension Optional: Sample where Wrapped: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Self {
        generator.once(in: 4) ? nil : .sample(&generator)
    }
}

extension Array: Sample where Element: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Self {
        let count = generator.once(in: 6) ? 0 : Int.random(in: 1...3, using: &generator)
        return (0..<count).map { _ in .sample(&generator) }
    }
}

package protocol SampleKey: Sample, Hashable {
    static func key(_ generator: inout SampleGenerator) -> Self
}

extension String: SampleKey {
    package static func key(_ generator: inout SampleGenerator) -> String {
        if generator.once(in: 30) {
            return generator.pick(["", "a[b", "]", "[]", "a.b", "\"", "%22", "\\", "\r\n", "a=b&c", "oneTwo", "a b+"])
        }
        return generator.pick(["a", "b", "0", "1", "2", "-1", "007", "é", "e\u{301}", "東", "one_two", "zz", "%", "/"])
    }
}

extension Int: SampleKey {
    package static func key(_ generator: inout SampleGenerator) -> Int { generator.pick([0, 1, 2, -3, 7, .max]) }
}

/// A key that dictionaries write as elements.
extension Word: SampleKey {
    package static func key(_ generator: inout SampleGenerator) -> Word { .sample(&generator) }
}

extension Dictionary: Sample where Key: SampleKey, Value: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Self {
        let count = generator.once(in: 6) ? 0 : Int.random(in: 1...3, using: &generator)
        return Dictionary(
            (0..<count).map { _ in (Key.key(&generator), Value.sample(&generator)) },
            uniquingKeysWith: { first, _ in first })
    }
}

package struct One<First: Sample>: Sample {
    var first: First

    package static func sample(_ generator: inout SampleGenerator) -> Self { Self(first: .sample(&generator)) }
}

/// Members are read and written as the compiler has it: `second` by `encodeIfPresent`.
package struct Two<First: Sample, Second: Sample>: Sample {
    var first: First
    var secondPart: Second?

    package static func sample(_ generator: inout SampleGenerator) -> Self {
        Self(first: .sample(&generator), secondPart: .sample(&generator))
    }
}

package struct Three<First: Sample, Second: Sample, Third: Sample>: Sample {
    var first: First?
    var second: Second?
    var thirdURL: Third

    package static func sample(_ generator: inout SampleGenerator) -> Self {
        Self(first: .sample(&generator), second: .sample(&generator), thirdURL: .sample(&generator))
    }
}

/// An enumeration with values of its own.
package enum Choice<First: Sample, Second: Sample>: Sample {
    case first(First)
    case second(value: Second?)
    case neither

    package static func sample(_ generator: inout SampleGenerator) -> Self {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .neither
        case 1...3: .first(.sample(&generator))
        default: .second(value: .sample(&generator))
        }
    }
}

/// Members of types that containers have methods of their own for, which generic types don't call.
package struct Plain: Sample {
    var text: String, flag: Bool, double: Double, float: Float, int: Int, uint: UInt
    var int8: Int8, int16: Int16, int32: Int32, int64: Int64, int128: Int128
    var uint8: UInt8, uint16: UInt16, uint32: UInt32, uint64: UInt64, uint128: UInt128
    var maybe: Maybe
    var row: Row

    package struct Maybe: Sample {
        var text: String?, flag: Bool?, double: Double?, float: Float?, int: Int?, uint: UInt?
        var int8: Int8?, int16: Int16?, int32: Int32?, int64: Int64?, int128: Int128?
        var uint8: UInt8?, uint16: UInt16?, uint32: UInt32?, uint64: UInt64?, uint128: UInt128?

        package static func sample(_ generator: inout SampleGenerator) -> Self {
            Self(
                text: .sample(&generator), flag: .sample(&generator), double: .sample(&generator),
                float: .sample(&generator), int: .sample(&generator), uint: .sample(&generator),
                int8: .sample(&generator), int16: .sample(&generator), int32: .sample(&generator),
                int64: .sample(&generator), int128: .sample(&generator), uint8: .sample(&generator),
                uint16: .sample(&generator), uint32: .sample(&generator), uint64: .sample(&generator),
                uint128: .sample(&generator))
        }
    }

    /// An array of different types, each in its place.
    package struct Row: Sample {
        var text: String, flag: Bool, small: Int8, wide: Int128, widest: UInt128

        init(_ text: String, _ flag: Bool, _ small: Int8, _ wide: Int128, _ widest: UInt128) {
            (self.text, self.flag, self.small, self.wide, self.widest) = (text, flag, small, wide, widest)
        }

        package init(from decoder: any Decoder) throws {
            var row = try decoder.unkeyedContainer()
            self.text = try row.decode(String.self)
            self.flag = try row.decode(Bool.self)
            self.small = try row.decode(Int8.self)
            self.wide = try row.decode(Int128.self)
            self.widest = try row.decode(UInt128.self)
        }

        package func encode(to encoder: any Encoder) throws {
            var row = encoder.unkeyedContainer()
            try row.encode(self.text)
            try row.encode(self.flag)
            try row.encode(self.small)
            try row.encode(self.wide)
            try row.encode(self.widest)
        }

        package static func sample(_ generator: inout SampleGenerator) -> Self {
            Self(
                .sample(&generator), .sample(&generator), .sample(&generator), .sample(&generator), .sample(&generator))
        }
    }

    package static func sample(_ generator: inout SampleGenerator) -> Self {
        Self(
            text: .sample(&generator), flag: .sample(&generator), double: .sample(&generator),
            float: .sample(&generator), int: .sample(&generator), uint: .sample(&generator), int8: .sample(&generator),
            int16: .sample(&generator), int32: .sample(&generator), int64: .sample(&generator),
            int128: .sample(&generator), uint8: .sample(&generator), uint16: .sample(&generator),
            uint32: .sample(&generator), uint64: .sample(&generator), uint128: .sample(&generator),
            maybe: .sample(&generator), row: .sample(&generator))
    }
}

/// A class with a superclass, which writes beside its members or under a key.
package class Base<First: Sample>: Codable {
    var first: First

    init(_ first: First) { self.first = first }
}

package final class Derived<First: Sample, Second: Sample>: Base<First>, Sample {
    enum Key: String, CodingKey { case own, up }
    var own: Second

    init(_ first: First, _ own: Second) {
        self.own = own
        super.init(first)
    }

    package required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.own = try container.decode(Second.self, forKey: .own)
        try super.init(from: container.superDecoder(forKey: .up))
    }

    package override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(self.own, forKey: .own)
        try super.encode(to: container.superEncoder(forKey: .up))
    }

    package static func == (left: Derived, right: Derived) -> Bool {
        left.first == right.first && left.own == right.own
    }

    package static func sample(_ generator: inout SampleGenerator) -> Self {
        Self(.sample(&generator), .sample(&generator))
    }
}

// MARK: Types

/// Makes types of others.
package struct SampleTypes {
    private let single: [any Sample.Type]

    /// - Parameter more: Single values besides the standard library's.
    package init(more: [any Sample.Type] = []) {
        self.single =
            [
                String.self, String.self, String.self, Bool.self, Int.self, Int8.self, Int16.self, Int32.self,
                Int64.self,
                Int128.self, UInt.self, UInt8.self, UInt16.self, UInt32.self, UInt64.self, UInt128.self, Double.self,
                Float.self, Word.self, Digit.self, Plain.self,
            ] + more
    }

    /// A type of objects.
    package func object(_ generator: inout SampleGenerator) -> any Sample.Type {
        func one<First: Sample>(_: First.Type) -> any Sample.Type { One<First>.self }
        func map<First: Sample>(_: First.Type) -> any Sample.Type { [String: First].self }
        let depth = Int.random(in: 0...4, using: &generator)
        let first = self.any(depth, &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return generator.once(in: 2) ? one(first) : Plain.self
        case 1: return map(first)
        case 2: return Self.derived(first, self.any(depth - 1, &generator))
        case 3, 4: return Self.three(first, self.any(depth - 1, &generator), self.any(0, &generator))
        default: return Self.two(first, self.any(depth - 1, &generator))
        }
    }

    private func any(_ depth: Int, _ generator: inout SampleGenerator) -> any Sample.Type {
        guard depth > 0, !generator.once(in: 4) else { return generator.pick(self.single) }
        func optional<First: Sample>(_: First.Type) -> any Sample.Type { First?.self }
        func array<First: Sample>(_: First.Type) -> any Sample.Type { [First].self }
        func map<First: Sample>(_: First.Type) -> any Sample.Type { [String: First].self }
        func numbered<First: Sample>(_: First.Type) -> any Sample.Type { [Int: First].self }
        func listed<First: Sample>(_: First.Type) -> any Sample.Type { [Word: First].self }
        func wrapped<First: Sample>(_: First.Type) -> any Sample.Type { Wrapped<First>.self }
        func one<First: Sample>(_: First.Type) -> any Sample.Type { One<First>.self }
        let first = self.any(depth - 1, &generator)
        switch Int.random(in: 0..<18, using: &generator) {
        case 0...1: return optional(first)
        case 2...6: return array(first)
        case 7: return map(first)
        case 8: return numbered(first)
        case 9: return listed(first)
        case 10: return wrapped(first)
        case 11: return one(first)
        case 12: return Self.choice(first, self.any(0, &generator))
        case 13: return Self.three(first, self.any(depth - 1, &generator), self.any(0, &generator))
        default: return Self.two(first, self.any(depth - 1, &generator))
        }
    }

    private static func two<First: Sample, Second: Sample>(_: First.Type, _: Second.Type) -> any Sample.Type {
        Two<First, Second>.self
    }

    private static func three<First: Sample, Second: Sample, Third: Sample>(
        _: First.Type, _: Second.Type, _: Third.Type
    ) -> any Sample.Type { Three<First, Second, Third>.self }

    private static func choice<First: Sample, Second: Sample>(_: First.Type, _: Second.Type) -> any Sample.Type {
        Choice<First, Second>.self
    }

    private static func derived<First: Sample, Second: Sample>(_: First.Type, _: Second.Type) -> any Sample.Type {
        Derived<First, Second>.self
    }
}

/// What became of values that were written and read.
package struct RoundTrips {
    package private(set) var equal = 0
    package private(set) var refused = 0
    /// What came back otherwise, or couldn't be read; the first few of them.
    package private(set) var wrong: [String] = []

    package init() {}

    package var count: Int { self.equal + self.refused + self.wrong.count }

    /// Cases to try: `normally` as many, or `FORMWORK_CASES` of the environment.
    package static func cases(normally: Int) -> Int {
        ProcessInfo.processInfo.environment["FORMWORK_CASES"].flatMap { Int($0) } ?? normally
    }

    /// - Parameters:
    ///   - written: What was written; an error of `EncodingError` is a refusal.
    ///   - read: Reads it.
    package mutating func tried<Value: Sample>(_ value: Value, _ read: Result<Value, any Error>?, _ what: () -> String)
    {
        switch read {
        case nil: self.refused += 1
        case .success(value)?: self.equal += 1
        case .success(let other)?: self.wrong.append("\(value) came back as \(other): \(what())")
        case .failure(let error)?: self.wrong.append("\(value) can't be read: \(error): \(what())")
        }
    }
}
