import FormworkFoundation
import FormworkMigration
import Foundation
import Testing

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
    var name = "aZ +&=%[].é東😃0/\r\n"
    var count = Int64.min
    var price = -123_456_789.25
    var isOn = true
    var startDate = Date(timeIntervalSince1970: 1_234_567_890)
    var rawBytes = Data([0, 127, 255])
    var amount = Decimal(-9999) / 100
    var linkURL = URL(fileURLWithPath: "/a b/7")
    var tags = ["null", "", "[0]"]
    var numbers = [10, 9, 2]
    var innerPart = Inner(aValue: -9, names: ["é", "a&b"], isFlag: false)
    var homeURL = Inner(aValue: 9, names: ["x.y"], isFlag: true)
    var maybeCount: Int? = 7
    var maybeInner: Inner? = Inner(aValue: 0, names: ["%"], isFlag: true)
    var maybeSizes: [Int]? = [3]

    /// Whatever may be empty or missing is.
    static let bare = Form(
        name: "", rawBytes: Data(), tags: [], numbers: [], innerPart: Inner(aValue: 0, names: [], isFlag: nil),
        homeURL: Inner(aValue: 0, names: [], isFlag: nil), maybeCount: nil, maybeInner: nil, maybeSizes: nil)
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

    // Values of all kinds are what URLEncodedFormSampleTests tries; it doesn't say that none is refused.
    @Test("A struct comes back whatever the options")
    func structs() throws {
        for (index, encoder) in self.encoders().enumerated() {
            for form in [Form(), .bare] {
                let text: String = try encoder.encode(form)
                let decoded = Result { try URLEncodedFormDecoder(for: encoder).decode(Form.self, from: text) }
                #expect(throws: Never.self, "combination \(index): \(text)") { try decoded.get() }
                if let value = try? decoded.get() { #expect(value == form, "combination \(index): \(text)") }
            }
        }
    }

    @Test("Dictionaries, with keys of any kind, and arrays of objects come back where names are kept")
    func maps() throws {
        for array in [URLEncodedFormEncoder.ArrayEncoding.brackets, .indexInBrackets] {
            let encoder = URLEncodedFormEncoder(arrayEncoding: array, nilEncoding: .null)
            for list in [[], [Item(label: "a]", size: 0)], [Item(label: "", size: 1), Item(label: "b", size: 2)]] {
                let value = WithMaps(
                    form: Form(), map: ["7": "+", "é &=": "null"], deepMap: ["a": [1: ["x", "y"], -3: ["[z]"]]],
                    list: list)
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
