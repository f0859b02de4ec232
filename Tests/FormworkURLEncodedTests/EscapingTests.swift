@testable import FormworkURLEncoded
import Testing

@Suite("Escaping by system and version", .timeLimit(.minutes(10)))
struct EscapingTests {
    /// What each version of AFNetworking leaves alone in keys and in values, besides letters and digits.
    @Test(
        "AFNetworking's tables",
        arguments: [
            ("0.6", "-._", "-._"), ("0.10.1", "-._", "-._"), ("1.0", "'*,-[]_", "'*,-[]_"),
            ("1.0.1", "'*,-.[]_", "'*,-.[]_"), ("1.1", "'*,-.[]_", "'*,-.[]_"), ("1.2.1", "-.[]_", "-.[]_"),
            ("1.3.2", "-.[]_~", "-.[]_~"), ("1.3.3", "-.[]_~", "-._~"), ("2.5.4", "-.[]_~", "-._~"),
            ("2.6", "-./?_~", "-./?_~"), ("4.0.1", "-./?_~", "-./?_~"),
        ] as [(AFNetworkingVersion, String, String)])
    func afnetworking(version: AFNetworkingVersion, key: String, value: String) {
        #expect(PercentEncoder.afnetworkingKey(version).unescaped == key)
        #expect(PercentEncoder.afnetworkingValue(version).unescaped == value)
    }

    @Test("Names are sorted without regard to case before 2.2.0")
    func order() throws {
        let parameters: ParameterValue = ["b": 1, "A": 2, "C": 3]
        #expect(try URLEncodedDialect.afnetworking("2.1").encode(parameters) == "A=2&b=1&C=3")
        #expect(try URLEncodedDialect.afnetworking("2.2").encode(parameters) == "A=2&C=3&b=1")
    }

    @Test("A dialect's fields for a multipart form are not escaped")
    func pairs() throws {
        let pairs = try URLEncodedDialect.afnetworking3.pairs(of: ["a": ["b c": [1, nil]]])
        #expect(pairs == [URLEncodedPair("a[b c][]", "1"), URLEncodedPair("a[b c][]", nil)])
    }
}
