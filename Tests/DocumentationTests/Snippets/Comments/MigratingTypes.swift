import FormworkMigration
import Foundation

// The examples in the comments of URLEncodedFormEncoder, URLEncodedFormDecoder and RequestSerializer.

func migratingEncoder() async throws -> (text: String, parameters: [String: Int]) {
    let encoder = URLEncodedFormEncoder(spaceEncoding: .percentEscaped)
    let text: String = try encoder.encode(["page": 2, "sort by": 1])
    // page=2&sort%20by=1
    let parameters = try URLEncodedFormDecoder(for: encoder).decode([String: Int].self, from: text)
    // ["page": 2, "sort by": 1]
    return (text, parameters)
}

func migratingSerializer(_ url: URL) async throws -> URLRequest {
    var serializer = HTTPRequestSerializer()
    serializer.settings.setAuthorization(bearerToken: "abc")
    let request = try serializer.request(method: "GET", url: url, parameters: ["page": 1, "tags": ["a", "b"]])
    return request
}
