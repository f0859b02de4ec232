import Foundation
import FormworkFoundation
import FormworkMigration
import FoundationNetworking
import Testing

@Suite("iOS Recipes' form POST", .timeLimit(.minutes(10)))
struct RecipesTests {
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
