@testable import FormworkURLEncoded
import Foundation
import FormworkFoundation
import FormworkMigration
import FoundationNetworking
import TestSupport
import Testing

@Suite("Vectors: iOS Recipes' form POST", .timeLimit(.minutes(10)))
struct RecipesVectorsTests {
    @Test(
        "A form is the body",
        arguments: try ["setFormParameters", "request"].flatMap { try VectorRows.rows(of: "prp.\($0)") })
    func form(row: VectorRows.Row) throws { try Self.check(row) }

    static func check(_ row: VectorRows.Row) throws {
        try row.understand(
            "expected", "expectedLinux", "expectedBody", "expectedURL", "expectedContentType", "expectedRequest",
            options: ["space"])
        guard let space = PercentEncoder.Space(rawValue: try row.choice("space", "percent", "plus")) else {
            throw RowNotUnderstood("the space")
        }
        var expected = row.json["expectedRequest"] as? [String: Any] ?? [:]
        guard row.json["expectedRequest"] == nil || !expected.isEmpty else { throw RowNotUnderstood("expectedRequest") }
        let body = (expected.removeValue(forKey: "body") ?? row.expected ?? row.json["expectedBody"]) as? String
        let place = (expected.removeValue(forKey: "url") ?? row.json["expectedURL"]) as? String ?? "http://a.b/"
        let type =
            (expected.removeValue(forKey: "contentType") ?? row.json["expectedContentType"]) as? String
            ?? "application/x-www-form-urlencoded"
        let method = expected.removeValue(forKey: "method") as? String ?? "POST"
        let headers = expected.removeValue(forKey: "headers") as? [String: String] ?? [:]
        _ = expected.removeValue(forKey: "note")
        guard expected.isEmpty else { throw RowNotUnderstood("the request's \(expected.keys.sorted())") }
        guard let url = URL(string: place) else { throw RowNotUnderstood("the URL \(place)") }
        let parameters = try ParameterValue(try row.input() as Any)
        guard case .object(let members) = parameters else { throw RowNotUnderstood("the input") }
        // The default escapes names.
        let isRaw = members.contains { PercentEncoder.recipes.space(space).encode($0.name) != $0.name }
        for compatibility in isRaw ? [Compatibility.exact] : [.safe, .exact] {
            let request = try URLRequest(
                url: url, formParameters: parameters, space: space, compatibility: compatibility)
            if let body { #expect(request.httpBody.map { String(decoding: $0, as: UTF8.self) } == body) }
            #expect(request.httpMethod == method)
            #expect(request.url?.absoluteString == place)
            #expect(request.value(forHTTPHeaderField: "Content-Type") == type)
            for (name, value) in headers { #expect(request.value(forHTTPHeaderField: name) == value) }
        }
    }
}
