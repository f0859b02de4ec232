import FormworkFoundation
import FormworkMigration
import Foundation
import Testing

/// The same numbers in every run.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func text() -> String {
        let pieces = ["a", "Z", " ", "+", "&", "=", "%", "[", "]", ".", "é", "東", "😃", "0", "null", "\r\n", "/"]
        return (0..<Int.random(in: 0...5, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }

    mutating func list<Element>(_ make: (inout Self) -> Element) -> [Element] {
        (0..<Int.random(in: 0...3, using: &self)).map { _ in make(&self) }
    }
}

private struct Item: Codable, Equatable {
    var label: String
    var size: UInt16
}

private struct Inner: Codable, Equatable {
    var aValue: Int
    var names: [String]
    var isFlag: Bool?
}

private struct Form: Codable, Equatable {
    var name: String
    var count: Int64
    var price: Double
    var isOn: Bool
    var startDate: Date
    var rawBytes: Data
    var amount: Decimal
    var linkURL: URL
    var tags: [String]
    var numbers: [Int]
    var innerPart: Inner
    var homeURL: Inner
    var maybeCount: Int?
    var maybeInner: Inner?
    var maybeSizes: [Int]?

    init(using generator: inout SeededGenerator) {
        func inner() -> Inner {
            Inner(
                aValue: .random(in: -9...9, using: &generator), names: generator.list { $0.text() },
                isFlag: [true, false, nil].randomElement(using: &generator) ?? nil)
        }
        self.name = generator.text()
        self.count = .random(in: .min ... .max, using: &generator)
        self.price = .random(in: -1e9...1e9, using: &generator)
        self.isOn = .random(using: &generator)
        self.startDate = Date(timeIntervalSince1970: Double(Int.random(in: 0...2_000_000_000, using: &generator)))
        self.rawBytes = Data(generator.list { UInt8.random(in: 0...255, using: &$0) })
        self.amount = Decimal(Int.random(in: -9999...9999, using: &generator)) / 100
        self.linkURL = URL(fileURLWithPath: "/a b/\(Int.random(in: 0...9, using: &generator))")
        self.tags = generator.list { $0.text() }
        self.numbers = generator.list { Int.random(in: 0...99, using: &$0) }
        self.innerPart = inner()
        self.homeURL = inner()
        self.maybeCount = .random(using: &generator) ? 7 : nil
        self.maybeInner = .random(using: &generator) ? inner() : nil
        self.maybeSizes = .random(using: &generator) ? [.random(in: 0...9, using: &generator)] : nil
    }
}

private struct WithMaps: Codable, Equatable {
    var form: Form
    var map: [String: String]
    var deepMap: [String: [Int: [String]]]
    var list: [Item]
}

@Suite("URLEncodedFormDecoder: what an encoder wrote comes back", .timeLimit(.minutes(10)))
struct URLEncodedFormRoundTripTests {
    private static let formatter = {
        let formatter = DateFormatter()
        (formatter.locale, formatter.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(secondsFromGMT: 0))
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter
    }()

    /// Every combination of the options that shape names and `nil`; the others take turns.
    private func encoders() -> [URLEncodedFormEncoder] {
        let arrays: [URLEncodedFormEncoder.ArrayEncoding] = [
            .brackets, .noBrackets, .indexInBrackets, .custom { "\($0)-\($1)" },
        ]
        let keys: [URLEncodedFormEncoder.KeyEncoding] = [
            .useDefaultKeys, .convertToSnakeCase, .convertToKebabCase, .capitalized, .uppercased, .lowercased,
            .custom { "x-\($0)" },
        ]
        let nils: [URLEncodedFormEncoder.NilEncoding] = [
            .dropKey, .dropValue, .null, URLEncodedFormEncoder.NilEncoding { "nothing" },
        ]
        let dates: [URLEncodedFormEncoder.DateEncoding] = [
            .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(Self.formatter),
        ]
        var encoders: [URLEncodedFormEncoder] = []
        for array in arrays {
            for key in keys {
                for path in [URLEncodedFormEncoder.KeyPathEncoding.brackets, .dots] {
                    for null in nils {
                        let turn = encoders.count
                        encoders.append(
                            URLEncodedFormEncoder(
                                alphabetizeKeyValuePairs: turn % 3 != 0, arrayEncoding: array,
                                boolEncoding: turn % 2 == 0 ? .numeric : .literal,
                                dataEncoding: turn % 5 < 3 ? .base64 : .deferredToData, dateEncoding: dates[turn % 5],
                                keyEncoding: key, keyPathEncoding: path, nilEncoding: null,
                                spaceEncoding: turn % 7 < 4 ? .percentEscaped : .plusReplaced))
                    }
                }
            }
        }
        return encoders
    }

    @Test("A struct comes back whatever the options")
    func structs() throws {
        var generator = SeededGenerator(state: 1)
        for (index, encoder) in self.encoders().enumerated() {
            for _ in 0..<3 {
                let form = Form(using: &generator)
                let text: String = try encoder.encode(form)
                let decoder = URLEncodedFormDecoder(for: encoder)
                let decoded = Result { try decoder.decode(Form.self, from: text) }
                #expect(throws: Never.self, "combination \(index): \(text)") { try decoded.get() }
                if let value = try? decoded.get() { #expect(value == form, "combination \(index): \(text)") }
            }
        }
    }

    @Test("Dictionaries, with keys of any kind, and arrays of objects come back where names are kept")
    func maps() throws {
        var generator = SeededGenerator(state: 2)
        for array in [URLEncodedFormEncoder.ArrayEncoding.brackets, .indexInBrackets] {
            let encoder = URLEncodedFormEncoder(arrayEncoding: array, nilEncoding: .null)
            for _ in 0..<50 {
                let value = WithMaps(
                    form: Form(using: &generator), map: ["7": generator.text(), "é &=": generator.text()],
                    deepMap: ["a": [1: ["x", "y"], -3: [generator.text()]]],
                    list: generator.list { Item(label: $0.text(), size: .random(in: 0...9, using: &$0)) })
                let text: Data = try encoder.encode(value)
                #expect(try URLEncodedFormDecoder(for: encoder).decode(WithMaps.self, from: text) == value)
            }
        }
    }

    @Test("What Alamofire writes comes back but for the order of arrays")
    func exact() throws {
        struct Link: Codable, Equatable {
            var link: URL?
            var numbers: [Int]
        }
        let link = Link(link: URL(string: "https://a.b/c?d=e"), numbers: [10, 9, 2])
        let text: String = try URLEncodedFormEncoder(compatibility: .exact).encode(link)
        #expect(text == "link%5B%5D=https%3A//a.b/c?d%3De&numbers%5B%5D=10&numbers%5B%5D=2&numbers%5B%5D=9")
        #expect(try URLEncodedFormDecoder().decode(Link.self, from: text).link == link.link)
        #expect(try URLEncodedFormDecoder().decode(Link.self, from: text).numbers == [10, 2, 9])
    }

    struct Numbers: Codable, Equatable { var list: [Int] }

    @Test("16,000 pairs take as long per pair as 1,000")
    func linear() throws {
        let limits = URLEncodedLimits(pairs: 100_000)
        let custom = URLEncodedFormEncoder(arrayEncoding: .custom { "\($0)-\($1)" })
        func seconds(_ count: Int) throws -> Double {
            let numbers = Numbers(list: Array(0..<count))
            let value = Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", ["a\($0)", "b"]) })
            return try ContinuousClock().measure {
                let text: String = try URLEncodedFormEncoder().encode(value)
                let decoded = try URLEncodedFormDecoder(limits: limits)
                    .decode([String: [String]].self, from: text)
                #expect(decoded == value)
                let list: String = try custom.encode(numbers)
                let read = try URLEncodedFormDecoder(for: custom, limits: limits).decode(Numbers.self, from: list)
                #expect(read == numbers)
            } / .seconds(1)
        }
        _ = try seconds(100)
        let (few, many) = (try seconds(1000), try seconds(16_000))
        #expect(many < few * 16 * 6)
    }
}
