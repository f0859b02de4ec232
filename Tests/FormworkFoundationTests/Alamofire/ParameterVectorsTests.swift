import FormworkFoundation
import FormworkMigration
import Foundation
import TestSupport
import Testing

@Suite("Vectors: Alamofire's parameters", .timeLimit(.minutes(10)))
struct ParameterVectorsTests {
    @Test(
        "A row comes out as Alamofire has it",
        arguments: try VectorRow.all().filter { ParameterRun.isTaken($0) && $0.isOfThisPlatform })
    func row(row: VectorRow) throws {
        do {
            var run = try ParameterRun(row)
            let result = try run.result(.exact)
            #expect(self.differences(run.expectation, result).isEmpty, "\(row.name)")
        } catch let error as RowNotUnderstood {
            Issue.record("\(row.name) is not understood: \(error)")
        }
    }

    private func differences(_ expectation: RowExpectation, _ result: RowResult) -> [String] {
        var differences: [String] = []
        func check(_ expected: String?, _ found: String?) {
            if expected != found { differences.append("expected \(expected ?? "none"), found \(found ?? "none")") }
        }
        check(expectation.error, result.error)
        if let text = expectation.text { check(text, result.text) }
        if let url = expectation.url { check(url, result.url) }
        if let contentType = expectation.contentType { check(contentType, result.contentType) }
        if let body = expectation.body { check(body, result.body) }
        if let method = expectation.method { check(method, result.method) }
        if let base64 = expectation.base64 { check(base64, result.data?.base64EncodedString()) }
        if let length = expectation.length {
            check(String(length), String(result.data?.count ?? result.text.utf8.count))
        }
        for (name, value) in expectation.headers { check(value, result.headers[name.lowercased()]) }
        return differences
    }

    /// The rows of the fixtures where the default does something else than Alamofire, and what.
    static let departures = [
        "ARRAY-ORDER-LOST-by-default": "a%5B%5D=c&a%5B%5D=a&a%5B%5D=b",
        "allowed-plus-ambiguous": "k=a%2Bb+c",
        "array-indexed-over-ten": (0..<12).map { "a%5B\($0)%5D=\($0)" }.joined(separator: "&"),
        "array-order-lost-numeric-as-text": "a%5B%5D=10&a%5B%5D=9&a%5B%5D=2",
        "empty-with-existing-query": "a=b",
        "int-keyed-dict": "a%5B7%5D=x",
        "key-capitalized": "refused",
        "key-convertToKebabCase": "refused",
        "key-convertToSnakeCase": "refused",
        "key-custom:const:A": "refused",
        "key-lowercased": "refused",
        "manual-struct": "refused",
        "manual-subclass-super-encoders": "refused",
        "nil-default-dict": "refused",
        "nil-dropKey-dict": "refused",
        "nil-in-array-dropped": "refused",
        "nil-in-array-null": "a%5B%5D=x&a%5B%5D=null&a%5B%5D=y",
        "numeric-string-keys-at-root-throw": "0=x",
        "url-value": "u=https%3A//a.b/c?d%3De",
    ]

    @Test("The safe default differs from Alamofire where Alamofire loses data, and nowhere else")
    func safe() throws {
        var found: [String: String] = [:]
        for row in try VectorRow.rows(in: VectorRow.fixtures).filter(ParameterRun.isTaken) {
            var (exact, safe) = (try ParameterRun(row), try ParameterRun(row))
            let results = (try exact.result(.exact), try safe.result(.safe))
            if results.0 != results.1 { found[row.name] = results.1.error ?? results.1.text }
        }
        #expect(found == Self.departures)
    }

    @Test("Every row is there")
    func complete() throws {
        let rows = try VectorRow.rows(in: VectorRow.fixtures).filter(ParameterRun.isTaken)
        let counts = Dictionary(grouping: rows, by: \.file).mapValues(\.count)
        #expect(
            counts == [
                "alamofire-urlencoding.json": 35, "alamofire-urlencoded.json": 68, "alamofire-request.json": 9,
                "json-plist.json": 9, "escape.json": 3,
            ])
    }

    @Test(
        "A row that is not understood says so",
        arguments: [
            (#"{"options": {"gzip": "x"}, "input": {"type": "keyed", "entries": []}, "expected": ""}"#, "gzip"),
            (
                #"{"options": {}, "input": {"type": "keyed", "entries": []}, "expected": "", "expectedHash": ""}"#,
                "Hash"
            ),
            (#"{"options": {}, "input": {"type": "complex", "value": "1"}, "expected": ""}"#, "complex"),
            (#"{"options": {}, "input": {"type": "keyed", "entries": []}}"#, "nothing is expected"),
            (
                #"{"options": {"boolEncoding": "yes"}, "input": {"type": "keyed", "entries": []}, "expected": ""}"#,
                "boolEncoding yes"
            ),
            (
                #"{"options": {"spaceEncoding": "tab"}, "input": {"type": "keyed", "entries": []}, "expected": ""}"#,
                "spaceEncoding tab"
            ),
            (
                #"{"options": {}, "platform": "vms", "input": {"type": "keyed", "entries": []}, "expected": ""}"#,
                "the platform"
            ),
            (
                #"{"options": {"keyEncoding": "rot13"}, "input": {"type": "keyed", "entries": []}, "expected": ""}"#,
                "rot13"
            ),
        ])
    func notUnderstood(row: String, message: String) throws {
        let system = #"{"system": "alamofire.URLEncodedFormEncoder", "#
        let rows = try VectorRow.rows(of: Data("[\(system)\(row.dropFirst())]".utf8), in: "f")
        let error = try #require(throws: RowNotUnderstood.self) {
            var run = try ParameterRun(rows[0])
            _ = try run.result(.exact)
        }
        #expect(error.description.contains(message))
    }
}
