import Foundation
import FormworkFoundation
import FoundationNetworking
import Testing

@Suite("iOS Recipes' form POST")
struct RecipesTests {
    @Test("A form is the body", arguments: try VectorRows.rows(of: "prp.setFormParameters"))
    func rows(row: VectorRows.Row) throws {
        try row.understand("expected", "expectedLinux", options: ["space"])
        let space = try #require(PercentEncoder.Space(rawValue: row.options["space"] as? String ?? "percent"))
        let url = try #require(URL(string: "http://a.b/"))
        for compatibility in [Compatibility.safe, .exact] {
            let request = try URLRequest(
                url: url, formParameters: ParameterValue(try row.input() as Any), space: space,
                compatibility: compatibility)
            #expect(request.httpBody.map { String(decoding: $0, as: UTF8.self) } == row.expected as? String)
            #expect(request.httpMethod == "POST")
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        }
    }

    @Test("Names are escaped unless told otherwise, and only flat forms are taken")
    func names() throws {
        var request = URLRequest(url: try #require(URL(string: "http://a.b/")))
        try request.setFormParameters(["a&b": "c d", "": 1, "n": 1])
        #expect(request.httpBody == Data("a%26b=c+d&n=1".utf8))
        try request.setFormParameters(["a&b": "c d"], space: .percent, compatibility: .exact)
        #expect(request.httpBody == Data("a&b=c%20d".utf8))
        #expect(throws: FormworkError.self) { try request.setFormParameters(["a": ["b"]]) }
        #expect(request.httpBody == Data("a&b=c%20d".utf8))
    }
}
