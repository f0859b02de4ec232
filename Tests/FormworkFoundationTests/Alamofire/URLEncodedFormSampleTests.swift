import FormworkFoundation
import FormworkMigration
import FormworkURLEncoded
import Foundation
import TestSupport
import Testing

extension Data: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Data {
        Data((0..<Int.random(in: 0...4, using: &generator)).map { _ in .sample(&generator) })
    }
}

extension Date: Sample {
    /// Whole seconds: what every way of writing dates keeps.
    package static func sample(_ generator: inout SampleGenerator) -> Date {
        if generator.once(in: 40) { return Date(timeIntervalSinceReferenceDate: .infinity) }
        return Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000, using: &generator)))
    }
}

extension URL: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> URL {
        URL(fileURLWithPath: "/a b/\(Int.random(in: 0...9, using: &generator))")
    }
}

extension Decimal: Sample {
    package static func sample(_ generator: inout SampleGenerator) -> Decimal {
        generator.once(in: 20) ? .nan : Decimal(Int.random(in: -9999...9999, using: &generator)) / 100
    }
}

@Suite("URLEncodedFormEncoder and URLEncodedFormDecoder: types and values of all kinds", .timeLimit(.minutes(10)))
struct URLEncodedFormSampleTests {
    private static let formatter = {
        let formatter = DateFormatter()
        (formatter.locale, formatter.timeZone) = (Locale(identifier: "en_US_POSIX"), TimeZone(secondsFromGMT: 0))
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter
    }()

    @Test("What is written comes back equal, or is refused when it is written, whatever the options")
    func roundTrips() throws {
        let cases = RoundTrips.cases(normally: 5_000)
        var (generator, trips) = (SampleGenerator(seed: 14), RoundTrips())
        let types = SampleTypes(more: [Data.self, Date.self, URL.self, Decimal.self])
        while trips.count < cases, trips.wrong.count < 5 {
            let type = types.object(&generator)
            for _ in 0..<10 { try self.tryOne(type, &generator, &trips) }
        }
        #expect(trips.wrong.isEmpty, "\(trips.wrong.joined(separator: "\n"))")
        #expect(trips.equal * 2 > trips.count, "\(trips.equal) equal, \(trips.refused) refused")
    }

    @Test("A dialect reads back what it writes of a value, or refuses the value")
    func dialects() throws {
        var (generator, trips) = (SampleGenerator(seed: 15), RoundTrips())
        let types = SampleTypes(more: [])
        let dialects: [URLEncodedDialect] = [.php, .rails, .alamofire, .afnetworking3, .facebook, .recipes, .whatwg]
        while trips.count < RoundTrips.cases(normally: 5_000), trips.wrong.count < 5 {
            let type = types.object(&generator)
            for _ in 0..<10 { self.tryOne(type, generator.pick(dialects), &generator, &trips) }
        }
        #expect(trips.wrong.isEmpty, "\(trips.wrong.joined(separator: "\n"))")
        #expect(trips.equal * 5 > trips.count, "\(trips.equal) equal, \(trips.refused) refused")
    }

    private func tryOne<Value: Sample>(
        _ type: Value.Type, _ dialect: URLEncodedDialect, _ generator: inout SampleGenerator, _ trips: inout RoundTrips
    ) {
        let value = type.sample(&generator)
        guard let text = try? dialect.encode(value) else { return trips.tried(value, nil) { "" } }
        trips.tried(value, Result { try dialect.decode(type, from: text) }) { "\(dialect.expansion) \(text)" }
    }

    private func tryOne<Value: Sample>(
        _ type: Value.Type, _ generator: inout SampleGenerator, _ trips: inout RoundTrips
    ) throws {
        let value = type.sample(&generator)
        let encoder = self.encoder(&generator)
        let text: String
        do {
            text = try encoder.encode(value)
        } catch is EncodingError {
            return trips.tried(value, nil) { "" }
        }
        trips.tried(value, Result { try URLEncodedFormDecoder(for: encoder).decode(type, from: text) }) {
            "\(encoder.arrayEncoding) \(encoder.keyEncoding) \(encoder.dataEncoding) \(text)"
        }
    }

    private func encoder(_ generator: inout SampleGenerator) -> URLEncodedFormEncoder {
        let nils: [URLEncodedFormEncoder.NilEncoding] = [.dropKey, .dropKey, .dropValue, .null, .init { "1" }]
        return URLEncodedFormEncoder(
            alphabetizeKeyValuePairs: .random(using: &generator),
            arrayEncoding: generator.pick([
                .brackets, .noBrackets, .indexInBrackets, .indexInBrackets, .custom { "\($0)-\($1)" },
                .custom { name, _ in name },
            ]),
            boolEncoding: generator.pick([.numeric, .literal]),
            dataEncoding: generator.pick([.base64, .deferredToData]),
            dateEncoding: generator.pick([
                .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(Self.formatter),
            ]),
            keyEncoding: generator.pick([
                .useDefaultKeys, .useDefaultKeys, .useDefaultKeys, .useDefaultKeys, .convertToSnakeCase,
                .convertToKebabCase, .capitalized, .uppercased, .lowercased, .custom { "x-\($0)" },
                .custom { _ in "same" },
            ]),
            keyPathEncoding: generator.pick([.brackets, .dots]),
            nilEncoding: generator.pick(nils),
            spaceEncoding: generator.pick([.percentEscaped, .plusReplaced]),
            allowedCharacters: generator.once(in: 4) ? CharacterSet(charactersIn: "ab&=+%[]") : .afURLQueryAllowed)
    }
}
